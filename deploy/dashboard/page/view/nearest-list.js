(function (odograph) {
    'use strict';

    const { element, mark, say } = odograph.dom;
    const { format } = odograph;

    /** The vehicles nearest to a place, as a list of buttons. */
    class NearestList {
        #shown = '';

        /** @param {HTMLElement} box @param {{onClose: () => void, onCentre: () => void, onSelect: (vehicle: Vehicle) => void}} wishes */
        constructor(box, wishes) {
            Object.assign(this, { box, wishes });
            this.place = element('p');
            this.list = element('ol', { class: 'nearest-list' });
            this.empty = element('p', { class: 'soft' }, 'No vehicle of the list has a position.');
            box.append(element('header', {}, element('h2', { id: 'nearest-title' }, 'Nearest vehicles'),
                element('button', { type: 'button', class: 'plain', 'aria-label': 'Close the nearest vehicles', title: 'Close', onclick: wishes.onClose }, '✕')),
            element('section', {}, this.place,
                element('p', { class: 'actions' }, element('button', { type: 'button', class: 'minor', onclick: wishes.onCentre }, 'Middle of the map')),
                element('p', { class: 'soft' }, 'In a straight line, of the vehicles of the list.'), this.empty, this.list));
        }

        /** @param {{words: string, rows: Array<{vehicle: Vehicle, name: string, condition: Condition, meters: number}>, now: number}} model */
        show({ words, rows, now }) {
            say(this.place, words);
            this.empty.hidden = rows.length > 0;
            const lines = rows.map(({ vehicle, name, condition, meters }) => ({
                vehicle, name, kind: condition.kind, about: odograph.about.shortWords(vehicle.about), distance: format.distance(meters),
                state: odograph.roster.conditionWords(vehicle, condition, now),
            }));
            const key = JSON.stringify(lines.map(({ vehicle, ...rest }) => [vehicle.key, rest]));
            if (key === this.#shown) return;
            this.#shown = key;
            const focused = document.activeElement?.dataset?.nearest;
            this.list.replaceChildren(...lines.map((line) => this.#item(line)));
            if (focused !== undefined) [...this.list.querySelectorAll('button')].find(({ dataset }) => dataset.nearest === focused)?.focus();
        }

        #item({ vehicle, name, kind, about, distance, state }) {
            return element('li', { 'data-kind': kind }, mark(`mark-${kind}`), element('button', {
                type: 'button', class: 'alert-open', 'data-nearest': vehicle.key, onclick: () => this.wishes.onSelect(vehicle),
            }, element('span', { class: 'name' }, name), element('span', { class: 'number' }, distance),
            element('span', { class: 'words' }, [about, state].filter((text) => text !== '').join(' · '))));
        }
    }

    odograph.NearestList = NearestList;
})(globalThis.odograph ??= {});
