(function (odograph) {
    'use strict';

    const { most, isObject, number } = odograph.records;
    const { project, unproject } = odograph.mercator;

    /**
     * A geofence, ready to be drawn.
     * @typedef {object} Fence
     * @property {string} id @property {string} name
     * @property {string} level `all`, `group:<name>` or a device's name
     * @property {'circle' | 'area' | 'corridor'} kind
     * @property {number} meters the radius of a circle, half the width of a corridor
     * @property {{left: number, top: number, right: number, bottom: number}} box around its lines, on the map's square
     * @property {number} latitude of its middle
     * @property {Array<Array<{x: number, y: number}>>} lines the centre; or the rings; or the way
     */

    const isPosition = (value) => Array.isArray(value) && number(value[0], 180) !== null && number(value[1], 90) !== null;

    /** @returns {?Array<{x: number, y: number}>} null where a position is none */
    function line(positions, fewest) {
        if (!Array.isArray(positions) || positions.length < fewest || !positions.every(isPosition)) return null;
        return positions.map(([longitude, latitude]) => project(latitude, longitude));
    }

    function shape({ type, coordinates }, { radius, corridor }) {
        if (!Array.isArray(coordinates)) return null;
        const areRings = (rings) => Array.isArray(rings) && rings.every(Array.isArray);
        const area = (rings) => ({ kind: 'area', meters: 1, lines: rings.map((ring) => line(ring, 4)) });
        switch (type) {
            case 'Point': return { kind: 'circle', meters: number(radius, most.meters), lines: [line([coordinates], 1)] };
            case 'LineString': return { kind: 'corridor', meters: number(corridor, most.meters), lines: [line(coordinates, 2)] };
            case 'Polygon': return areRings(coordinates) ? area(coordinates) : null;
            case 'MultiPolygon': return coordinates.every(areRings) ? area(coordinates.flat()) : null;
            default: return null;
        }
    }

    function boxOf(lines) {
        const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
        for (const { x, y } of lines.flat()) {
            box.left = Math.min(box.left, x);
            box.right = Math.max(box.right, x);
            box.top = Math.min(box.top, y);
            box.bottom = Math.max(box.bottom, y);
        }
        return box;
    }

    /**
     * @param {*} feature of GeoJSON
     * @param {string} level whose set it is in
     * @param {?string} identifier where the topic says it
     * @returns {?Fence} null where it cannot be drawn; the vehicles say what is wrong with it
     */
    function readFence(feature, level, identifier = null) {
        if (!isObject(feature) || !isObject(feature.geometry)) return null;
        const properties = isObject(feature.properties) ? feature.properties : {};
        const id = identifier ?? feature.id ?? properties.identifier;
        const drawn = shape(feature.geometry, properties);
        const isWhole = drawn !== null && drawn.meters > 0 && drawn.lines.length > 0 && !drawn.lines.includes(null);
        if (!isWhole || (typeof id !== 'string' && !Number.isSafeInteger(id))) return null;
        const name = typeof properties.name === 'string' && properties.name !== '' ? properties.name : String(id);
        const box = boxOf(drawn.lines);
        return {
            id: String(id), name, level, ...drawn, box, latitude: unproject(0, (box.top + box.bottom) / 2).latitude,
            significance: typeof properties.significance === 'string' ? properties.significance : null,
        };
    }

    /** The geofences of all levels of all fleets. */
    class FenceSets {
        #whole = new Map();
        #single = new Map();
        #documents = new Map();

        /**
         * Takes a payload of `…/geofences` or `…/geofences/<id>`; an empty one takes away.
         * @param {{fleet: string, name: string, item: ?string}} address
         * @param {string} payload
         * @param {?string} sender as it calls itself
         * @returns {boolean} whether it was understood
         */
        receive({ fleet, name, item }, payload, sender = null) {
            const sets = item === null ? this.#whole : this.#single;
            const part = JSON.stringify([fleet, name, item]);
            if (item === null) this.#documents.set(part, { payload, sender });
            if (payload === '') {
                sets.delete(part);
                return true;
            }
            const document = odograph.records.parse(payload);
            const features = item === null ? document?.features : [document];
            if (!Array.isArray(features) || document === null) return false;
            const fences = features.map((feature) => readFence(feature, name, item)).filter((fence) => fence !== null);
            sets.set(part, fences.map((fence) => ({ ...fence, fleet })));
            return true;
        }

        /**
         * The whole set of a level as the broker has it.
         * @param {string} fleet @param {string} level
         * @returns {{payload: string, sender: ?string}} an empty payload: there is none
         */
        documentOf(fleet, level) {
            return this.#documents.get(JSON.stringify([fleet, level, null])) ?? { payload: '', sender: null };
        }

        /** @returns {Fence[]} the geofences of a level that were published one by one */
        singlesOf(fleet, level) {
            return [...this.#single.values()].flat().filter((fence) => fence.fleet === fleet && fence.level === level);
        }

        /** @returns {Fence[]} a single one in place of the set's own of the same identifier */
        all() {
            const fences = new Map();
            for (const set of [...this.#whole.values(), ...this.#single.values()]) {
                for (const fence of set) fences.set(JSON.stringify([fence.fleet, fence.level, fence.id]), fence);
            }
            return [...fences.values()];
        }
    }

    odograph.geofences = { readFence, FenceSets };
})(globalThis.odograph ??= {});
