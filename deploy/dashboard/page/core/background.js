(function (odograph) {
    'use strict';

    /** The unit of the coordinates in a background: the width of the world has so many, 0.6 m at the equator. */
    const units = 2 ** 26;
    /** A point that lies closer to the line between its neighbours is left out, units: about 2 m. */
    const tolerance = 3;
    /** Points of one piece: a long line is many pieces, of which the map draws those that can be seen. */
    const mostPoints = 200;

    const roads = {
        motorway: 'major', trunk: 'major', primary: 'major', motorway_link: 'major', trunk_link: 'major', primary_link: 'major',
        secondary: 'middle', tertiary: 'middle', secondary_link: 'middle', tertiary_link: 'middle',
    };
    /** What is no road for vehicles. */
    const paths = new Set(['footway', 'path', 'steps', 'cycleway', 'bridleway', 'pedestrian', 'corridor', 'platform', 'proposed',
        'construction', 'elevator']);
    const greens = new Set(['forest', 'wood', 'grass', 'meadow', 'park', 'recreation_ground', 'village_green', 'nature_reserve', 'scrub']);

    /**
     * @param {Object<string, *>} properties of a feature, with the keys of OpenStreetMap
     * @param {boolean} isArea
     * @returns {?('major' | 'middle' | 'minor' | 'river' | 'water' | 'green')} null: it is not drawn
     */
    function classOf({ highway, waterway, natural, landuse, leisure, building }, isArea) {
        if (isArea) {
            if (natural === 'water' || landuse === 'reservoir' || waterway === 'riverbank') return 'water';
            return [natural, landuse, leisure].some((value) => greens.has(value)) ? 'green' : null;
        }
        if (paths.has(highway) || building) return null;
        if (waterway) return waterway === 'river' || waterway === 'canal' ? 'river' : null;
        if (highway === undefined && (natural || landuse || leisure)) return null;
        return roads[highway] ?? 'minor';
    }

    /** Distance of a point from the line between two others. */
    function distance([x, y], [ax, ay], [bx, by]) {
        const length = Math.hypot(bx - ax, by - ay);
        if (length === 0) return Math.hypot(x - ax, y - ay);
        const share = Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length ** 2));
        return Math.hypot(x - ax - share * (bx - ax), y - ay - share * (by - ay));
    }

    /** Douglas and Peucker, 1973. Without recursion, because a line can have very many points. */
    function simplified(points) {
        const isKept = new Uint8Array(points.length);
        isKept[0] = isKept[points.length - 1] = 1;
        const parts = [[0, points.length - 1]];
        while (parts.length > 0) {
            const [first, last] = parts.pop();
            let [farthest, most] = [-1, tolerance];
            for (let index = first + 1; index < last; index += 1) {
                const far = distance(points[index], points[first], points[last]);
                if (far > most) [farthest, most] = [index, far];
            }
            if (farthest < 0) continue;
            isKept[farthest] = 1;
            parts.push([first, farthest], [farthest, last]);
        }
        return points.filter((_, index) => isKept[index] === 1);
    }

    /**
     * @param {Array<[number, number]>} positions longitude and latitude, degrees
     * @returns {?number[]} x, y, and then differences, in units from the north-west of the world; null: there is no line
     */
    function encodeLine(positions) {
        const isPosition = (value) => Array.isArray(value) && Number.isFinite(value[0]) && Number.isFinite(value[1])
            && Math.abs(value[0]) <= 180 && Math.abs(value[1]) <= 90;
        if (!Array.isArray(positions) || positions.length < 2 || !positions.every(isPosition)) return null;
        const points = simplified(positions.map(([longitude, latitude]) => {
            const { x, y } = odograph.mercator.project(latitude, longitude);
            return [Math.round(x * units), Math.round(y * units)];
        }));
        return points.flatMap(([x, y], index) => (index === 0 ? [x, y] : [x - points[index - 1][0], y - points[index - 1][1]]));
    }

    /** The places that names come from, and how far one reaches as an address, metres; the nearest kind first. */
    const places = Object.freeze({
        square: 250, neighbourhood: 1500, quarter: 1500, hamlet: 2000, suburb: 3000, village: 3000, town: 10000, city: 20000,
    });
    const placeKinds = Object.keys(places);
    const mostNameCharacters = 100;

    /** @param {Object<string, *>} properties @returns {?string} its name */
    function nameOf({ name }) {
        return typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, mostNameCharacters) : null;
    }

    /** @param {Object<string, *>} properties of a point or an area @returns {number} the index of its kind; −1: it is no place with a name */
    const placeKindOf = (properties) => (nameOf(properties) === null ? -1 : placeKinds.indexOf(properties.place));

    /** @param {[number, number]} position @returns {?[number, number]} x and y in units */
    function encodePoint(position) {
        const encoded = encodeLine([position, position]);
        return encoded === null ? null : encoded.slice(0, 2);
    }

    /** The pieces of a line: a long one has many, of which the map draws those that can be seen. */
    function pieces(line, name, isArea) {
        let [x, y] = [0, 0];
        const points = [];
        for (let index = 0; index + 1 < line.length; index += 2) {
            x += line[index] / units;
            y += line[index + 1] / units;
            points.push(x, y);
        }
        if (isArea || points.length <= mostPoints * 2) return [{ points, name }];
        const parts = [];
        for (let start = 0; start + 2 < points.length; start += (mostPoints - 1) * 2) {
            parts.push({ points: points.slice(start, start + mostPoints * 2), name });
        }
        return parts;
    }

    /**
     * What the file of deploy/dashboard/background has.
     * @typedef {object} Background
     * @property {Object<string, Lines>} classes
     * @property {string[]} names that lines and places refer to
     * @property {Array<{x: number, y: number, kind: string, name: string}>} places
     */

    /** @param {*} document @returns {?Background} null: it is another document */
    function readBackground(document) {
        const isOne = document?.version === 2 && typeof document.lines === 'object' && document.lines !== null;
        if (!isOne) return null;
        const names = (Array.isArray(document.names) ? document.names : []).map((name) => (typeof name === 'string' ? name : ''));
        const classes = {};
        for (const kind of ['green', 'water', 'river', 'minor', 'middle', 'major']) {
            const lines = document.lines[kind];
            // The first number of a line is that of its name.
            const isLine = (line) => Array.isArray(line) && line.length >= 5 && line.every(Number.isFinite);
            const isArea = kind === 'green' || kind === 'water';
            classes[kind] = new odograph.Lines((Array.isArray(lines) ? lines.filter(isLine) : [])
                .flatMap(([name, ...line]) => pieces(line, names[name] ? name : -1, isArea)));
        }
        const isPlace = (place) => Array.isArray(place) && place.length === 4 && place.every(Number.isFinite) && placeKinds[place[2]] && names[place[3]];
        return {
            classes, names,
            places: (Array.isArray(document.places) ? document.places.filter(isPlace) : [])
                .map(([x, y, kind, name]) => ({ x: x / units, y: y / units, kind: placeKinds[kind], name: names[name] })),
        };
    }

    odograph.background = { places, classOf, nameOf, placeKindOf, encodeLine, encodePoint, readBackground };
})(globalThis.odograph ??= {});
