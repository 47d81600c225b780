'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const odograph = require('../core.js');
const { noon, location, stay, reported, status } = require('../messages.js');

const settings = odograph.settings.readSettings({}, '').settings;
const live = { now: noon, isRetained: false };
const kept = { now: noon, isRetained: true };

function fleetOf(...messages) {
    const fleet = new odograph.Fleet(settings);
    for (const [channel, payload, circumstances = live] of messages) {
        fleet.receive(`fleet/acme/van-1/${channel}`, payload, circumstances);
    }
    return { fleet, vehicle: fleet.vehicles.get('acme/van-1') };
}

const trailTimes = ({ trail }) => Array.from(trail.times.subarray(0, trail.length), (at) => (at - noon) / 1000);

test('a late record fills in the past and does not move the mark', () => {
    const { vehicle } = fleetOf(['location', location(100)], ['location/backlog', location(40)],
        ['location/backlog', location(60)]);
    assert.equal(vehicle.fix.at, noon + 100000);
    assert.deepEqual(trailTimes(vehicle), [40, 60, 100]);
});

test('records in every order and told twice come to the same', () => {
    const messages = [10, 20, 30, 40].map((seconds) => location(seconds));
    const orders = permutations(messages);
    assert.equal(orders.length, 24);
    for (const order of orders) {
        const { vehicle } = fleetOf(...[...order, ...order].map((payload) => ['location', payload]));
        assert.deepEqual(trailTimes(vehicle), [10, 20, 30, 40]);
        assert.equal(vehicle.fix.seq, 40);
    }
});

test('a record of a clock that was wrong is still the newest by its number, and one of another epoch by its time', () => {
    const { vehicle } = fleetOf(['location', location(900, { seq: 5 })], ['location', location(10, { seq: 6 })]);
    assert.equal(vehicle.fix.seq, 6);
    const anew = fleetOf(['location', location(10, { seq: 500 })], ['location', location(20, { seq: 1, epoch: 2 })]);
    assert.equal(anew.vehicle.fix.epoch, 2);
    // The new epoch of a vehicle with a new disk and without a clock can be the smaller one.
    const smaller = fleetOf(['location', location(10, { seq: 500, epoch: 9 })], ['location', location(20, { seq: 1, epoch: 2 })]);
    assert.equal(smaller.vehicle.fix.epoch, 2);
    const late = fleetOf(['location', location(20, { seq: 1, epoch: 2 })], ['location', location(10, { seq: 500, epoch: 9 })]);
    assert.equal(late.vehicle.fix.epoch, 2);
    const ahead = fleetOf(['location', location(3 * 86400, { epoch: 9 })], ['location', location(20, { seq: 1, epoch: 2 })]);
    assert.equal(ahead.vehicle.fix.epoch, 2);
});

test('an update of a stop replaces the older one, whichever comes first', () => {
    const [old, young] = [stay('a', 0, null, { updated: 10 }), stay('a', 0, 300, { updated: 300 })];
    for (const order of [[old, young], [young, old], [young, young, old]]) {
        const { vehicle } = fleetOf(...order.map((payload) => ['timeline', payload]));
        assert.equal(vehicle.stays.get('a').end, noon + 300000);
        assert.equal(vehicle.stays.size, 1);
    }
});

test('a geofence event is kept once, announced when it is live, and not when it is late or kept', () => {
    const event = (seconds) => location(seconds, { event: 'geofence', geofence: { identifier: 'depot', action: 'ENTER' } });
    const [first, late] = [event(10), event(5)];
    const { fleet, vehicle } = fleetOf(['geofence', first], ['geofence', first], ['geofence/backlog', late]);
    assert.deepEqual(vehicle.fenceEvents.map(({ at }) => (at - noon) / 1000), [10, 5]);
    assert.equal(fleet.news.length, 1);
});

test('a private record leaves no place behind', () => {
    const { vehicle } = fleetOf(['location', location(10)], ['location', location(20, { tag: 'private' })]);
    assert.equal(vehicle.fix.at, noon + 10000);
    assert.deepEqual(trailTimes(vehicle), [10]);
    assert.equal('latitude' in vehicle.privately, false);
});

test('the late will of an earlier connection is not believed', () => {
    const { vehicle } = fleetOf(['status', status('online', 7)], ['status', status('offline', 6)]);
    assert.equal(vehicle.status.isOnline, true);
});

test('a vehicle whose connections are counted anew, after a loss of its disk, is online', () => {
    const { vehicle } = fleetOf(['status', status('online', 7)], ['status', status('offline', 7)], ['status', status('online', 1)]);
    assert.equal(vehicle.status.isOnline, true);
    vehicle.takeStatus({ ...vehicle.status, isOnline: false });
    assert.equal(vehicle.status.isOnline, false);
});

test('an older report does not replace a newer one, unless that has a date from a wrong clock in the future', () => {
    const { vehicle } = fleetOf(['reported', reported(20)], ['reported', reported(10)]);
    assert.equal(vehicle.reported.at, noon + 20000);
    const ahead = fleetOf(['reported', reported(3 * 86400)], ['reported', reported(10)]);
    assert.equal(ahead.vehicle.reported.at, noon + 10000);
});

test('a report without its configuration has the one before, and none where that was another', () => {
    const configuration = { tracking: { schedule: '* 8 * * *' } };
    const first = ['reported', reported(10, { configuration, configuration_hash: 'x' })];
    const later = (hash) => ['reported', reported(20, { configuration: undefined, configuration_hash: hash })];
    assert.deepEqual(fleetOf(first, later('x')).vehicle.reported.configuration.expressions, ['* 8 * * *']);
    assert.equal(fleetOf(first, later('y')).vehicle.reported.configuration, null);
});

test('a vehicle is called by its fleet too where there are several', () => {
    const { fleet, vehicle } = fleetOf(['location', location(1)]);
    assert.equal(fleet.nameOf(vehicle), 'van-1');
    fleet.receive('fleet/other/van-1/location', location(1), live);
    assert.equal(fleet.nameOf(vehicle), 'acme/van-1');
});

test('a vehicle that was removed from the broker is gone, with its fleet, and there again if it speaks', () => {
    const { fleet, vehicle } = fleetOf(['location', location(1)], ['status', status('online', 1)], ['location', ''], ['reported', '']);
    fleet.receive('fleet/other/van-1/location', location(1), live);
    assert.equal(fleet.vehicles.get('acme/van-1'), vehicle);
    fleet.changed.clear();
    fleet.receive('fleet/acme/van-1/status', '', live);
    assert.deepEqual([[...fleet.vehicles.keys()], [...fleet.fleetNames], fleet.changed.size, fleet.counters.unreadable], [['other/van-1'], ['other'], 1, 0]);
    fleet.receive('fleet/acme/van-1/status', '', live);
    fleet.receive('fleet/acme/van-1/location', location(2), live);
    assert.equal(fleet.vehicles.get('acme/van-1').trail.length, 1);
});

test('a kept record was heard when it was made, a live one now', () => {
    assert.equal(fleetOf(['location', location(-600), kept]).vehicle.heardAt, noon - 600000);
    assert.equal(fleetOf(['location', location(-600), live]).vehicle.heardAt, noon);
});

for (const payload of ['', 'no JSON', '[]', '{}', '{"location":{}}', '{"location":{"timestamp":"x","coords":{}}}',
    '{"location":{"timestamp":"2026-11-21T12:00:00.000Z","coords":{"latitude":91,"longitude":0}}}', 'null', '"text"']) {
    test(`what is no record changes nothing: ${payload || 'an empty payload'}`, () => {
        const { fleet, vehicle } = fleetOf(['location', payload], ['timeline', payload], ['status', payload],
            ['reported', payload], ['geofence', payload]);
        assert.equal(vehicle, undefined);
        assert.equal(fleet.counters.unreadable, payload === '' ? 0 : 5);
    });
}

test('memory is bounded: trail, stops and events', () => {
    const messages = [];
    for (let i = 0; i < 1000; i += 1) {
        messages.push(['location', location(i)], ['timeline', stay(`s${i}`, i, i + 1)],
            ['geofence', location(i, { geofence: { identifier: 'a', action: 'ENTER' } })]);
    }
    const { fleet, vehicle } = fleetOf(...messages);
    assert.equal(vehicle.trail.length, 240);
    assert.equal(vehicle.stays.size, 400);
    assert.equal(vehicle.stays.has('s999'), true);
    assert.equal(vehicle.fenceEvents.length, 100);
    assert.equal(fleet.news.length, 20);
});

function permutations(items) {
    if (items.length < 2) return [items];
    return items.flatMap((item, index) => (
        permutations([...items.slice(0, index), ...items.slice(index + 1)]).map((rest) => [item, ...rest])));
}
