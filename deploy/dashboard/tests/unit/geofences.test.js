'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const { geofences: { readFence, FenceSets }, mercator } = require('../core.js');

const feature = (type, coordinates, properties = {}, id = 'a') => ({ type: 'Feature', id, properties, geometry: { type, coordinates } });
const ring = [[0, 0], [1, 0], [1, 1], [0, 0]];

for (const [words, value, kind, lines] of [
    ['a point with a radius', feature('Point', [-3, 40], { radius: 100 }), 'circle', 1],
    ['a line with a corridor', feature('LineString', [[0, 0], [1, 1]], { corridor: 50 }), 'corridor', 1],
    ['an area with a hole', feature('Polygon', [ring, ring]), 'area', 2],
    ['several areas', feature('MultiPolygon', [[ring], [ring, ring]]), 'area', 3],
]) {
    test(`${words} is drawn`, () => {
        const fence = readFence(value, 'all');
        assert.deepEqual([fence.kind, fence.lines.length, fence.level], [kind, lines, 'all']);
    });
}

for (const [words, value] of [
    ['nothing', null], ['a text', 'x'], ['no geometry', { type: 'Feature', id: 'a' }], ['an unknown shape', feature('Sphere', [])],
    ['a point without a radius', feature('Point', [0, 0])], ['a radius below zero', feature('Point', [0, 0], { radius: -1 })],
    ['a ring of three', feature('Polygon', [[[0, 0], [1, 1], [0, 0]]])], ['a place beyond the pole', feature('Point', [0, 91], { radius: 9 })],
    ['no coordinates', feature('Polygon', null)], ['numbers for rings', feature('MultiPolygon', [1])],
    ['a name for a number', feature('Point', ['a', 'b'], { radius: 9 })], ['no identifier', feature('Point', [0, 0], { radius: 9 }, null)],
]) {
    test(`${words} is left out`, () => assert.equal(readFence(value, 'all'), null));
}

const at = (name, item = null, fleet = 'acme') => ({ fleet, name, item });
const point = (id, name) => feature('Point', [0, 0], { radius: 9, name }, id);
const set = (...features) => JSON.stringify({ type: 'FeatureCollection', features });

test('a set replaces the set of its level and no other', () => {
    const sets = new FenceSets();
    sets.receive(at('all'), set(point('a'), point('b')));
    sets.receive(at('group:vans'), set(point('a')));
    sets.receive(at('all'), set(point('c')));
    assert.deepEqual(sets.all().map(({ level, id }) => `${level} ${id}`), ['all c', 'group:vans a']);
});

test('a single one stands for the set’s, and an empty payload takes away', () => {
    const sets = new FenceSets();
    sets.receive(at('all'), set(point('a', 'Old'), point('b')));
    sets.receive(at('all', 'a'), JSON.stringify(point('a', 'New')));
    assert.deepEqual(sets.all().map(({ name }) => name), ['New', 'b']);
    sets.receive(at('all', 'a'), '');
    assert.deepEqual(sets.all().map(({ name }) => name), ['Old', 'b']);
    sets.receive(at('all'), '');
    assert.deepEqual(sets.all(), []);
});

test('what is no set is told, and the good ones of a set are taken', () => {
    const sets = new FenceSets();
    assert.equal(sets.receive(at('all'), '{"features": 1}'), false);
    assert.equal(sets.receive(at('all'), 'x'), false);
    assert.equal(sets.receive(at('all'), set(point('a'), feature('Point', [0, 0]))), true);
    assert.equal(sets.all().length, 1);
});

test('a hundred thousand corners are no trouble', () => {
    const corners = Array.from({ length: 200000 }, (_, i) => [Math.cos(i), Math.sin(i)]);
    assert.equal(readFence(feature('Polygon', [[...corners, corners[0]]]), 'all').lines[0].length, 200001);
});

test('the map’s square and back', () => {
    for (const [latitude, longitude] of [[0, 0], [40.4168, -3.7038], [-85, 179.9], [85, -180]]) {
        const { x, y } = mercator.project(latitude, longitude);
        const back = mercator.unproject(x, y);
        assert.ok(Math.abs(back.latitude - latitude) < 1e-9 && Math.abs(back.longitude - longitude) < 1e-9);
    }
    // A metre at the equator at zoom 0: 256 pixels around the earth.
    assert.ok(Math.abs(mercator.pixelsPerMeter(0, 0) - 256 / 40075016.69) < 1e-12);
});
