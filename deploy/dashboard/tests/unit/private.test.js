'use strict';
process.env.TZ = 'Europe/Madrid';
const test = require('node:test');
const assert = require('node:assert/strict');
const odograph = require('../core.js');
const { noon, iso, stay, trip } = require('../messages.js');
const { trackOfRows, trackOfParts } = odograph.track;
const { positionsCSV, timelineCSV, gpx } = odograph.exports;

const vehicle = { fleet: 'acme', name: 'van-1' };
const day = { ...odograph.clock.clockOf(null).dayOf(noon), now: noon + 36000000, isOnline: true, privateTags: ['private'] };
/** The latitudes of positions, by which their use is known in each text. */
const [publicLatitude, privateLatitude] = [40.5, 51.25];

/** mulberry32, so that each seed gives one timeline. */
function generator(seed) {
    let state = seed;
    return (count) => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
    };
}

/** A timeline in which private use borders on everything, with positions at all boundaries and at random times. */
function scene(seed) {
    const random = generator(seed);
    const [events, rows] = [[], []];
    let at = -6 * 3600;
    for (let number = 0; number < 40; number += 1) {
        const end = at + 60 + random(900);
        const use = ['ordinary', 'tagged', 'time', 'unmarked', 'tag'][random(5)];
        const isPrivate = !['ordinary', 'tagged'].includes(use);
        const latitude = isPrivate ? privateLatitude : publicLatitude;
        const isOpen = number === 39;
        const hasPlace = !isPrivate || use === 'tag';
        const words = { tagged: { tag: 'late' }, tag: { tag: 'private' }, time: { is_private: true } }[use] ?? {};
        const isTrip = random(2) === 0;
        const placed = isTrip
            ? { waypoints: hasPlace && !isOpen ? [at, end - 1].map((time) => ({ latitude, longitude: -3, timestamp: iso(noon + time * 1000) })) : undefined }
            : {
                location: hasPlace ? { latitude, longitude: -3, accuracy: 5 } : undefined,
                venue: hasPlace ? { identifier: `i${number}`, name: isPrivate ? 'Secret' : 'Depot' } : undefined,
            };
        const until = isOpen ? null : end;
        const more = { ...words, ...placed, driver: isPrivate ? 'secret driver' : 'Ann' };
        events.push({ start: at, end: until ?? Infinity, isPrivate, payload: (isTrip ? trip : stay)(`e${number}`, at, until, more) });
        // The first position after private time has the time of its end, and the last one before it that of its begin.
        if (hasPlace) for (const time of new Set([at, at + random(end - at), end - 1])) rows.push({ time, latitude });
        else if (events.at(-2)?.isPrivate === false) rows.push({ time: at, latitude: publicLatitude });
        at = end;
    }
    const points = rows.map(({ time, latitude }, index) => ({
        timestamp: iso(noon + time * 1000), epoch: 1, seq: index + 1, latitude, longitude: -3, speed: 10, is_moving: true, odometer: 1,
    }));
    return { events, points };
}

test('the track, its files and the table of a day tell of private use no more than distances and times', () => {
    let [hidden, shown] = [0, 0];
    for (let seed = 1; seed <= 60; seed += 1) {
        const { events, points } = scene(seed);
        const stays = events.map(({ payload }) => odograph.records.readTimeline(JSON.parse(payload)));
        const { parts } = odograph.day.timelineOf(stays, { ...day, isPrivateNow: events.at(-1).isPrivate });
        assert.deepEqual(parts.map(({ isPrivate }) => isPrivate), events.map(({ isPrivate }) => isPrivate), `seed ${seed}`);
        for (const track of [trackOfRows(points, parts), trackOfParts(parts)]) {
            for (const { at, latitude } of track.points) {
                assert.equal(latitude, publicLatitude, `seed ${seed}`);
                const time = (at - noon) / 1000;
                assert.ok(!events.some(({ isPrivate, start, end }) => isPrivate && time >= start && time < end), `seed ${seed}: ${time}`);
            }
            const text = positionsCSV(track, vehicle) + gpx(track, vehicle);
            assert.ok(!text.includes(String(privateLatitude)), `seed ${seed}`);
            [hidden, shown] = [hidden + points.length - track.points.length, shown + track.points.length];
        }
        const table = timelineCSV(parts, vehicle);
        assert.ok(!/secret/i.test(table) && !table.includes(String(privateLatitude)), `seed ${seed}`);
        assert.match(table, /Depot/);
        for (const { isPrivate, place, venue, driver, tag, waypoints, significance } of parts) {
            if (isPrivate) assert.deepEqual([place, venue, driver, tag, waypoints, significance], [null, null, null, null, [], null]);
        }
    }
    assert.ok(hidden > 100 && shown > 100, 'both kinds of positions are there');
});
