(function (odograph) {
    'use strict';

    const { element } = odograph.dom;
    const { fields, readAbout, writeAbout } = odograph.about;

    /** Saves what people write about a vehicle, so that nobody replaces by accident what another has written meanwhile. */
    class AboutDesk {
        /** @param {{root: string, ask: Ask, link: () => Link}} parts */
        constructor(parts) {
            Object.assign(this, parts);
        }

        /**
         * @param {Vehicle} vehicle @param {string} before the document as the form has shown it @param {About} about
         * @returns {Promise<?string>} null: it is saved, or given up; else why not
         */
        async save(vehicle, before, about) {
            const topic = `${this.root}/${vehicle.key}/about`;
            const found = await this.link().retained(topic, before !== '');
            if (found === null) return 'There is no connection to the broker. Nothing was saved.';
            if (found !== before && !await this.#confirm(vehicle, found, about)) return null;
            const outcome = await this.link().write(topic, writeAbout(found, about));
            if (outcome === 'refused') return 'This login may not write it: the broker refuses it. A login with the role operator may.';
            return outcome === 'done' ? null : 'The broker has not confirmed it. Save it again.';
        }

        /** Shows both versions, if they differ. @returns {Promise<boolean>} whether the own one is to replace the other */
        async #confirm(vehicle, found, about) {
            const theirs = readAbout(found) ?? readAbout('');
            const different = fields.filter(({ key }) => theirs[key] !== about[key].trim());
            if (different.length === 0) return true;
            const sender = vehicle.aboutDocument.sender ?? 'Somebody else';
            return this.ask.ask({
                title: `${sender} has changed it meanwhile`,
                words: different.map(({ key, words }) => element('p', {}, `${words}: yours “${about[key].trim() || '–'}”, theirs “${theirs[key] || '–'}”`)),
                yes: 'Replace it by mine', no: 'Keep theirs',
            });
        }
    }

    odograph.AboutDesk = AboutDesk;
})(globalThis.odograph ??= {});
