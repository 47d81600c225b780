(function (odograph) {
    'use strict';

    const { element, say, set, byID } = odograph.dom;

    /** What narrows the list and orders it. */
    class Filters {
        /** @param {() => void} onChange */
        constructor(onChange) {
            this.wish = { filter: 'all', search: '', order: 'name' };
            this.buttons = new Map(odograph.roster.filters.map(({ id, words }) => {
                const count = element('span', { class: 'count' });
                const button = element('button', { type: 'button', 'aria-pressed': id === 'all', onclick: () => {
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
            byID('order').addEventListener('change', ({ target }) => {
                this.#change({ order: target.value });
                onChange();
            });
        }

        #change(part) {
            this.wish = { ...this.wish, ...part };
            for (const [id, { button }] of this.buttons) set(button, 'aria-pressed', id === this.wish.filter);
        }

        /** @param {Object<string, number>} counts by filter */
        show(counts) {
            for (const [id, { button, count }] of this.buttons) {
                say(count, String(counts[id]));
                set(button, 'data-empty', counts[id] === 0 && id !== this.wish.filter ? '' : null);
            }
        }

        /** Shows all vehicles again. */
        reset() {
            byID('search').value = '';
            this.#change({ filter: 'all', search: '' });
        }
    }

    odograph.Filters = Filters;
})(globalThis.odograph ??= {});
