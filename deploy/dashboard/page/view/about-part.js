(function (odograph) {
    'use strict';

    const { element, say } = odograph.dom;
    const { fields } = odograph.about;

    /**
     * What somebody has begun to write about a vehicle.
     * @typedef {{before: string, first: About, about: About, isSaving: boolean, failure: string}} AboutDraft `before`: the document
     *     as the form has shown it; `first`: the texts with which the form opened
     */

    /** What people have written about a vehicle, and the form in which they change it. */
    class AboutPart {
        #shown = '';
        /** Who looks at another vehicle meanwhile must not lose a text. @type {Map<string, AboutDraft>} by the vehicle's key */
        #drafts = new Map();

        /** @param {{onSave: (vehicle: Vehicle, before: string, about: About) => Promise<?string>}} wishes null: it is saved; else why not */
        constructor({ onSave }) {
            Object.assign(this, { onSave, vehicle: null });
            this.list = element('dl');
            this.edit = element('button', { type: 'button', class: 'minor', onclick: () => this.#begin() }, 'Edit');
            this.inputs = new Map(fields.map(({ key, most }) => [key, element(key === 'note' ? 'textarea' : 'input', {
                name: key, maxlength: most, autocomplete: 'off', spellcheck: 'false', rows: key === 'note' ? 3 : null,
            })]));
            this.failure = element('p', { class: 'bad', role: 'status' });
            this.progress = element('span', { class: 'soft', role: 'status' });
            this.save = element('button', { type: 'submit', class: 'main' }, 'Save');
            this.cancel = element('button', { type: 'button', class: 'minor', onclick: () => this.#end() }, 'Cancel');
            this.form = element('form', { class: 'about', hidden: true, onsubmit: (event) => this.#submit(event) },
                fields.map(({ key, words }) => element('label', { class: 'field' }, element('span', {}, words), this.inputs.get(key))),
                this.failure, element('p', { class: 'actions' }, this.save, this.cancel, this.progress));
            this.node = element('div', {}, this.list, this.form);
        }

        /** @param {Vehicle} vehicle */
        show(vehicle) {
            if (this.vehicle?.key !== vehicle.key) {
                this.#keep();
                this.vehicle = vehicle;
                this.#showForm();
            }
            this.vehicle = vehicle;
            const key = JSON.stringify([vehicle.key, vehicle.about]);
            if (key === this.#shown) return;
            this.#shown = key;
            const known = fields.filter(({ key: name }) => vehicle.about?.[name]);
            this.list.replaceChildren(...known.map(({ key: name, words }) => element('div', {},
                element('dt', {}, words), element('dd', { class: 'lines' }, vehicle.about[name]))),
            ...(known.length > 0 ? [] : [element('div', {}, element('dt', {}, 'Driver, plate, note'), element('dd', {}, '–'))]));
        }

        get #draft() {
            return this.#drafts.get(this.vehicle?.key);
        }

        #begin() {
            const about = Object.fromEntries(fields.map(({ key }) => [key, this.vehicle.about?.[key] ?? '']));
            this.#drafts.set(this.vehicle.key, {
                before: this.vehicle.aboutDocument.payload, first: about, about, isSaving: false, failure: '',
            });
            this.#showForm();
            this.inputs.get('driver').focus();
        }

        /** Keeps what is in the form; a form without a change is closed. */
        #keep() {
            const draft = this.#draft;
            if (draft === undefined) return;
            draft.about = this.#texts();
            const isChanged = fields.some(({ key }) => draft.about[key] !== draft.first[key]);
            if (!isChanged && !draft.isSaving) this.#drafts.delete(this.vehicle.key);
        }

        #texts() {
            return Object.fromEntries([...this.inputs].map(([key, input]) => [key, input.value]));
        }

        /** Shows the form with the draft of the vehicle, if there is one. */
        #showForm() {
            const draft = this.#draft;
            [this.form.hidden, this.list.hidden, this.edit.hidden] = [draft === undefined, draft !== undefined, draft !== undefined];
            if (draft === undefined) return;
            for (const [key, input] of this.inputs) input.value = draft.about[key];
            this.#showState();
        }

        /** Whether the draft is being saved, and why it was not. What is being saved does not change. */
        #showState() {
            const { isSaving, failure } = this.#draft;
            this.save.disabled = this.cancel.disabled = isSaving;
            for (const input of this.inputs.values()) input.readOnly = isSaving;
            say(this.progress, isSaving ? 'Saving…' : '');
            say(this.failure, failure);
        }

        #end() {
            this.#drafts.delete(this.vehicle.key);
            this.#showForm();
            this.edit.focus();
        }

        async #submit(event) {
            event.preventDefault();
            const { vehicle } = this;
            const draft = this.#draft;
            // The key Enter in a field asks again.
            if (draft.isSaving) return;
            Object.assign(draft, { about: this.#texts(), isSaving: true, failure: '' });
            this.#showState();
            const failure = await this.onSave(vehicle, draft.before, draft.about);
            Object.assign(draft, { isSaving: false, failure: failure ?? '' });
            const isShown = vehicle.key === this.vehicle.key;
            if (failure === null && isShown) this.#end();
            else if (failure === null) this.#drafts.delete(vehicle.key);
            else if (isShown) this.#showState();
        }
    }

    odograph.AboutPart = AboutPart;
})(globalThis.odograph ??= {});
