'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const odograph = require('../core.js');
const { location, stay, trip } = require('../messages.js');

const spot = (x, y, name) => ({ x, y, name });

test('marks that lie on each other are a pile, with the one that is painted last on top', () => {
    const spots = [spot(100, 100, 'a'), spot(103, 101, 'b'), spot(100, 99, 'c'), spot(300, 100, 'd'), spot(115, 100, 'e')];
    const piles = odograph.pilesOf(spots, 9).map((pile) => pile.map(({ name }) => name));
    assert.deepEqual(piles, [['e'], ['d'], ['c', 'b', 'a']]);
});

test('each mark is in one pile, however many there are', () => {
    let seed = 1;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    const spots = Array.from({ length: 3000 }, (_, index) => spot(random() * 300 - 20, random() * 300 - 20, index));
    const piles = odograph.pilesOf(spots, 9);
    assert.deepEqual(piles.flat().map(({ name }) => name).sort((a, b) => a - b), spots.map(({ name }) => name));
    for (const [top, ...others] of piles) for (const other of others) assert.ok(Math.hypot(top.x - other.x, top.y - other.y) < 9);
});

test('the overview is of all positions, but not of few that are far from a fleet in one region', () => {
    const { overviewOf } = odograph.overview;
    const place = (latitude, longitude) => odograph.mercator.project(latitude, longitude);
    const madrid = Array.from({ length: 49 }, (_, index) => place(40 + index / 100, -3 - index / 100));
    const near = overviewOf(madrid);
    assert.equal(overviewOf([]), null);
    assert.deepEqual(overviewOf([...madrid, place(0, 0)]).right, near.right);
    const lisbon = overviewOf([...madrid, place(38.7, -9.1)]);
    assert.ok(lisbon.left < near.left, 'a vehicle in the same part of the world counts');
    const both = overviewOf([...madrid, ...Array.from({ length: 20 }, () => place(40.7, -74))]);
    assert.ok(both.left < 0.3 && both.right > 0.49, 'a fleet on two continents is shown whole');
});

function fleetOf(...messages) {
    const fleet = new odograph.Fleet(odograph.settings.readSettings({}, '').settings);
    for (const [channel, payload] of messages) fleet.receive(`fleet/acme/van-1/${channel}`, payload, { now: 0, isRetained: false });
    return fleet.vehicles.get('acme/van-1');
}

test('no trail leads through a time that was not tracked, or that is private', () => {
    const away = { type: 'OFF_THE_GRID', location: undefined, reason: 'off_schedule' };
    const vehicle = fleetOf(['location', location(10)], ['timeline', stay('a', 15, 25, away)], ['location', location(30)],
        ['timeline', trip('b', 35, 45, { tag: 'private' })], ['location', location(50)], ['location', location(60)]);
    const isUntracked = vehicle.untracked.walk();
    const { times } = vehicle.trail;
    assert.deepEqual([1, 2, 3].map((index) => isUntracked(times[index - 1], times[index])), [true, true, false]);
});

test('a trail can be made longer for a while, and keeps its newest points', () => {
    const vehicle = fleetOf(...Array.from({ length: 250 }, (_, index) => ['location', location(index)]));
    assert.equal(vehicle.trail.length, 240);
    vehicle.watch(true);
    vehicle.trail.add(vehicle.trail.times[0] - 5000, 0.5, 0.5);
    assert.equal(vehicle.trail.length, 241);
    vehicle.watch(false);
    const { times, length, capacity } = vehicle.trail;
    assert.deepEqual([length, capacity, times[239] - times[0]], [240, 240, 239000]);
});

/** A view of the world as large as this many pixels, with its middle at a place of the map's square. */
const viewAt = (middle, world = 4096, width = 1000) => ({ world, left: middle * world - width / 2, top: 0, width, height: 500 });

for (const [longitude, middle, words] of [[179, 179, 'east'], [-179, 179, 'west'], [179, -179, 'east'], [-179, -179, 'west'], [179, 539, 'east'], [-3, -3, 'east']]) {
    test(`a place at ${longitude}° is seen in a view of ${middle}°, on the side of the ${words}`, () => {
        const { project, leftFor } = odograph.mercator;
        const view = viewAt(middle / 360 + 0.5);
        const { x } = project(0, longitude);
        const distance = x * view.world - leftFor(x, view) - 500;
        const degrees = (longitude - middle) - 360 * Math.round((longitude - middle) / 360);
        assert.ok(Math.abs(distance - degrees / 360 * view.world) < 1e-6, `${distance} px`);
    });
}

test('a way over the 180th meridian leads over it, and on a view of the whole world is interrupted there', () => {
    const { project, wayOnScreen } = odograph.mercator;
    const points = [178, 179, -179, -178].map((longitude) => project(0, longitude));
    const near = wayOnScreen(points, viewAt(1)).map((point) => Math.round(point[0]));
    assert.deepEqual(near, [477, 489, 511, 523]);
    const far = wayOnScreen(points, viewAt(0.5, 1024));
    assert.deepEqual(far.map((point) => point === null), [false, false, true, false, false]);
});
