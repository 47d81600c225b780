'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const odograph = require('../core.js');
const { temporaryFolder } = require('../support/processes.js');
const { extractOf } = require('../support/extract.js');
const { Addresses, Lines, background: { readBackground } } = odograph;

/** The background that the command makes of features. */
function made(features) {
    const folder = temporaryFolder();
    const file = path.join(folder, 'a.geojson');
    fs.writeFileSync(file, JSON.stringify({ type: 'FeatureCollection', features }));
    const { status, stderr } = spawnSync(path.join(__dirname, '../../background'), [folder, file], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return readBackground(JSON.parse(fs.readFileSync(path.join(folder, 'background.json'), 'utf8')));
}

const road = (name, coordinates, highway = 'residential') => ({ type: 'Feature', properties: { highway, name }, geometry: { type: 'LineString', coordinates } });
const point = (kind, name, coordinates) => ({ type: 'Feature', properties: { place: kind, name }, geometry: { type: 'Point', coordinates } });
const madrid = made([
    road('Calle de Alcalá', [[-3.7, 40.418], [-3.69, 40.42]], 'primary'), road('Calle de Sevilla', [[-3.7, 40.418], [-3.7, 40.415]]), road(undefined, [[-3.695, 40.4191], [-3.695, 40.42]]),
    point('square', 'Cibeles', [-3.6932, 40.4194]), point('suburb', 'Retiro', [-3.68, 40.41]), point('city', 'Madrid', [-3.7, 40.4]), point('square', '', [-3.7, 40.418]),
    { type: 'Feature', properties: { place: 'village', name: 'Alto' }, geometry: { type: 'Polygon', coordinates: [[[-3.5, 40.5], [-3.48, 40.5], [-3.48, 40.52], [-3.5, 40.52], [-3.5, 40.5]]] } },
]);
const addresses = new Addresses(madrid);

for (const [words, latitude, longitude, expected] of [
    ['at a road near a square', 40.4193, -3.694, 'Calle de Alcalá, near Cibeles'], ['at another road of the suburb', 40.4155, -3.7001, 'Calle de Sevilla, near Retiro'],
    ['50 m from a road', 40.41755, -3.7045 + 0.004, 'Calle de Sevilla, near Retiro'], ['far from a road', 40.41, -3.71, 'near Retiro'],
    ['outside of the suburb', 40.38, -3.75, 'near Madrid'], ['in the middle of an area', 40.511, -3.49, 'near Alto'], ['where nobody knows anything', 0, 0, ''],
]) {
    test(`a place ${words} has the address "${expected}"`, () => assert.equal(addresses.wordsOf({ latitude, longitude }), expected));
}

test('an address is found among many ways', () => {
    const { features } = extractOf(20000);
    const large = made(features);
    const found = new Addresses(large);
    // Way by way along "Street 10", which lies 10 steps from the south.
    for (let column = 1; column < 90; column += 7) {
        assert.match(found.wordsOf({ latitude: 40.2 + 0.01 + 0.00002, longitude: -4 + column / 1000 + 0.0005 }), /^Street 10(,|$)/);
    }
});

test('lines are found by where they are, each once, and large ones too', () => {
    const at = (x, y, size, name = -1) => ({ points: [x, y, x + size, y + size], name });
    const lines = new Lines([at(0.5, 0.5, 1e-6), at(0.5, 0.5, 0.2), at(0.6, 0.6, 1e-6), at(0.50001, 0.50001, 3e-5), at(0.1, 0.1, 1e-6)]);
    const found = (left, top, right, bottom) => {
        const seen = [];
        lines.within({ left, top, right, bottom }, (index) => seen.push(index));
        return seen.sort();
    };
    assert.deepEqual(found(0.49999, 0.49999, 0.50005, 0.50005), [0, 1, 3]);
    assert.deepEqual(found(0, 0, 1, 1), [0, 1, 2, 3, 4]);
    assert.deepEqual(found(0.3, 0.3, 0.30001, 0.30001), []);
    assert.deepEqual(found(0.6, 0.6, 0.60001, 0.60001), [1, 2]);
});
