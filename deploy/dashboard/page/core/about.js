(function (odograph) {
    'use strict';

    const { parse } = odograph.records;

    /** What the desk knows of a vehicle, and the most characters of each, as the schema `about-document` has them. */
    const fields = Object.freeze([
        { key: 'driver', words: 'Driver', most: 200 }, { key: 'plate', words: 'Plate', most: 32 }, { key: 'note', words: 'Note', most: 2000 },
    ]);

    /**
     * What people have written about a vehicle.
     * @typedef {{driver: string, plate: string, note: string}} About empty texts: nothing
     */

    /** @param {string} payload of a vehicle's topic `about`; empty: there is none @returns {?About} null: it is another document */
    function readAbout(payload) {
        const document = payload === '' ? {} : parse(payload);
        if (document === null) return null;
        return Object.fromEntries(fields.map(({ key, most }) => [key, typeof document[key] === 'string' ? document[key].trim().slice(0, most) : '']));
    }

    /**
     * @param {string} before the document that is replaced: keys that the page does not know are kept
     * @param {About} about
     * @returns {string} the payload; empty: nothing is left, and the broker forgets the document
     */
    function writeAbout(before, about) {
        const document = { ...parse(before) };
        for (const { key, most } of fields) {
            const text = about[key].trim().slice(0, most);
            if (text === '') delete document[key];
            else document[key] = text;
        }
        return Object.keys(document).length === 0 ? '' : JSON.stringify(document);
    }

    /** @param {?About} about @returns {string} the plate and the driver, short; empty if there is neither */
    const shortWords = (about) => [about?.plate, about?.driver].filter(Boolean).join(' · ');

    /** @param {?About} about @returns {string} the plate, the driver and the note; empty if there is nothing */
    const words = (about) => [shortWords(about), about?.note.replace(/\s+/g, ' ')].filter(Boolean).join(' · ');

    /** @param {?About} about @param {string} needle in small letters @returns {boolean} whether a search finds it: a plate also without its spaces */
    function matches(about, needle) {
        if (!about || needle === '') return false;
        const plain = (text) => text.toLowerCase().replace(/[\s-]/g, '');
        const isPlate = plain(needle) !== '' && plain(about.plate).includes(plain(needle));
        return isPlate || about.driver.toLowerCase().includes(needle) || about.note.toLowerCase().includes(needle);
    }

    odograph.about = { fields, readAbout, writeAbout, shortWords, words, matches };
})(globalThis.odograph ??= {});
