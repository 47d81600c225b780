(function (odograph) {
    'use strict';

    const { element, mark, say, set } = odograph.dom;

    /** As in the style sheet, pixels. */
    const rowPixels = 52;
    /** Rows above and below the ones that are seen. */
    const spare = 4;

    const titles = {
        moving: 'Moving', parked: 'Parked', silent: 'Silent', private: 'Private', off: 'Off schedule', stopped: 'Off',
        unknown: 'Unknown',
    };

    function signsOf(condition) {
        const signs = [];
        if (condition.isOffSchedule && condition.kind !== 'off') signs.push(['sign-clock', 'off schedule']);
        if (condition.hasLowBattery) signs.push(['sign-battery', 'low battery']);
        if (condition.problems.length > 0) signs.push(['sign-problem', condition.problems.map(({ text }) => text).join('; ')]);
        if (condition.isBehind) signs.push(['sign-behind', 'configuration behind']);
        return signs;
    }

    /** One row of the page, which shows one vehicle after another. */
    class Row {
        constructor(slot) {
            this.mark = mark('mark-unknown');
            this.name = element('span', { class: 'name' });
            this.about = element('span', { class: 'about-short' });
            this.words = element('span', { class: 'words' });
            this.signs = element('span', { class: 'signs' });
            this.heard = element('span', { class: 'heard', title: 'Time since the last message' });
            this.node = element('div', { class: 'entry', role: 'option', id: `entry-${slot}` },
                this.mark, element('span', { class: 'title' }, this.name, this.about), this.signs, this.words, this.heard);
            this.signed = '';
        }

        show({ vehicle, name, condition }, { index, count, now, addressOf, isSelected, isActive }) {
            const { node } = this;
            this.vehicle = vehicle;
            node.style.transform = `translateY(${index * rowPixels}px)`;
            set(node, 'data-kind', condition.kind);
            set(node, 'aria-posinset', index + 1);
            set(node, 'aria-setsize', count);
            set(node, 'aria-selected', isSelected);
            set(node, 'data-active', isActive ? '' : null);
            set(this.mark.firstChild, 'href', `#mark-${condition.kind}`);
            set(this.mark, 'title', titles[condition.kind]);
            say(this.name, name);
            for (const [node, words] of [
                [this.about, odograph.about.words(vehicle.about)], [this.words, odograph.roster.placedWords(vehicle, condition, now, addressOf)],
            ]) {
                say(node, words);
                // The row has room for its beginning.
                set(node, 'title', words === '' ? null : words);
            }
            const isHeard = Number.isFinite(vehicle.heardAt);
            say(this.heard, isHeard ? odograph.format.duration(now - vehicle.heardAt) : '');
            const signs = signsOf(condition);
            const key = signs.join();
            if (key === this.signed) return;
            this.signed = key;
            this.signs.replaceChildren(...signs.map(([id, words]) => (
                element('span', { class: 'sign', title: words }, mark(id, 'mark small'),
                    element('span', { class: 'hidden' }, `, ${words}`)))));
        }
    }

    /** The vehicles as a list that only has the rows on the page which can be seen. */
    class VehicleList {
        /**
         * @param {HTMLElement} box a listbox
         * @param {HTMLElement} search a field in which Enter and the arrow keys act on the list
         * @param {(vehicle: Vehicle, isByKey: boolean) => void} onSelect
         */
        constructor(box, search, onSelect) {
            Object.assign(this, { box, search, onSelect, entries: [], rows: [], active: null, selected: null, now: 0, addressOf: () => '' });
            this.space = element('div', { class: 'space', role: 'presentation' });
            box.append(this.space);
            box.addEventListener('scroll', () => this.#draw(), { passive: true });
            box.addEventListener('keydown', (event) => this.#key(event));
            search.addEventListener('keydown', (event) => this.#searchKey(event));
            search.addEventListener('input', () => { this.active = null; });
            for (const node of [box, search]) {
                node.addEventListener('focus', () => this.#draw());
                node.addEventListener('blur', () => this.#draw());
            }
            this.space.addEventListener('click', (event) => {
                const node = event.target.closest('.entry');
                const row = this.rows.find((candidate) => candidate.node === node);
                if (row) this.#choose(row.vehicle, false);
            });
            new ResizeObserver(() => this.#draw()).observe(box);
        }

        /** @param {object[]} entries in order @param {?Vehicle} selected @param {number} now @param {(place: object) => string} addressOf */
        show(entries, selected, now, addressOf) {
            Object.assign(this, { entries, selected, now, addressOf });
            this.#draw();
        }

        #choose(vehicle, isByKey) {
            this.active = vehicle;
            this.onSelect(vehicle, isByKey);
        }

        #activeIndex() {
            return this.entries.findIndex(({ vehicle }) => vehicle === (this.active ?? this.selected));
        }

        /** The cursor keys stay in the field if they move in its text. Enter opens the first vehicle, if none is active. */
        #searchKey(event) {
            if (event.key === 'Enter' && this.#activeIndex() < 0 && this.entries.length > 0) {
                this.active = this.entries[0].vehicle;
            }
            if (['Enter', 'ArrowDown', 'ArrowUp'].includes(event.key)) this.#key(event);
        }

        #key(event) {
            const page = Math.max(1, Math.floor(this.box.clientHeight / rowPixels) - 1);
            const index = this.#activeIndex();
            const last = this.entries.length - 1;
            const moves = {
                ArrowDown: index + 1, ArrowUp: index - 1, PageDown: index + page, PageUp: index - page, Home: 0,
                End: last,
            };
            if (event.key in moves && last >= 0) {
                const target = Math.max(0, Math.min(last, moves[event.key]));
                this.active = this.entries[target].vehicle;
                this.#scrollTo(target);
            } else if ((event.key === 'Enter' || event.key === ' ') && index >= 0) {
                this.#choose(this.entries[index].vehicle, true);
            } else {
                return;
            }
            event.preventDefault();
            this.#draw();
        }

        #scrollTo(index) {
            const { box } = this;
            const top = index * rowPixels;
            const lowest = top + rowPixels - box.clientHeight;
            box.scrollTop = Math.max(lowest, Math.min(top, box.scrollTop));
        }

        #draw() {
            const { box, entries } = this;
            const height = `${entries.length * rowPixels}px`;
            if (this.space.style.height !== height) this.space.style.height = height;
            const first = Math.max(0, Math.floor(box.scrollTop / rowPixels) - spare);
            const room = Math.ceil(box.clientHeight / rowPixels) + 2 * spare;
            const shown = entries.slice(first, first + room);
            while (this.rows.length < shown.length) {
                const row = new Row(this.rows.length);
                this.rows.push(row);
                this.space.append(row.node);
            }
            const focused = [box, this.search].find((node) => document.activeElement === node);
            let activeNode = null;
            this.rows.forEach((row, slot) => {
                row.node.hidden = slot >= shown.length;
                if (row.node.hidden) return;
                const { vehicle } = shown[slot];
                const isActive = focused !== undefined && vehicle === (this.active ?? this.selected);
                if (isActive) activeNode = row.node;
                row.show(shown[slot], {
                    index: first + slot, count: entries.length, now: this.now, addressOf: this.addressOf, isActive,
                    isSelected: vehicle === this.selected,
                });
            });
            for (const node of [box, this.search]) {
                set(node, 'aria-activedescendant', node === focused ? activeNode?.id ?? null : null);
            }
        }
    }

    odograph.VehicleList = VehicleList;
})(globalThis.odograph ??= {});
