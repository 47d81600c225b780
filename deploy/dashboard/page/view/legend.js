(function (odograph) {
    'use strict';

    const { element, mark, set, byID } = odograph.dom;

    const { bands, bandWords, unknownWords } = odograph.speeds;

    const signs = [
        ['sign-clock', 'Tracked outside its schedule'], ['sign-battery', 'Low battery'],
        ['sign-behind', 'Configuration behind, or refused'], ['sign-problem', 'The vehicle reports a problem'],
    ];
    const lines = [
        ['trail', 'Way of the last minutes'], ['trips', 'Trips of the day of the open vehicle'],
        ['fence', 'Geofence of all vehicles'], ['fence-group', 'Geofence of a group'],
        ['fence-device', 'Geofence of one vehicle'],
    ];

    /** The explanation of the marks, which opens from a button of the map. */
    class Legend {
        constructor() {
            this.button = byID('legend-button');
            this.box = byID('legend');
            const list = (items) => element('ul', {}, items);
            this.box.append(
                list(Object.entries(odograph.condition.kindWords).map(([kind, words]) => (
                    element('li', { 'data-kind': kind }, mark(`mark-${kind}`), words)))),
                list(signs.map(([id, words]) => element('li', {}, mark(id, 'mark sign'), words))),
                list(lines.map(([id, words]) => element('li', {}, element('span', { class: `swatch ${id}` }), words))),
                element('p', { class: 'legend-head' }, 'Speed on the way of a day'),
                list([...bands.map((_, band) => [band, bandWords(band)]), ['unknown', unknownWords]].map(([name, words]) => (
                    element('li', {}, element('span', { class: `swatch speed speed-${name}` }), words)))),
                element('p', { class: 'soft' }, 'A circle around a mark is the accuracy of the position, a number at it how many vehicles lie there on each other.'));
            this.button.addEventListener('click', () => this.show(this.box.hidden));
        }

        get isShown() {
            return !this.box.hidden;
        }

        /** @param {boolean} isShown */
        show(isShown) {
            this.box.hidden = !isShown;
            set(this.button, 'aria-expanded', isShown ? 'true' : 'false');
        }
    }

    odograph.Legend = Legend;
})(globalThis.odograph ??= {});
