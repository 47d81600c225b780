(function (odograph) {
    'use strict';

    const { element, say, set, byID } = odograph.dom;
    const everyGroup = 'All groups';

    /** What narrows the list and orders it. */
    class Filters {
        /** @param {() => void} onChange */
        constructor(onChange) {
            this.wish = { filter: 'all', search: '', order: 'name', group: '' };
            this.groups = [];
            this.buttons = new Map(odograph.roster.filters.map(({ id, words }) => {
                const count = element('span', { class: 'count' });
                const button = element('button', { type: 'button', 'aria-pressed': String(id === 'all'), onclick: () => {
                    this.#change({ filter: this.wish.filter === id ? 'all' : id });
                    onChange();
                } }, words, ' ', count);
                return [id, { button, count }];
            }));
            byID('filters').append(...[...this.buttons.values()].map(({ button }) => button));
            byID('search').addEventListener('input', ({ target }) => {
                this.#change({ search: target.value });
                onChange();
            });
            this.#listenToGroup(onChange);
            byID('order').addEventListener('change', ({ target }) => {
                this.#change({ order: target.value });
                onChange();
            });
        }

        #listenToGroup(onChange) {
            byID('group').addEventListener('change', ({ target }) => {
                this.#change({ group: target.value });
                onChange();
            });
        }

        /** @param {string[]} names of groups to choose from; without any there is no choice */
        showGroups(names) {
            if (names.join('\n') === this.groups.join('\n')) return;
            this.groups = names;
            const select = byID('group');
            select.replaceChildren(...['', ...names].map((name) => (
                element('option', { value: name }, name === '' ? everyGroup : name))));
            select.closest('label').hidden = names.length === 0;
            // The chosen group may have no vehicle any more.
            if (!names.includes(this.wish.group)) this.#change({ group: '' });
            select.value = this.wish.group;
        }

        #change(part) {
            this.wish = { ...this.wish, ...part };
            for (const [id, { button }] of this.buttons) set(button, 'aria-pressed', String(id === this.wish.filter));
        }

        /** @param {Object<string, number>} counts by filter */
        show(counts) {
            for (const [id, { button, count }] of this.buttons) {
                say(count, String(counts[id]));
                set(button, 'data-empty', counts[id] === 0 && id !== this.wish.filter ? '' : null);
            }
        }
    }

    odograph.Filters = Filters;
})(globalThis.odograph ??= {});
