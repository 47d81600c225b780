(function (odograph) {
    'use strict';

    const { element, say, set } = odograph.dom;
    const { identifierOf, nameOf, shapeWords, fullWords, changeWords, linesOf } = odograph.geofenceSet;
    const { pointsOf } = odograph.geofencePoints;

    /** Points of a geofence that get fields. */
    const mostFields = 150;
    const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;

    /**
     * A field for a number or a text, which counts when it is left, or with Enter.
     * @param {string} key of the element, so that the focus stays @param {string} label
     */
    function field(key, label, value, onChange, attributes = {}) {
        const input = element('input', {
            'data-key': key, value, autocomplete: 'off', spellcheck: 'false', ...attributes,
            onchange: ({ target }) => {
                if (target.reportValidity()) onChange(attributes.type === 'number' ? Number(target.value) : target.value.trim());
            },
        });
        return element('label', { class: 'field' }, element('span', {}, label), input);
    }

    const degrees = (key, label, value, most, onChange) => field(key, label, value, onChange, {
        type: 'number', step: 'any', min: -most, max: most, required: true,
    });

    /** A button that does nothing now keeps the focus, so it is not `disabled`: the next key would be lost. */
    const button = (words, onclick, { isOff = false, ...attributes } = {}) => element('button', {
        type: 'button', class: 'minor', onclick: isOff ? null : onclick, 'aria-disabled': isOff ? 'true' : null, ...attributes,
    }, words);

    /** The geofences of a level as a list, with fields for the one that is chosen. It also is the editor for the keyboard. */
    class GeofenceEditor {
        #shown = '';
        #isPressed = false;
        #waiting = null;

        /** @param {HTMLElement} box @param {Object<string, function>} wishes of the `GeofenceDesk` */
        constructor(box, wishes) {
            Object.assign(this, { box, wishes });
            this.level = element('select', { 'aria-label': 'Whose geofences', onchange: ({ target }) => wishes.onLevel(target.value) });
            this.note = element('p', { class: 'soft', role: 'status' });
            this.body = element('div', { class: 'editor-body' });
            box.append(
                element('header', {}, element('h2', { id: 'editor-title' }, 'Geofences'),
                    element('button', { type: 'button', class: 'plain', 'aria-label': 'Close the geofences', title: 'Close', onclick: wishes.onClose }, '✕')),
                element('section', {}, element('label', { class: 'field' }, element('span', {}, 'Of'), this.level), this.note), this.body);
            box.addEventListener('keydown', (event) => this.#key(event));
            this.body.addEventListener('pointerdown', () => { this.#isPressed = true; });
            for (const event of ['pointerup', 'pointercancel']) window.addEventListener(event, () => this.#release());
        }

        /** What has changed since a button was pressed is shown after its click. */
        #release() {
            if (!this.#isPressed) return;
            setTimeout(() => {
                this.#isPressed = false;
                if (this.#waiting !== null) this.show(this.#waiting);
            });
        }

        #key(event) {
            if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return;
            // In a field that was changed the keys are those of the browser, which undoes the writing.
            if (event.target.matches('input') && event.target.value !== event.target.defaultValue) return;
            event.preventDefault();
            if (event.shiftKey) this.wishes.onRedo();
            else this.wishes.onUndo();
        }

        /** @param {Array<{label: string, options: Array<{value: string, words: string}>}>} groups @param {string} chosen */
        showLevels(groups, chosen) {
            const key = JSON.stringify(groups);
            if (key !== this.levels) {
                this.levels = key;
                this.level.replaceChildren(...groups.map(({ label, options }) => element('optgroup', { label },
                    options.map(({ value, words }) => element('option', { value }, words)))));
            }
            this.level.value = chosen;
        }

        /**
         * @param {{mode: string, note: string, isBad: boolean, mayWrite: ?boolean, draft: ?GeofenceDraft, singles: Fence[],
         *     disputes: Dispute[], choices: Map<string, string>, rival: string, level: string, hasCorners: boolean}} model
         */
        show(model) {
            // A new note must not take away what is being written.
            const { draft, note, isBad, ...rest } = model;
            say(this.note, note);
            set(this.note, 'class', isBad ? 'bad' : 'soft');
            const key = JSON.stringify([rest, [...model.choices], draft === null ? null
                : [draft.features, draft.chosen, draft.canUndo, draft.canRedo, draft.base.length, draft.changes]]);
            // A field changes when a button beside it is pressed, and a button that is replaced then gets no click.
            this.#waiting = this.#isPressed ? model : null;
            if (this.#isPressed || key === this.#shown) return;
            this.#shown = key;
            const active = this.body.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
            this.body.replaceChildren(...this.#nodes(model).filter((node) => node !== null));
            if (active === undefined) return;
            const again = [...this.body.querySelectorAll('[data-key]')].find(({ dataset }) => dataset.key === active);
            (again ?? this.body.querySelector('button, input') ?? this.box).focus();
        }

        /** So that what was drawn can be named at once. */
        focusName() {
            const field = this.body.querySelector('[data-key="name"]');
            field?.focus();
            field?.select();
        }

        #nodes(model) {
            const { draft, mode } = model;
            if (draft === null) return [];
            if (mode === 'review' || mode === 'sending') return this.#review(model);
            if (mode === 'conflict') return this.#conflict(model);
            return [this.#tools(model), this.#list(model), model.mayWrite === false ? null : this.#fields(model), this.#single(model), this.#end(model)];
        }

        #tools({ draft, mayWrite, hasCorners }) {
            if (mayWrite === false) return null;
            const { wishes } = this;
            return element('section', { class: 'actions' },
                button('New circle', () => wishes.onNew('circle'), { 'data-key': 'new-circle' }),
                button('New area', () => wishes.onNew('area'), { 'data-key': 'new-area' }),
                button('Undo', wishes.onUndo, { 'data-key': 'undo', isOff: !draft.canUndo && !hasCorners, title: 'Control and Z' }),
                button('Redo', wishes.onRedo, { 'data-key': 'redo', isOff: !draft.canRedo }));
        }

        #list({ draft }) {
            const { added, changed } = draft.difference;
            const tags = new Map([...added.map((one) => [identifierOf(one), 'new']), ...changed.map(({ after }) => [identifierOf(after), 'changed'])]);
            if (draft.features.length === 0) return element('section', {}, element('p', { class: 'soft' }, 'There are none.'));
            return element('section', {}, element('ul', { class: 'fence-list' }, draft.features.map((feature) => {
                const id = identifierOf(feature);
                return element('li', {}, element('button', {
                    type: 'button', class: 'text', 'data-key': `choose ${id}`, 'aria-pressed': id === draft.chosen ? 'true' : 'false',
                    onclick: () => this.wishes.onChoose(id),
                }, nameOf(feature)), element('span', { class: 'soft' }, ` ${shapeWords(feature)}`),
                tags.has(id) ? element('span', { class: 'tag' }, tags.get(id)) : null);
            })));
        }

        #fields({ draft }) {
            const { feature } = draft;
            if (feature === null) return null;
            const { wishes } = this;
            const { properties } = feature;
            const type = linesOf(feature).length === 0 ? null : feature.geometry.type;
            const nodes = [field('name', 'Name', properties?.name ?? '', (name) => wishes.onEdit(() => draft.rename(name)), { maxlength: 512 }),
                draft.isNew ? field('identifier', 'Identifier', identifierOf(feature), (id) => wishes.onEdit(() => draft.identify(id)), { required: true, maxlength: 128 })
                    : element('p', { class: 'soft' }, `Identifier ${identifierOf(feature)}`)];
            if (type === 'Point' || type === 'LineString') {
                const isCircle = type === 'Point';
                nodes.push(field('meters', isCircle ? 'Radius, m' : 'Half the width, m', properties?.[isCircle ? 'radius' : 'corridor'] ?? '',
                    (meters) => wishes.onEdit(() => draft.resize(meters)), { type: 'number', step: 'any', min: isCircle ? 5 : 0.1, max: 20003931, required: true }));
            }
            nodes.push(...this.#points(draft));
            return element('section', { 'aria-label': `${nameOf(feature)}, fields` }, ...nodes,
                element('p', { class: 'actions' }, button('Show on the map', wishes.onShow, { 'data-key': 'show' }),
                    button('Remove', () => wishes.onEdit(() => draft.remove()), { 'data-key': 'remove' })));
        }

        #points(draft) {
            const { feature } = draft;
            const lines = linesOf(feature).map((_, line) => pointsOf(feature, line));
            const all = lines.flat().length;
            if (all > mostFields) return [element('p', { class: 'soft' }, `It has ${all} points. Only the whole of it can be moved here.`)];
            return lines.map((points, line) => element('ol', { class: 'point-list', 'aria-label': lines.length > 1 ? `Points of ring ${line + 1}` : 'Points' },
                points.map((point, index) => this.#point(draft, { point, line, index, isOnly: all === 1 }))));
        }

        #point(draft, { point: [longitude, latitude], line, index, isOnly }) {
            const { wishes } = this;
            const id = `${line} ${index}`;
            const name = isOnly ? 'Centre' : `Point ${index + 1}`;
            const move = (place) => wishes.onEdit(() => draft.movePoint(line, index, place));
            const hold = element('button', {
                type: 'button', class: 'minor', 'data-key': `point ${id}`, title: 'The arrow keys move it',
                'aria-label': `${name}. The arrow keys move it${isOnly ? '' : ', Delete removes it'}.`,
                onclick: () => wishes.onLook({ latitude, longitude }),
                onkeydown: (event) => {
                    const by = odograph.stepOf(event);
                    if (by !== null) wishes.onEdit(() => draft.movePoint(line, index, wishes.moved({ latitude, longitude }, by), `key ${id}`));
                    else if (event.key === 'Delete' && !isOnly) wishes.onEdit(() => draft.removePoint(line, index));
                    else return;
                    event.preventDefault();
                },
            }, isOnly ? '✥' : String(index + 1));
            return element('li', {}, hold,
                degrees(`latitude ${id}`, `${name}, latitude`, latitude, 90, (value) => move({ latitude: value, longitude })),
                degrees(`longitude ${id}`, `${name}, longitude`, longitude, 540, (value) => move({ latitude, longitude: value })),
                isOnly ? null : button('+', () => wishes.onEdit(() => draft.insertPoint(line, index)),
                    { 'data-key': `add ${id}`, 'aria-label': `Add a point after point ${index + 1}`, title: 'Add a point after it' }),
                isOnly ? null : button('✕', () => wishes.onEdit(() => draft.removePoint(line, index)),
                    { 'data-key': `remove ${id}`, isOff: !draft.canRemovePoint(line), 'aria-label': `Remove point ${index + 1}`, title: 'Remove it' }));
        }

        #single({ singles }) {
            if (singles.length === 0) return null;
            return element('section', {}, element('h3', {}, 'Published one by one'),
                element('p', { class: 'soft' }, 'They override the set and are changed where they were made.'),
                element('ul', {}, singles.map(({ name }) => element('li', {}, name))));
        }

        #end({ draft, mayWrite }) {
            if (mayWrite === false || draft.changes === 0) return null;
            const { faults } = draft;
            return element('section', { class: 'editor-end' },
                faults.length === 0 ? null : element('ul', { class: 'bad' }, faults.map(({ name, words }) => element('li', {}, `${name}: ${words}`))),
                element('p', { class: 'actions' },
                    button(`Review ${count(draft.changes, 'change')}`, this.wishes.onReview, { 'data-key': 'review', class: 'main', isOff: faults.length > 0 }),
                    button('Discard', this.wishes.onDiscard, { 'data-key': 'discard' })));
        }

        #review({ draft, mode, level }) {
            const { added, changed, removed } = draft.difference;
            const list = (title, items, words) => (items.length === 0 ? [] : [element('h3', {}, title),
                element('ul', {}, items.map((item) => element('li', {}, words(item))))]);
            return [element('section', {}, ...list('Added', added, fullWords), ...list('Changed', changed, changeWords), ...list('Removed', removed, fullWords),
                element('p', {}, `Send ${count(draft.changes, 'change')} to ${level}?${removed.length > 0 ? ` ${count(removed.length, 'geofence')} will be gone.` : ''}`),
                element('p', { class: 'actions' },
                    button('Send', this.wishes.onSend, { 'data-key': 'send', class: 'main', isOff: mode === 'sending' }),
                    button('Back', this.wishes.onBack, { 'data-key': 'back', isOff: mode === 'sending' })))];
        }

        #conflict({ disputes, choices, rival }) {
            const { wishes } = this;
            const choice = ({ id, ownWords, otherWords, changedBy }, index) => {
                const radio = (version, words) => {
                    const input = element('input', {
                        type: 'radio', name: `dispute-${index}`, 'data-key': `${version} ${id}`, onchange: () => wishes.onChoice(id, version),
                    });
                    input.checked = choices.get(id) === version;
                    return element('label', {}, input, ` ${words}`);
                };
                const notes = { own: 'only you have changed it', other: `only ${rival} has changed it`, both: 'both have changed it' };
                return element('fieldset', {}, element('legend', {}, `${id}, ${notes[changedBy]}`),
                    radio('own', `Yours: ${ownWords}`), radio('other', `Of ${rival}: ${otherWords}`));
            };
            const all = (version) => () => disputes.forEach(({ id }) => wishes.onChoice(id, version));
            return [element('section', { class: 'disputes' },
                element('p', {}, `Your version and that of ${rival} differ in ${count(disputes.length, 'geofence')}. Which ones are right?`),
                element('p', { class: 'soft' }, `The map shows yours, and the version of ${rival} with dashes.`),
                element('p', { class: 'actions' }, button('All of mine', all('own'), { 'data-key': 'all-own' }),
                    button(`All of ${rival}`, all('other'), { 'data-key': 'all-other' })),
                ...disputes.map(choice),
                element('p', { class: 'actions' },
                    button('Use this choice', wishes.onMerge, { 'data-key': 'merge', class: 'main', isOff: disputes.some(({ id }) => !choices.has(id)) }),
                    button('Later', wishes.onBack, { 'data-key': 'back' })))];
        }
    }

    odograph.GeofenceEditor = GeofenceEditor;
})(globalThis.odograph ??= {});
