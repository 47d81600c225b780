'use strict';
process.env.TZ = 'Europe/Madrid';
const test = require('node:test');
const assert = require('node:assert/strict');
const odograph = require('../core.js');
const { noon, iso, location, reported, status } = require('../messages.js');

/** What the panel says of a vehicle whose zone is seven hours behind that of the viewer. */
function detailsOf(messages, { zone = 'America/Chicago', offset = 0 } = {}) {
    const fleet = new odograph.Fleet(odograph.settings.readSettings({}, '').settings);
    for (const [channel, payload] of [['reported', reported(-100, { time_zone: zone })], ...messages]) {
        fleet.receive(`fleet/acme/van-1/${channel}`, payload, { now: noon, isRetained: false });
    }
    const vehicle = fleet.vehicles.get('acme/van-1');
    const condition = odograph.condition.conditionOf(vehicle, { now: noon, documents: fleet.documents, lowBattery: 0.2 });
    const past = new odograph.PastDay(vehicle, odograph.clock.clockOf(zone).dayOf(noon, offset));
    return odograph.detailsOf({ vehicle, name: 'van-1', condition },
        { now: noon, past, documents: fleet.documents, privateTags: ['private'], fenceNames: new Map() });
}

const asOf = (details) => details.now.find(({ term }) => term === 'As of').words;
const event = (seconds) => location(seconds, { event: 'geofence', geofence: { identifier: 'Depot', action: 'ENTER', occurred_at: iso(noon + seconds * 1000) } });

test('all times of a panel are those of the vehicle, and it says so', () => {
    const schedule = { within_schedule: true, next_schedule_changes: [{ at: iso(noon + 3600000), within_schedule: false },
        { at: iso(noon + 86400000), within_schedule: true }], configuration: { tracking: { schedule: '* 6 * * *' } } };
    const details = detailsOf([['geofence', event(-600)], ['reported', reported(-60, { time_zone: 'America/Chicago', ...schedule })],
        ['status', JSON.stringify({ ...JSON.parse(status('online', 1)), problems: [{ code: 'a', text: 'b', since: iso(noon - 7200000) }] })]]);
    assert.equal(details.zoneWords, 'Times of the vehicle: America/Chicago, UTC−6');
    assert.equal(asOf(details), '05:50:00, 10 min ago');
    assert.deepEqual(details.fenceEvents.map(({ time }) => time), ['05:50']);
    assert.equal(details.schedule.words, 'Within schedule until 07:00, in 1 h 00 min.');
    assert.deepEqual(details.schedule.changes.map(({ words }) => words), ['Sat 21 Nov, 07:00', 'Sun 22 Nov, 06:00']);
    assert.deepEqual([details.reported.problems, details.reported.at], [['b (since 04:00)'], '05:59']);
    assert.equal(detailsOf([['location', location(0)]], { zone: 'Europe/Madrid' }).zoneWords, '');
});

test('a geofence event of a day before is told by its time, as the stops and trips of that day', () => {
    assert.deepEqual(detailsOf([['geofence', event(-86400)]], { offset: -1 }).fenceEvents.map(({ time }) => time), ['06:00']);
});

test('a vehicle that was switched off a year ago has the year', () => {
    const stopped = JSON.stringify({ ...JSON.parse(status('offline', 1, 'stopped')), timestamp: '2025-11-29T17:26:00.000Z' });
    assert.equal(detailsOf([['status', stopped]]).words, 'Off since Sat 29 Nov 2025, 11:26');
});

for (const [seconds, words] of [[-4, '4 s ago'], [3, '0 s ago'], [5, '5 s ahead of the clock of this machine'], [300, '5 min ahead of the clock of this machine']]) {
    test(`a position of ${seconds} s after now is ${words}`, () => {
        assert.ok(asOf(detailsOf([['location', location(seconds)]])).endsWith(`, ${words}`));
    });
}
