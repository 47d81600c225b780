'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const path = require('node:path');
const { GeofenceDraft, geofenceSet: { readSet, writeSet, differenceOf, faultOf, fullWords, changeWords, shapeWords } } = require('../core.js');

const circle = (id, properties = {}, coordinates = [-3.7, 40.4]) => (
    { type: 'Feature', id, properties: { radius: 100, name: id.toUpperCase(), ...properties }, geometry: { type: 'Point', coordinates } });
const square = (id, more = {}) => ({ type: 'Feature', id, properties: { name: id }, ...more,
    geometry: { type: 'Polygon', coordinates: [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]] } });
const payload = (features, more = {}) => JSON.stringify({ type: 'FeatureCollection', ...more, features });
const draftOf = (...features) => new GeofenceDraft(payload(features));
const place = (latitude, longitude) => ({ latitude, longitude });
const ring = (draft) => draft.feature.geometry.coordinates[0];

test('an empty payload is a set without geofences', () => {
    assert.deepEqual(readSet('').features, []);
    assert.equal(writeSet(readSet('')), '{"type":"FeatureCollection","features":[]}');
});

for (const text of ['{', '[]', 'null', '7', '{"type":"FeatureCollection"}', '{"features":[1]}']) {
    test(`${text} is no set`, () => assert.equal(readSet(text), null));
}

test('what the page does not know stays in the payload', () => {
    const kept = { ...circle('a', { extras: { cost: 7 }, speed_limit: 13.9, schedule: '* 8-18 * * 1-5' }), bbox: [1, 2], future: { x: [1] } };
    const draft = new GeofenceDraft(payload([kept], { bbox: [0, 0, 1, 1], note: 'x' }));
    draft.chosen = 'a';
    draft.rename('Depot');
    draft.movePoint(0, 0, place(41, -4));
    draft.resize(250);
    assert.deepEqual(JSON.parse(draft.payload), { type: 'FeatureCollection', bbox: [0, 0, 1, 1], note: 'x', features: [
        { ...kept, properties: { ...kept.properties, name: 'Depot', radius: 250 }, geometry: { type: 'Point', coordinates: [-4, 41] } }] });
});

test('a height of a position stays when the point moves', () => {
    const draft = draftOf(circle('a', {}, [-3.7, 40.4, 667]));
    draft.chosen = 'a';
    draft.movePoint(0, 0, place(41, -4));
    assert.deepEqual(draft.feature.geometry.coordinates, [-4, 41, 667]);
    draft.shift(place(1, 1));
    assert.deepEqual(draft.feature.geometry.coordinates, [-3, 42, 667]);
});

test('a ring stays closed while its points are moved, added and removed', () => {
    const draft = draftOf(square('s'));
    draft.chosen = 's';
    draft.movePoint(0, 0, place(-1, -1));
    assert.deepEqual(ring(draft), [[-1, -1], [1, 0], [1, 1], [0, 1], [-1, -1]]);
    draft.insertPoint(0, 3);
    assert.deepEqual(ring(draft), [[-1, -1], [1, 0], [1, 1], [0, 1], [-0.5, 0], [-1, -1]]);
    draft.removePoint(0, 0);
    assert.deepEqual(ring(draft), [[1, 0], [1, 1], [0, 1], [-0.5, 0], [1, 0]]);
    draft.removePoint(0, 0);
    draft.removePoint(0, 0);
    assert.equal(ring(draft).length, 4, 'a triangle is the least');
    assert.equal(draft.canRemovePoint(0), false);
});

test('points of a hole and of a second area are those of their own line', () => {
    const shape = [[0, 0], [4, 0], [4, 4], [0, 0]];
    const many = { type: 'Feature', id: 'm', properties: {}, geometry: { type: 'MultiPolygon', coordinates: [[shape, shape], [shape]] } };
    const draft = draftOf(many);
    draft.chosen = 'm';
    draft.movePoint(2, 1, place(9, 9));
    assert.deepEqual(draft.feature.geometry.coordinates, [[shape, shape], [[[0, 0], [9, 9], [4, 4], [0, 0]]]]);
    draft.movePoint(1, 0, place(1, 1));
    assert.deepEqual(draft.feature.geometry.coordinates[0][1], [[1, 1], [4, 0], [4, 4], [1, 1]]);
});

test('each step can be undone and done again, and a drag is one step', () => {
    const draft = draftOf(circle('a'));
    draft.chosen = 'a';
    for (let index = 1; index <= 9; index += 1) draft.movePoint(0, 0, place(40 + index / 10, -3), 'drag');
    draft.pause();
    draft.movePoint(0, 0, place(50, -3), 'drag');
    draft.addCircle(place(1, 2), 60);
    draft.remove();
    assert.equal(draft.changes, 1);
    draft.undo();
    assert.equal(draft.features.length, 2);
    draft.undo();
    draft.undo();
    assert.deepEqual(draft.features[0].geometry.coordinates, [-3, 40.9]);
    draft.undo();
    assert.deepEqual([draft.changes, draft.canUndo], [0, false]);
    for (let index = 0; index < 3; index += 1) draft.redo();
    assert.equal(draft.features.length, 2);
    draft.undo();
    draft.rename('X');
    assert.equal(draft.canRedo, false, 'a new change ends what was undone');
});

test('an identifier is free in the set and in the other levels, and fixed once it was sent', () => {
    const draft = new GeofenceDraft(payload([circle('circle-1')]), new Set(), () => new Set(['circle-2']));
    draft.addCircle(place(1, 2), 60.4);
    assert.deepEqual([draft.chosen, draft.isNew, draft.feature.properties.name], ['circle-3', true, 'Circle 3']);
    draft.identify('yard');
    assert.deepEqual([draft.chosen, draft.feature.properties.radius], ['yard', 60]);
    draft.chosen = 'circle-1';
    draft.identify('other');
    draft.rename('Other');
    assert.deepEqual([draft.features[0].id, draft.features[0].properties.name], ['circle-1', 'Other']);
});

test('a new geofence never gets the identifier of a removed one', () => {
    const sent = new Set();
    const draft = new GeofenceDraft(payload([circle('circle-1')]), sent);
    draft.chosen = 'circle-1';
    draft.remove();
    draft.addCircle(place(1, 2), 60);
    assert.equal(draft.chosen, 'circle-2', 'it is still in the document');
    draft.remove();
    draft.addCircle(place(1, 2), 60);
    assert.equal(draft.chosen, 'circle-3', 'it was removed before it was sent');
    draft.rename('CIRCLE-1');
    assert.equal(draft.chosen, 'circle-1-2');
    draft.rebase(draft.payload, draft.features);
    draft.addCircle(place(1, 2), 60);
    assert.equal(draft.chosen, 'circle-3', 'the first one is gone from the document, and was in an earlier one');
    const later = new GeofenceDraft(payload([]), sent);
    later.addCircle(place(1, 2), 60);
    assert.equal(later.chosen, 'circle-2', 'another draft of the level has sent it');
});

for (const [name, id] of [
    ['Depósito Ñandú 7', 'deposito-nandu-7'], ['  --North / gate#2+ ', 'north-gate-2'], ['A', 'a'], ['12', '12'],
    [`${'x'.repeat(63)} tail`, 'x'.repeat(63)], ['Ångström', 'angstrom'],
    ['仓库', 'circle-1'], ['…', 'circle-1'], ['', 'circle-1'],
]) {
    test(`a new geofence with the name "${name}" has the identifier ${id}`, () => {
        const draft = draftOf();
        draft.addCircle(place(1, 2), 60);
        draft.rename('Before');
        draft.rename(name);
        assert.deepEqual([draft.chosen, draft.feature.id], [id, id]);
        assert.equal(draft.feature.properties.name, name === '' ? 'Circle 1' : name);
        draft.rename(name);
        assert.equal(draft.chosen, id, 'the same name is no reason for another identifier');
        draft.undo();
        draft.undo();
        assert.deepEqual([draft.chosen, draft.feature.properties.name], ['before', 'Before']);
    });
}

test('two new geofences of one name get two identifiers, however long the name is', () => {
    const draft = draftOf();
    const long = `${'x'.repeat(61)}-yz`;
    for (const name of ['Yard', 'yard', long, long]) {
        draft.addArea([place(0, 0), place(0, 1), place(1, 1)]);
        draft.rename(name);
    }
    assert.deepEqual(draft.features.map(({ id }) => id), ['yard', 'yard-2', long, `${'x'.repeat(61)}-2`]);
    assert.deepEqual(draft.faults, []);
});

test('a default name is one that no other geofence has', () => {
    const draft = draftOf(circle('a', { name: 'Area 1' }), circle('area-2'));
    draft.addArea([place(0, 0), place(0, 1), place(1, 1)]);
    assert.deepEqual([draft.chosen, draft.feature.properties.name], ['area-3', 'Area 3']);
    draft.rename('');
    assert.deepEqual([draft.chosen, draft.feature.properties.name], ['area-3', 'Area 3']);
});

test('the name does not change an identifier that was sent or that a person has written', () => {
    const draft = draftOf();
    draft.addCircle(place(1, 2), 60);
    draft.identify('my-own');
    draft.rename('Gate');
    assert.deepEqual([draft.chosen, draft.feature.properties.name], ['my-own', 'Gate']);
    draft.addCircle(place(1, 2), 60);
    draft.noteSent(draft.features);
    draft.rename('Depot');
    assert.deepEqual([draft.chosen, draft.feature.properties.name], ['circle-1', 'Depot']);
    // Somebody has removed it at the broker, and the person keeps it.
    draft.rebase(payload([]), draft.features);
    draft.rename('Yard');
    assert.equal(draft.chosen, 'circle-1');
    draft.rename('');
    assert.equal('name' in draft.feature.properties, false);
});

test('a fault names the geofence, and says the identifier where two have the same name', () => {
    const draft = draftOf(circle('a', { name: 'Depot' }), circle('b', { name: 'Depot' }), circle('c', { name: 'Yard' }));
    for (const id of ['a', 'c']) {
        draft.chosen = id;
        draft.resize(3);
    }
    assert.deepEqual(draft.faults.map(({ name }) => name), ['Depot (a)', 'Yard']);
    draft.addCircle(place(1, 2), 60);
    draft.rename('Gate');
    draft.identify('c');
    assert.match(draft.faults.at(-1).words, /the set has the identifier c twice/);
});

test('the faults are those of what was changed, and of identifiers that are there twice', () => {
    const draft = draftOf({ ...circle('old'), properties: {} }, circle('a'));
    assert.deepEqual(draft.faults, [], 'what nobody has touched is not judged');
    draft.chosen = 'a';
    draft.resize(3);
    assert.match(draft.faults[0].words, /less than 5 m/);
    draft.undo();
    draft.addArea([place(0, 0), place(1, 1), place(0, 1), place(1, 0)]);
    assert.match(draft.faults[0].words, /cross each other/);
    draft.identify('a');
    assert.ok(draft.faults.some(({ words }) => /twice/.test(words)));
});

for (const [words, value] of [
    ['no geometry', { type: 'Feature', id: 'a' }], ['a text for coordinates', { id: 'a', geometry: { type: 'Polygon', coordinates: 'x' } }],
    ['numbers for rings', { id: 'a', geometry: { type: 'MultiPolygon', coordinates: [1, [2]] } }], ['an unknown type', { id: 'a', geometry: { type: 'Cube', coordinates: [] } }],
]) {
    test(`a feature with ${words} has a fault, words, and bears every change`, () => {
        assert.match(faultOf(value), /shape is unknown/);
        assert.equal(shapeWords(value), 'Unknown shape');
        const draft = draftOf(value);
        draft.chosen = 'a';
        draft.movePoint(0, 0, place(1, 1));
        draft.insertPoint(0, 0);
        draft.removePoint(0, 0);
        draft.shift(place(1, 1));
        draft.rename('N');
        assert.equal(draft.feature.properties.name, 'N');
    });
}

test('a difference does not depend on the order of keys', () => {
    const one = circle('a');
    const same = { geometry: one.geometry, properties: { name: 'A', radius: 100 }, id: 'a', type: 'Feature' };
    assert.deepEqual(differenceOf([one], [same]), { added: [], changed: [], removed: [] });
    const { added, changed, removed } = differenceOf([one, square('s')], [circle('a', { radius: 200 }), circle('n')]);
    assert.deepEqual([added.map(({ id }) => id), changed.map(changeWords), removed.map(({ id }) => id)],
        [['n'], ['A: Circle, radius 100 m → Circle, radius 200 m'], ['s']]);
    assert.equal(fullWords(one), 'A: Circle, radius 100 m at 40.40000, -3.70000');
});

test('what the page makes fits the schema of the agent', () => {
    const draft = new GeofenceDraft('');
    draft.addCircle(place(40.4, -3.7), 120.7);
    draft.addArea([place(40, -3), place(40, -2.9), place(40.1, -2.9)]);
    draft.rename('Yard');
    draft.insertPoint(0, 1, place(40.05, -2.85));
    const validator = path.join(__dirname, '../../../../Tests/Contract/validator');
    const question = JSON.stringify({ schema: 'geofences', payload: draft.payload });
    assert.deepEqual(JSON.parse(execFileSync(validator, { input: `${question}\n`, encoding: 'utf8' })), { errors: [] });
    assert.deepEqual(draft.faults, []);
});
