(function (odograph) {
    'use strict';

    const { project, worldPixels, pixelsPerMeter } = odograph.mercator;

    /** A road that is farther away gives a place no address, metres. */
    const roadMeters = 80;
    /** Addresses that are remembered. */
    const mostKept = 2000;
    const roads = ['minor', 'middle', 'major'];

    /** Distance of a point from the line between two others. */
    function distance(x, y, ax, ay, bx, by) {
        const square = (bx - ax) ** 2 + (by - ay) ** 2;
        const share = square === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / square));
        return Math.hypot(x - ax - share * (bx - ax), y - ay - share * (by - ay));
    }

    /** The names of roads and places around a place, from the background. Nobody else is asked. */
    class Addresses {
        #kept = new Map();

        /** @param {Background} background */
        constructor(background) {
            this.background = background;
        }

        /** @param {{latitude: number, longitude: number}} place @returns {string} as `Calle de Alcalá, near Cibeles`; empty if nothing is near */
        wordsOf({ latitude, longitude }) {
            const key = `${latitude.toFixed(5)},${longitude.toFixed(5)}`;
            let words = this.#kept.get(key);
            if (words === undefined) {
                words = this.#find(latitude, longitude);
                if (this.#kept.size >= mostKept) this.#kept.delete(this.#kept.keys().next().value);
                this.#kept.set(key, words);
            }
            return words;
        }

        #find(latitude, longitude) {
            const { x, y } = project(latitude, longitude);
            /** Metres on the map's square there. */
            const meter = pixelsPerMeter(latitude, 0) / worldPixels(0);
            const road = this.#road(x, y, roadMeters * meter);
            const near = this.#near(x, y, meter);
            if (road === null) return near === null ? '' : `near ${near}`;
            return near === null || near === road ? road : `${road}, near ${near}`;
        }

        #road(x, y, reach) {
            const box = { left: x - reach, right: x + reach, top: y - reach, bottom: y + reach };
            let [name, least] = [-1, reach];
            for (const kind of roads) {
                const lines = this.background.classes[kind];
                lines.within(box, (index) => {
                    if (lines.names[index] < 0) return;
                    for (let at = lines.starts[index]; at + 3 < lines.starts[index + 1]; at += 2) {
                        const found = distance(x, y, lines.points[at], lines.points[at + 1], lines.points[at + 2], lines.points[at + 3]);
                        if (found < least) [name, least] = [lines.names[index], found];
                    }
                });
            }
            return name < 0 ? null : this.background.names[name];
        }

        /** The nearest place of the smallest kind that reaches so far. */
        #near(x, y, meter) {
            const nearest = new Map();
            for (const place of this.background.places) {
                const found = Math.hypot(place.x - x, place.y - y) / meter;
                if (found <= odograph.background.places[place.kind] && found < (nearest.get(place.kind)?.found ?? Infinity)) {
                    nearest.set(place.kind, { found, name: place.name });
                }
            }
            const kind = Object.keys(odograph.background.places).find((one) => nearest.has(one));
            return kind === undefined ? null : nearest.get(kind).name;
        }
    }

    odograph.Addresses = Addresses;
})(globalThis.odograph ??= {});
