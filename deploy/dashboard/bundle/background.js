'use strict';
// background.js FILE…: a background of the page's map, from the lines and areas of GeoJSON files.

const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const page = vm.createContext({});
for (const name of ['mercator', 'background']) {
    const file = path.join(__dirname, `../page/core/${name}.js`);
    vm.runInContext(fs.readFileSync(file, 'utf8'), page, { filename: file });
}
const { classOf, encodeLine } = page.odograph.background;

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

function main(files) {
    const lines = {};
    for (const file of files) {
        try {
            for (const { geometry, properties } of featuresOf(file)) {
                for (const { line, isArea } of linesOf(geometry)) {
                    const kind = classOf(properties ?? {}, isArea);
                    const encoded = kind === null ? null : encodeLine(line);
                    if (encoded !== null) (lines[kind] ??= []).push(encoded);
                }
            }
        } catch (error) {
            throw new Error(`${file}: ${error.message}`);
        }
    }
    if (Object.keys(lines).length === 0) throw new Error('there is no road and no area in the files');
    process.stdout.write(`${JSON.stringify({ version: 1, lines })}\n`);
}

try {
    main(process.argv.slice(2));
} catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
}
