'use strict';
process.env.TZ = 'Europe/Madrid';
const test = require('node:test');
const assert = require('node:assert/strict');
const odograph = require('../core.js');
const { noon, iso, stay, trip } = require('../messages.js');
const { trackOfRows, trackOfParts, positionAt } = odograph.track;
const { positionsCSV, timelineCSV, gpx } = odograph.exports;

const minute = 60;
const vehicle = { fleet: 'acme', name: 'van-1' };
const day = { ...odograph.clock.clockOf(null).dayOf(noon), now: noon + 3600000, isOnline: true, privateTags: ['private'], isPrivateNow: false };
const partsOf = (...payloads) => odograph.day.timelineOf(payloads.map((payload) => odograph.records.readTimeline(JSON.parse(payload))), day).parts;
const row = (seconds, rest = {}) => ({
    timestamp: iso(noon + seconds * 1000), epoch: 1, seq: seconds + 1, latitude: 40 + seconds / 1e5, longitude: -3, speed: 10,
    heading: 0, is_moving: true, odometer: seconds * 10, ...rest,
});
const seconds = (track) => track.points.map(({ at }) => (at - noon) / 1000);
const drive = partsOf(trip('a', 0, 40 * minute));

test('a track is in order of time, and a place that is told twice is there once', () => {
    const rows = [row(20), row(0), row(10), row(10, { geofence: 'depot', action: 'ENTER' }), { latitude: 'x' }];
    assert.deepEqual(seconds(trackOfRows(rows, drive)), [0, 10, 20]);
});

for (const [words, parts, expected] of [
    ['in a trip with a private tag', partsOf(trip('a', 0, 15), trip('b', 15, 35, { tag: 'private' }), trip('c', 35, 60)), [0, 10, 40, 50]],
    ['in a stop without its place', partsOf(trip('a', 0, 15), stay('b', 15, 60, { location: undefined })), [0, 10]],
    ['of a time that no stop or trip covers', partsOf(trip('a', 25, 45)), [30, 40]],
    ['in an event that was withdrawn', partsOf(stay('a', 0, 60, { withdrawn: true })), []],
    ['in a trip that lasts', partsOf(trip('a', 25, null)), [30, 40, 50]],
]) {
    test(`positions ${words} are ${words.includes('lasts') ? 'shown' : 'left out'}`, () => {
        assert.deepEqual(seconds(trackOfRows([0, 10, 20, 30, 40, 50].map((at) => row(at)), parts)), expected);
    });
}

test('without positions, the routes of the trips and the places of the stops are the track', () => {
    const waypoints = [0, 5, 9].map((at) => ({ latitude: 40 + at / 100, longitude: -3, timestamp: iso(noon + at * 60000), speed: 9 }));
    const track = trackOfParts(partsOf(trip('a', 0, 10 * minute, { waypoints }), stay('b', 10 * minute, 20 * minute),
        stay('c', 20 * minute, 30 * minute, { location: undefined })));
    assert.deepEqual(track.points.map(({ at, isMoving }) => [Math.round((at - noon) / 60000), isMoving]),
        [[0, null], [5, null], [9, null], [10, false], [20, false]]);
    assert.equal(track.isSimplified, true);
});

test('between two positions on both sides of the 180th meridian the vehicle is there', () => {
    const { longitude } = positionAt(trackOfRows([row(0, { longitude: 179.9 }), row(100, { longitude: -179.9 })], drive), noon + 75000);
    assert.ok(Math.abs(longitude + 179.95) < 1e-6, String(longitude));
});

for (const [words, at, latitude, isKnown] of [
    ['before the first position', -60, 40, true],
    ['at a position', 100, 40.001, true],
    ['between two positions', 50, 40.0005, true],
    ['in a long time without one', 1000, 40.001, false],
    ['after the last position', 9999, 40.02, true],
]) {
    test(`${words} the vehicle is at ${latitude}`, () => {
        const found = positionAt(trackOfRows([row(0), row(100), row(2000)], drive), noon + at * 1000);
        assert.equal(found.latitude.toFixed(6), latitude.toFixed(6));
        assert.equal(found.isKnown, isKnown);
    });
}

test('a track without a position has no place', () => assert.equal(positionAt({ points: [] }, noon), null));

test('positions are saved as a table whose texts are no formulas', () => {
    const track = trackOfRows([row(0, { event: 'motionchange' }), row(10, { geofence: '=HYPERLINK("x")', action: 'ENTER', speed: undefined })], drive);
    assert.deepEqual(positionsCSV(track, vehicle).trim().split('\n'), [
        'time,fleet,device,kind,event,geofence,latitude,longitude,accuracy,altitude,speed,heading,is_moving,odometer,mock',
        '2026-11-21T12:00:00.000Z,acme,van-1,location,motionchange,,40,-3,,,10,0,1,0,0',
        '2026-11-21T12:00:10.000Z,acme,van-1,geofence,ENTER,"\'=HYPERLINK(""x"")",40.0001,-3,,,,0,1,100,0',
    ]);
});

test('stops and trips are saved as a table, with drivers, tags and places; private ones have times and distances', () => {
    const depot = { identifier: 'depot', name: 'Depot, north' };
    const parts = partsOf(stay('z', -600, 0, { venue: depot }),
        trip('a', 0, 600, { distance_in_meters: 5200, driver: '42', tag: 'work' }), stay('b', 600, 900),
        trip('p', 900, 1200, { tag: 'private', driver: '42', distance_in_meters: 7 }),
        stay('c', 1200, null, { location: undefined, venue: depot, tag: 'private' }));
    assert.deepEqual(timelineCSV(parts, vehicle).trim().split('\n'), [
        'start,end,fleet,device,kind,what,is_private,duration,distance,driver,tag,from,from_latitude,from_longitude,to,to_latitude,to_longitude',
        '2026-11-21T11:50:00.000Z,2026-11-21T12:00:00.000Z,acme,van-1,stop,"Depot, north",0,600,,,,"Depot, north",40,-3,"Depot, north",40,-3',
        '2026-11-21T12:00:00.000Z,2026-11-21T12:10:00.000Z,acme,van-1,trip,Car,0,600,5200,42,work,"Depot, north",40,-3,,40.1,-3',
        '2026-11-21T12:10:00.000Z,2026-11-21T12:15:00.000Z,acme,van-1,stop,Stop,0,300,,,,,40,-3,,40,-3',
        '2026-11-21T12:15:00.000Z,2026-11-21T12:20:00.000Z,acme,van-1,trip,Private trip,1,300,7,,,,,,,,',
        '2026-11-21T12:20:00.000Z,,acme,van-1,stop,Private stop,1,2400,,,,,,,,,',
    ]);
});

for (const [words, between, isApart] of [
    ['that was not tracked', stay('b', 15, 25, { type: 'OFF_THE_GRID', location: undefined, reason: 'off_schedule' }), true],
    ['of a private trip', trip('b', 15, 25, { tag: 'private' }), true],
    ['of another trip', trip('b', 15, 25), false],
]) {
    test(`a track ${isApart ? 'does not lead' : 'leads'} through a time ${words}`, () => {
        const track = trackOfRows([10, 30].map((at) => row(at)), partsOf(trip('a', 0, 15), between, trip('c', 25, 60)));
        assert.deepEqual(track.points.map((point) => point.isApart), [false, isApart]);
        assert.equal(positionAt(track, noon + 20000).isKnown, !isApart);
        assert.equal(gpx(track, { name: 'v' }).match(/<trkseg>/g).length, isApart ? 2 : 1);
    });
}

test('a track is saved as GPX, in segments', () => {
    const far = partsOf(trip('a', 0, 30000));
    const text = gpx(trackOfRows([row(0, { altitude: 667 }), row(9000, { mock: true, speed: undefined, heading: undefined })], far),
        { name: '<van & "1">' });
    assert.match(text, /<name>&lt;van &amp; &quot;1&quot;&gt;<\/name>/);
    assert.equal(text.match(/<trkseg>/g).length, 2);
    assert.match(text, /<trkpt lat="40\.0000000" lon="-3\.0000000"><ele>667\.00<\/ele><time>2026-11-21T12:00:00\.000Z<\/time><extensions>/);
    assert.match(text, /<trkpt lat="40\.0900000" lon="-3\.0000000"><time>2026-11-21T14:30:00\.000Z<\/time><src>mock<\/src><\/trkpt>/);
});
