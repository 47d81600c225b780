(function (odograph) {
    'use strict';

    const { element, say } = odograph.dom;
    const { fields } = odograph.about;

    /** What people have written about a vehicle, and the form in which they change it. */
    class AboutPart {
        #shown = '';

        /** @param {{onSave: (vehicle: Vehicle, before: string, about: About) => Promise<?string>}} wishes null: it is saved; else why not */
        constructor({ onSave }) {
            Object.assign(this, { onSave, vehicle: null, before: '' });
            this.list = element('dl');
            this.edit = element('button', { type: 'button', class: 'minor', onclick: () => this.#open() }, 'Edit');
            this.inputs = new Map(fields.map(({ key, most }) => [key, element(key === 'note' ? 'textarea' : 'input', {
                name: key, maxlength: most, autocomplete: 'off', spellcheck: 'false', rows: key === 'note' ? 3 : null,
            })]));
            this.failure = element('p', { class: 'bad', role: 'status' });
            this.save = element('button', { type: 'submit', class: 'main' }, 'Save');
            this.form = element('form', { class: 'about', hidden: true, onsubmit: (event) => this.#submit(event) },
                fields.map(({ key, words }) => element('label', { class: 'field' }, element('span', {}, words), this.inputs.get(key))),
                this.failure, element('p', { class: 'actions' }, this.save,
                    element('button', { type: 'button', class: 'minor', onclick: () => this.#close(true) }, 'Cancel')));
            this.node = element('div', {}, this.list, this.form);
        }

        /** @param {Vehicle} vehicle */
        show(vehicle) {
            if (this.vehicle !== vehicle) this.#close(false);
            this.vehicle = vehicle;
            const key = JSON.stringify([vehicle.key, vehicle.about]);
            if (key === this.#shown) return;
            this.#shown = key;
            const known = fields.filter(({ key: name }) => vehicle.about?.[name]);
            this.list.replaceChildren(...known.map(({ key: name, words }) => element('div', {},
                element('dt', {}, words), element('dd', { class: 'lines' }, vehicle.about[name]))),
            ...(known.length > 0 ? [] : [element('div', {}, element('dt', {}, 'Driver, plate, note'), element('dd', {}, '–'))]));
        }

        #open() {
            this.before = this.vehicle.aboutDocument.payload;
            for (const [key, input] of this.inputs) input.value = this.vehicle.about?.[key] ?? '';
            say(this.failure, '');
            [this.form.hidden, this.list.hidden, this.edit.hidden] = [false, true, true];
            this.inputs.get('driver').focus();
        }

        #close(isByUser) {
            [this.form.hidden, this.list.hidden, this.edit.hidden] = [true, false, false];
            if (isByUser) this.edit.focus();
        }

        async #submit(event) {
            event.preventDefault();
            const about = Object.fromEntries([...this.inputs].map(([key, input]) => [key, input.value]));
            const { vehicle } = this;
            this.save.disabled = true;
            const failure = await this.onSave(vehicle, this.before, about);
            this.save.disabled = false;
            if (vehicle !== this.vehicle) return;
            say(this.failure, failure ?? '');
            if (failure === null) this.#close(true);
        }
    }

    odograph.AboutPart = AboutPart;
})(globalThis.odograph ??= {});
