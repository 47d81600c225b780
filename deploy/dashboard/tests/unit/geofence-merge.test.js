'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const { geofenceMerge: { disputesOf, merged, plainChoices } } = require('../core.js');

const circle = (id, radius) => ({ type: 'Feature', id, properties: { radius, name: id }, geometry: { type: 'Point', coordinates: [0, 0] } });
const base = [circle('kept', 10), circle('own', 10), circle('theirs', 10), circle('both', 10), circle('gone', 10), circle('dropped', 10)];
const own = [circle('kept', 10), circle('own', 20), circle('theirs', 10), circle('both', 20), circle('dropped', 10), circle('mine', 20)];
const other = [circle('kept', 10), circle('own', 10), circle('theirs', 30), circle('both', 30), circle('gone', 10), circle('new', 30)];
const disputes = disputesOf(base, own, other);

test('each geofence of which two versions differ says who has changed it', () => {
    assert.deepEqual(Object.fromEntries(disputes.map(({ id, changedBy }) => [id, changedBy])), {
        own: 'own', theirs: 'other', both: 'both', gone: 'own', new: 'other', dropped: 'other', mine: 'own',
    });
    const both = disputes.find(({ id }) => id === 'both');
    assert.deepEqual([both.ownWords, both.otherWords], ['both: Circle, radius 20 m at 0.00000, 0.00000', 'both: Circle, radius 30 m at 0.00000, 0.00000']);
    assert.equal(disputes.find(({ id }) => id === 'gone').ownWords, 'removed');
    assert.equal(disputes.find(({ id }) => id === 'new').ownWords, 'not there');
});

test('what only one has changed needs no choice, and what both have changed does', () => {
    assert.deepEqual([...plainChoices(disputes).keys()].includes('both'), false);
    assert.equal(plainChoices(disputes).size, disputes.length - 1);
});

test('two versions become one: the changes of both, and the chosen version of what both have changed', () => {
    for (const [choice, radius] of [['own', 20], ['other', 30]]) {
        const features = merged(own, other, disputes, new Map([...plainChoices(disputes), ['both', choice]]));
        assert.deepEqual(Object.fromEntries(features.map(({ id, properties }) => [id, properties.radius])),
            { kept: 10, own: 20, theirs: 30, both: radius, new: 30, mine: 20 });
    }
});

test('all of one side is that side', () => {
    const all = (version) => new Map(disputes.map(({ id }) => [id, version]));
    const sorted = (features) => [...features].sort((one, two) => (one.id < two.id ? -1 : 1));
    assert.deepEqual(sorted(merged(own, other, disputes, all('own'))), sorted(own));
    assert.deepEqual(sorted(merged(own, other, disputes, all('other'))), sorted(other));
});

test('the same change of both is no dispute', () => {
    assert.deepEqual(disputesOf(base, [circle('kept', 50)], [circle('kept', 50)]), []);
});
