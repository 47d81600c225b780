'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const { nearest: { metersBetween, nearestOf } } = require('../core.js');

for (const [words, one, other, meters] of [
    ['the same place', [40, -3], [40, -3], 0], ['a degree of latitude', [40, -3], [41, -3], 111195],
    ['a degree of longitude at 60° north', [60, 10], [60, 11], 55597], ['over the antimeridian', [0, 179.5], [0, -179.5], 111195],
    ['the other side of the earth', [0, 0], [0, 180], 20015115],
]) {
    test(`the distance of ${words} is ${meters} m`, () => {
        const [a, b] = [one, other].map(([latitude, longitude]) => ({ latitude, longitude }));
        assert.ok(Math.abs(metersBetween(a, b) - meters) < 2, String(metersBetween(a, b)));
    });
}

const entry = (name, latitude, more = {}) => ({
    vehicle: { key: `acme/${name}`, fix: latitude === null ? null : { latitude, longitude: -3 } }, name, condition: { isPrivate: false, ...more } });

test('vehicles are listed by distance; a private one and one without a position are not', () => {
    const entries = [entry('far', 41), entry('near', 40.01), entry('hidden', 40, { isPrivate: true }), entry('none', null), entry('here', 40)];
    const found = nearestOf(entries, { latitude: 40, longitude: -3 });
    assert.deepEqual(found.map(({ name, meters }) => [name, Math.round(meters)]), [['here', 0], ['near', 1112], ['far', 111195]]);
    assert.equal(nearestOf(Array.from({ length: 80 }, (_, index) => entry(`v${index}`, 40)), { latitude: 40, longitude: -3 }).length, 50);
});
