'use strict';
process.env.TZ = 'Europe/Madrid';
const test = require('node:test');
const assert = require('node:assert/strict');
const odograph = require('../core.js');
const { noon, iso, stay, trip } = require('../messages.js');

const { speeds: { bandOf, bandWords, hasUnknown, profileOf }, dayEvents: { eventsOfRows, eventsOfDay } } = odograph;

for (const [speed, band] of [[null, -1], [undefined, -1], [0, 0], [29.9 / 3.6, 0], [30.1 / 3.6, 1], [60 / 3.6, 2], [100 / 3.6, 3], [120.1 / 3.6, 4], [300, 4]]) {
    test(`${speed} m/s has the band ${band}`, () => assert.equal(bandOf(speed), band));
}

test('each band has words', () => {
    assert.deepEqual([0, 1, 2, 3, 4].map(bandWords), ['0–30 km/h', '30–50 km/h', '50–80 km/h', '80–120 km/h', '120 km/h and more']);
});

const point = (minutes, speed, more = {}) => ({ at: minutes * 60000, speed, isApart: false, isMoving: true, ...more });

test('a graph has the greatest speed of each column, and nothing where nothing is known', () => {
    const points = [point(0, 5), point(1, 20), point(1.1, 10), point(4, 8), point(8, 6, { isApart: true }), point(10, 0)];
    const { values, greatest, top, from, to } = profileOf({ points }, 10);
    assert.deepEqual(values.map((value) => value), [5, 20, 10, 10, 8, null, null, null, 6, 0]);
    assert.deepEqual([greatest, Math.round(top * 3.6), from, to], [{ at: 60000, speed: 20 }, 90, 0, 600000]);
});

test('a long stop is a time without speed, and a long time without positions is a gap', () => {
    const stop = profileOf({ points: [point(0, 10), point(1, 0, { isMoving: false }), point(60, 0, { isMoving: false })] }, 6);
    assert.deepEqual(stop.values, [10, 0, 0, 0, 0, 0]);
    const gap = profileOf({ points: [point(0, 10), point(60, 10)] }, 6);
    assert.deepEqual(gap.values, [10, null, null, null, null, 10]);
});

test('a day of one position, or without a speed, has a graph', () => {
    assert.deepEqual(profileOf({ points: [point(0, 10)] }, 3).values, [null, null, 10].reverse());
    assert.equal(profileOf({ points: [point(0, null), point(1, null)] }, 3).greatest, null);
});

test('a speed that is not known is none: a graph has a gap there, and nobody calls it slow', () => {
    const points = [point(0, 10), point(2, null), point(5, null), point(6, 8), point(8, null, { isMoving: false }), point(10, null, { isMoving: false })];
    // The first position without a speed is also the end of what is known before it.
    assert.deepEqual(profileOf({ points }, 10).values, [10, 10, 10, null, null, null, 8, 8, 0, 0]);
    assert.equal(hasUnknown(points), true);
    assert.equal(hasUnknown(points.filter(({ speed, isMoving }) => speed !== null || !isMoving)), false, 'who stands has the speed 0');
});

test('the stops of a day of which no trip tells a speed do not give it one', () => {
    const stop = { isMoving: false };
    assert.equal(profileOf({ points: [point(0, 0, stop), point(1, null), point(2, null), point(3, 0, stop)] }, 3).greatest, null);
    assert.deepEqual(profileOf({ points: [point(0, 0, stop), point(3, 0, stop)] }, 3).greatest, { at: 0, speed: 0 });
});

const day = { ...odograph.clock.clockOf(null).dayOf(noon), now: noon + 3600000, privateTags: ['private'], isPrivateNow: false };
const parts = odograph.day.timelineOf([trip('a', 0, 600), trip('b', 600, 1200, { tag: 'private' }), stay('c', 1200, 3000)]
    .map((payload) => odograph.records.readTimeline(JSON.parse(payload))), day).parts;
const row = (seconds, geofence, action) => ({ timestamp: iso(noon + seconds * 1000), epoch: 1, seq: seconds, latitude: 40, longitude: -3, geofence, action });

test('the geofence events of a recorder are those of public time, also at the place of another record', () => {
    const rows = [row(10), row(10, 'depot', 'ENTER'), row(700, 'home', 'ENTER'), row(1300, 'depot', 'EXIT'), row(9000, 'depot', 'ENTER')];
    assert.deepEqual(eventsOfRows(rows, parts).map(({ at, geofence: { identifier, action } }) => [(at - noon) / 1000, identifier, action]),
        [[10, 'depot', 'ENTER'], [1300, 'depot', 'EXIT']]);
});

test('an event of a recorder has the name of its record and happened when the record says, also if the geofence has another name now', () => {
    const crossing = { identifier: 'depot', name: 'North gate', action: 'ENTER', occurred_at: iso(noon + 8000), initial: true };
    const [event] = eventsOfRows([{ ...row(10, 'depot', 'ENTER'), crossing }], parts);
    assert.deepEqual([event.at, event.occurredAt, event.geofence.name, event.geofence.isInitial], [noon + 10000, noon + 8000, 'North gate', true]);
});

test('what the page heard replaces the same event of a recorder, because it tells more, and other days do not count', () => {
    const told = eventsOfRows([row(10, 'depot', 'ENTER'), row(1300, 'depot', 'EXIT')], parts);
    const heard = [{ ...told[0], geofence: { ...told[0].geofence, name: 'Depot', peak: 20 } }, { ...told[0], at: noon - 1e9, occurredAt: noon - 1e9 }];
    assert.deepEqual(eventsOfDay(heard, told, day).map(({ geofence: { name, action } }) => [name, action]), [['', 'EXIT'], ['Depot', 'ENTER']]);
});
