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

    /** A piece of a line, ready to be drawn. */
    function piece(points) {
        const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
        for (let index = 0; index < points.length; index += 2) {
            box.left = Math.min(box.left, points[index]);
            box.right = Math.max(box.right, points[index]);
            box.top = Math.min(box.top, points[index + 1]);
            box.bottom = Math.max(box.bottom, points[index + 1]);
        }
        return { points: Float64Array.from(points), box };
    }

    function decodeLine(line, isArea) {
        let [x, y] = [0, 0];
        const points = [];
        for (let index = 0; index + 1 < line.length; index += 2) {
            x += line[index] / units;
            y += line[index + 1] / units;
            points.push(x, y);
        }
        if (isArea) return [piece(points)];
        const pieces = [];
        for (let start = 0; start + 2 < points.length; start += (mostPoints - 1) * 2) {
            pieces.push(piece(points.slice(start, start + mostPoints * 2)));
        }
        return pieces;
    }

    /**
     * Reads the file that deploy/dashboard/background writes.
     * @param {*} document
     * @returns {?Object<string, Array<{points: Float64Array, box: object}>>} pieces by class, x and y on the map's square;
     *     null: it is another document
     */
    function readBackground(document) {
        if (document?.version !== 1 || typeof document.lines !== 'object' || document.lines === null) return null;
        const classes = {};
        for (const kind of ['green', 'water', 'river', 'minor', 'middle', 'major']) {
            const lines = document.lines[kind];
            const isLine = (line) => Array.isArray(line) && line.length >= 4 && line.every(Number.isFinite);
            classes[kind] = (Array.isArray(lines) ? lines.filter(isLine) : [])
                .flatMap((line) => decodeLine(line, kind === 'green' || kind === 'water'));
        }
        return classes;
    }

    odograph.background = { classOf, encodeLine, readBackground };
})(globalThis.odograph ??= {});
