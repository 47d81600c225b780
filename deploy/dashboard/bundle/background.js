'use strict';
// background.js FILE…: a background of the page's map, from the lines and areas of GeoJSON files.

const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const page = vm.createContext({});
for (const name of ['mercator', 'lines', 'background']) {
    const file = path.join(__dirname, `../page/core/${name}.js`);
    vm.runInContext(fs.readFileSync(file, 'utf8'), page, { filename: file });
}
const { classOf, nameOf, placeKindOf, encodeLine, encodePoint } = page.odograph.background;

/** @returns {Array<{line: Array, isArea: boolean}>} the lines of a geometry, and the rings of its areas */
function linesOf(geometry) {
    const { type, coordinates = [], geometries = [] } = geometry ?? {};
    switch (type) {
        case 'LineString': return [{ line: coordinates, isArea: false }];
        case 'MultiLineString': return coordinates.map((line) => ({ line, isArea: false }));
        case 'Polygon': return coordinates.map((line) => ({ line, isArea: true }));
        case 'MultiPolygon': return coordinates.flat().map((line) => ({ line, isArea: true }));
        case 'GeometryCollection': return geometries.flatMap(linesOf);
        default: return [];
    }
}

function featuresOf(file) {
    const document = JSON.parse(fs.readFileSync(file, 'utf8'));
    if (document?.type === 'Feature') return [document];
    if (Array.isArray(document?.features)) return document.features;
    throw new Error('it is no FeatureCollection of GeoJSON');
}

/** The middle of a place: a point, or an area's box. @returns {?[number, number]} */
function middleOf(geometry) {
    if (geometry?.type === 'Point') return geometry.coordinates;
    const positions = linesOf(geometry).flatMap(({ line }) => line);
    if (positions.length === 0) return null;
    return [0, 1].map((part) => {
        const [least, most] = positions.reduce(([low, high], one) => [Math.min(low, one[part]), Math.max(high, one[part])], [Infinity, -Infinity]);
        return (least + most) / 2;
    });
}

/** The names, each once, by their number. */
class Names {
    list = [];
    #numbers = new Map();

    /** @param {?string} name @returns {number} −1 for none */
    numberOf(name) {
        if (name === null) return -1;
        if (!this.#numbers.has(name)) {
            this.#numbers.set(name, this.list.length);
            this.list.push(name);
        }
        return this.#numbers.get(name);
    }
}

function main(files) {
    const [lines, places, names] = [{}, [], new Names()];
    for (const file of files) {
        try {
            for (const { geometry, properties } of featuresOf(file)) {
                const placeKind = placeKindOf(properties ?? {});
                const middle = placeKind < 0 ? null : middleOf(geometry);
                const point = middle === null ? null : encodePoint(middle);
                if (point !== null) places.push([...point, placeKind, names.numberOf(nameOf(properties))]);
                for (const { line, isArea } of linesOf(geometry)) {
                    const kind = classOf(properties ?? {}, isArea);
                    const encoded = kind === null ? null : encodeLine(line);
                    if (encoded !== null) (lines[kind] ??= []).push([names.numberOf(nameOf(properties ?? {})), ...encoded]);
                }
            }
        } catch (error) {
            throw new Error(`${file}: ${error.message}`);
        }
    }
    if (Object.keys(lines).length === 0) throw new Error('there is no road and no area in the files');
    process.stdout.write(`${JSON.stringify({ version: 2, names: names.list, places, lines })}\n`);
}

try {
    main(process.argv.slice(2));
} catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
}
