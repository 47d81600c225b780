(function (odograph) {
    'use strict';

    const { element, byID, say } = odograph.dom;

    /**
     * Lets a person name places on the map: by a click, or by the keyboard, which moves the map under a cross.
     * While it does so, a click opens no vehicle.
     */
    class PlacePicker {
        /** @type {?(place: {latitude: number, longitude: number}) => void} */
        #onPlace = null;

        /** @param {FleetMap} map */
        constructor(map) {
            this.map = map.map;
            this.words = element('p', { class: 'pick-note', role: 'status', hidden: true });
            this.cross = element('div', { class: 'cross', 'aria-hidden': 'true', hidden: true });
            byID('map').after(this.cross, this.words);
            this.map.on('click', ({ latlng }) => this.#pick(latlng));
            byID('map').addEventListener('keydown', (event) => {
                if (event.key !== 'Enter' || !this.isActive || event.target !== byID('map')) return;
                event.preventDefault();
                this.#pick(this.map.getCenter());
            });
        }

        get isActive() {
            return this.#onPlace !== null;
        }

        #pick(latlng) {
            if (!this.isActive) return;
            const { lat, lng } = latlng.wrap();
            this.#onPlace({ latitude: lat, longitude: lng });
        }

        /** @param {string} words what to do @param {(place: {latitude: number, longitude: number}) => void} onPlace */
        begin(words, onPlace) {
            this.#onPlace = onPlace;
            this.cross.hidden = this.words.hidden = false;
            byID('map').dataset.picking = '';
            say(this.words, words);
        }

        end() {
            this.#onPlace = null;
            this.cross.hidden = this.words.hidden = true;
            delete byID('map').dataset.picking;
        }
    }

    odograph.PlacePicker = PlacePicker;
})(globalThis.odograph ??= {});
