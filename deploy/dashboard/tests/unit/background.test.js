'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const odograph = require('../core.js');
const { temporaryFolder } = require('../support/processes.js');
const { classOf, encodeLine, readBackground } = odograph.background;

for (const [properties, isArea, kind] of [
    [{ highway: 'motorway' }, false, 'major'], [{ highway: 'tertiary' }, false, 'middle'], [{ highway: 'residential' }, false, 'minor'],
    [{}, false, 'minor'], [{ name: 'Main street' }, false, 'minor'], [{ highway: 'footway' }, false, null],
    [{ waterway: 'river' }, false, 'river'], [{ waterway: 'ditch' }, false, null], [{ natural: 'water' }, true, 'water'],
    [{ leisure: 'park' }, true, 'green'], [{ building: 'yes' }, true, null], [{ natural: 'coastline' }, false, null],
]) {
    test(`${JSON.stringify(properties)} as ${isArea ? 'an area' : 'a line'} is ${kind ?? 'not drawn'}`, () => {
        assert.equal(classOf(properties, isArea), kind);
    });
}

test('a line keeps its corners within two metres, and loses the points between them', () => {
    const straight = Array.from({ length: 500 }, (_, index) => [-3.7 + index / 1e5, 40.4]);
    const corner = [...straight, ...Array.from({ length: 500 }, (_, index) => [-3.695, 40.4 + index / 1e5])];
    const encoded = encodeLine(corner);
    assert.equal(encoded.length, 6);
    const { points } = readBackground({ version: 2, lines: { minor: [[-1, ...encoded]] } }).classes.minor;
    const places = [0, 2, 4].map((index) => odograph.mercator.unproject(points[index], points[index + 1]));
    for (const [index, [longitude, latitude]] of [[-3.7, 40.4], [-3.695, 40.4], [-3.695, 40.40499]].entries()) {
        assert.ok(Math.abs(places[index].longitude - longitude) < 2e-5 && Math.abs(places[index].latitude - latitude) < 2e-5);
    }
});

test('a long line is drawn in pieces that hang together', () => {
    const zigzag = encodeLine(Array.from({ length: 501 }, (_, index) => [index / 100, index % 2]));
    const { minor } = readBackground({ version: 2, names: ['Zigzag'], lines: { minor: [[0, ...zigzag]] } }).classes;
    assert.deepEqual([minor.count, [...minor.names]], [3, [0, 0, 0]]);
    assert.equal(minor.points.length / 2 - minor.count, 500);
    for (const index of [1, 2]) {
        const begin = minor.starts[index];
        assert.deepEqual(minor.points.slice(begin, begin + 2), minor.points.slice(begin - 2, begin));
    }
});

test('what is no line is left out', () => {
    for (const line of [null, [], [[1, 2]], [[1, 2], [3]], [[1, 2], [500, 3]], [[1, 2], 'x']]) assert.equal(encodeLine(line), null);
    for (const document of [null, {}, { version: 1, lines: {} }, { version: 2, lines: null }]) assert.equal(readBackground(document), null);
    const { classes, names, places } = readBackground({ version: 2, names: ['A', 7], places: [7, [1, 2], [1, 2, 99, 0], [1, 2, 0, 9], [1, 2, 0, 0]],
        lines: { minor: [7, [1, 2, 3, 4], [0, 1, 2, 'x', 3], [9, 1, 2, 3, 4]], evil: [[0, 1, 2, 3, 4]] } });
    assert.deepEqual(Object.entries(classes).map(([kind, { count }]) => [kind, count]),
        [['green', 0], ['water', 0], ['river', 0], ['minor', 1], ['middle', 0], ['major', 0]]);
    assert.deepEqual([[...classes.minor.names], names, places.map(({ kind, name }) => `${kind} ${name}`)], [[-1], ['A', ''], ['square A']]);
});

const command = (folder, ...files) => spawnSync(path.join(__dirname, '../../background'), [folder, ...files], { encoding: 'utf8' });
const town = path.join(__dirname, '../../../lib/quickstart/town.geojson');

test('the command makes a background of the quickstart’s town', () => {
    const folder = temporaryFolder();
    const { status, stdout, stderr } = command(folder, town);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /background\.json has \d+ bytes/);
    const { classes } = readBackground(JSON.parse(fs.readFileSync(path.join(folder, 'background.json'), 'utf8')));
    for (const kind of ['major', 'middle', 'minor']) assert.ok(classes[kind].count > 5, `${kind}: ${classes[kind].count}`);
});

test('the command says what is wrong, and writes nothing', () => {
    const folder = temporaryFolder();
    const bad = path.join(folder, 'bad.geojson');
    for (const [text, words] of [['{', /bad\.geojson: /], ['{"type":"Topology"}', /no FeatureCollection/], ['{"features":[]}', /no road and no area/]]) {
        fs.writeFileSync(bad, text);
        const { status, stderr } = command(folder, bad);
        assert.deepEqual([status, words.test(stderr)], [65, true], stderr);
    }
    assert.equal(command(path.join(folder, 'missing'), town).status, 73);
    assert.equal(command(folder).status, 64);
    assert.deepEqual(fs.readdirSync(folder), ['bad.geojson']);
});

for (const [file, isRight] of [['background.json', true], ['/maps/town.json', true], ['//evil.example/a.json', false],
    ['https://evil.example/a.json', false], ['a.json?x', false], [7, false]]) {
    test(`${file} is ${isRight ? 'a' : 'no'} file of the page’s server`, () => {
        const { settings, faults } = odograph.settings.readSettings({ background: file }, '');
        assert.deepEqual([settings.background, faults.length], isRight ? [file, 0] : [null, 1]);
    });
}
