'use strict';
process.env.TZ = 'Europe/Madrid';
const test = require('node:test');
const assert = require('node:assert/strict');
const odograph = require('../core.js');
const { noon, stay, trip } = require('../messages.js');
const { timelineOf, domainOf } = odograph.day;
const { clockOf } = odograph.clock;

const hour = 3600;
const read = (payload) => odograph.records.readTimeline(JSON.parse(payload));
const day = { ...clockOf(null).dayOf(noon), now: noon, isOnline: true, privateTags: ['private'], isPrivateNow: false };

/** The day as one letter an hour: s a stop, t a trip, a away, capitals for private ones. */
function drawn(timeline) {
    let line = '';
    for (let at = timeline.start + hour * 500; at < timeline.end; at += hour * 1000) {
        const part = timeline.parts.find(({ from, to }) => from <= at && at < to);
        const letter = part === undefined ? '.' : part.kind[0];
        line += part?.isPrivate ? letter.toUpperCase() : letter;
    }
    return line;
}

const away = (id, start, end) => stay(id, start * hour, end * hour, { type: 'OFF_THE_GRID', location: undefined, reason: 'no_fix' });
// Noon in UTC is one o'clock in Madrid in winter.
for (const [words, events, line] of [
    ['nothing is known of', [], '........................'],
    ['began on the day before', [stay('a', -30 * hour, -5 * hour)], 'ssssssss................'],
    ['lasts until now', [trip('a', -2 * hour, null)], '...........tt...........'],
    ['has stops, trips and a gap', [stay('a', -13 * hour, -6 * hour), trip('b', -6 * hour, -4 * hour), away('c', -4, -2),
        stay('d', -2 * hour, null)], 'sssssssttaass...........'],
    ['came in another order', [stay('d', -2 * hour, null), trip('b', -6 * hour, -4 * hour)], '.......tt..ss...........'],
    ['has a private trip that lasts, because it says so', [trip('b', -6 * hour, null, { is_private: true, waypoints: undefined })],
        '.......TTTTTT...........'],
    ['has a private trip by its tag', [trip('b', -6 * hour, -4 * hour, { tag: 'private' })], '.......TT...............'],
    ['has a trip without its way, which only private ones lack', [trip('b', -6 * hour, -4 * hour, { waypoints: undefined })],
        '.......TT...............'],
    ['has two revisions that overlap', [stay('a', -6 * hour, -2 * hour), trip('b', -3 * hour, null)],
        '.......sssttt...........'],
    ['has a stop that was withdrawn, and the trip went on', [trip('b', -6 * hour, null),
        stay('c', -3 * hour, -3 * hour, { type: 'UNKNOWN', location: undefined, withdrawn: true })], '.......tttttt...........'],
    ['is tomorrow', [trip('a', 20 * hour, 22 * hour)], '........................'],
]) {
    test(`a day that ${words}: ${line}`, () => {
        assert.equal(drawn(timelineOf(events.map(read), day)), line);
    });
}

test('a day has the hours that its zone gives it', () => {
    const hours = (text) => {
        const { start, end } = clockOf(null).dayOf(Date.parse(text));
        return (end - start) / 3600000;
    };
    assert.deepEqual([hours('2026-03-29T10:00:00Z'), hours('2026-10-25T10:00:00Z'), hours('2026-11-21T10:00:00Z')], [23, 25, 24]);
    assert.equal(clockOf(null).dayOf(noon, -1).end, clockOf(null).dayOf(noon).start);
});

for (const [zone, text, date, start, end] of [
    ['America/New_York', '2026-11-22T04:59:59Z', '2026-11-21', '2026-11-21T05:00:00Z', '2026-11-22T05:00:00Z'],
    ['Asia/Kathmandu', '2026-11-21T18:14:59Z', '2026-11-21', '2026-11-20T18:15:00Z', '2026-11-21T18:15:00Z'],
    ['Pacific/Kiritimati', '2026-11-21T10:00:00Z', '2026-11-22', '2026-11-21T10:00:00Z', '2026-11-22T10:00:00Z'],
    // Midnight does not exist on this day: the clock goes from 23:59 to 01:00.
    ['America/Santiago', '2026-09-06T12:00:00Z', '2026-09-06', '2026-09-06T04:00:00Z', '2026-09-07T03:00:00Z'],
    ['No/Such_Zone', '2026-11-21T12:00:00Z', '2026-11-21', '2026-11-20T23:00:00Z', '2026-11-21T23:00:00Z'],
]) {
    test(`${text} is on ${date} in ${zone}`, () => {
        const iso = (at) => new Date(at).toISOString().replace('.000', '');
        const found = clockOf(zone).dayOf(Date.parse(text));
        assert.deepEqual([found.date, iso(found.start), iso(found.end)], [date, start, end]);
    });
}

// Noon in UTC is one o'clock in Madrid; hours are those of the day.
for (const [words, spans, from, to, step] of [
    ['nothing is known of', [], 0, 24, 6],
    ['the last ten minutes are known of', [[12.84, 13]], 12 + 50 / 60, 13, 1 / 12],
    ['the morning is known of', [[9.2, 13]], 9, 13, 1],
    ['everything is known of', [[0, 13]], 0, 15, 3],
]) {
    test(`the bar of a day that ${words} goes from ${from.toFixed(2)} to ${to}`, () => {
        const at = (hours) => Math.round(day.start + hours * 3600000);
        const knowledge = { spans: spans.map(([first, last]) => ({ from: at(first), to: at(last) })) };
        const domain = domainOf({ ...day, parts: [], knowledge }, noon);
        assert.deepEqual([domain.from, domain.to], [at(from), at(to)]);
        assert.equal(domain.ticks[1] - domain.ticks[0], Math.round(step * 3600000));
        assert.equal(domain.ticks.at(-1), domain.to);
    });
}

test('sums are of the trips within the day', () => {
    const { totals } = timelineOf([stay('a', -9 * hour, -6 * hour), trip('b', -6 * hour, -4 * hour, { distance_in_meters: 5000 }),
        trip('c', -1 * hour, null, { distance_in_meters: 700 })].map(read), day);
    assert.deepEqual(totals, { trips: 2, stops: 1, distance: 5700, driving: 3 * hour * 1000, carriedOver: 0 });
});

test('a trip over midnight counts on the day on which it begins, with its whole time, and on the next day is only named', () => {
    const events = [trip('a', -14 * hour, -12 * hour, { distance_in_meters: 5000 }), stay('b', -12 * hour, null)].map(read);
    assert.deepEqual(timelineOf(events, { ...day, ...clockOf(null).dayOf(noon, -1) }).totals,
        { trips: 1, stops: 0, distance: 5000, driving: 2 * hour * 1000, carriedOver: 0 });
    assert.deepEqual(timelineOf(events, day).totals, { trips: 0, stops: 1, distance: 0, driving: 0, carriedOver: 1 });
});

for (const [words, more, expected] of [
    ['whose vehicle is online lasts until now', { isOnline: true }, [true, noon, 3600000]],
    ['whose vehicle was lost is known until its newest revision', { isOnline: false }, [false, noon - 1800000, 1800000]],
]) {
    test(`a trip without an end ${words}`, () => {
        const { parts, totals } = timelineOf([read(trip('a', -hour, null, { updated: -hour / 2 }))], { ...day, ...more });
        assert.deepEqual(parts.map(({ lasts, until, duration, end }) => [lasts, until, duration, end]), [[...expected, null]]);
        assert.equal(totals.driving, expected[2]);
    });
}

test('a trip whose end was lost is known until its newest revision, and not on later days', () => {
    const events = [trip('a', -30 * hour, null, { updated: -29 * hour }), stay('b', -2 * hour, null)].map(read);
    assert.deepEqual(timelineOf(events, day).parts.map(({ id, lasts }) => [id, lasts]), [['b', true]]);
    const [lost] = timelineOf(events, { ...day, ...clockOf(null).dayOf(noon, -1) }).parts;
    assert.deepEqual([lost.lasts, lost.duration], [false, hour * 1000]);
});

test('a stop says its place and what was driven in it, a private one does not', () => {
    const venue = { identifier: 'depot', name: 'Depot North', significance: 'DEPOT' };
    const events = [stay('a', -3 * hour, -2 * hour, { venue, distance_in_meters: 245 }),
        stay('b', -2 * hour, -hour, { venue, tag: 'private', distance_in_meters: 60 })];
    const { parts: [open, closed] } = timelineOf(events.map(read), day);
    assert.deepEqual([open.words, open.significance, open.place.latitude, open.moved], ['Depot North', 'DEPOT', 40, 245]);
    assert.deepEqual([closed.words, closed.significance, closed.place, closed.moved], ['Private stop', null, null, null]);
});

const { format } = odograph;
for (const [milliseconds, words] of [[400, '0 s'], [59400, '59 s'], [60000, '1 min'], [3599000, '1 h 00 min'],
    [7500000, '2 h 05 min'], [183600000, '2 d 3 h'], [-5, '0 s']]) {
    test(`${milliseconds} ms are ${words}`, () => assert.equal(format.duration(milliseconds), words));
}
for (const [meters, words] of [[null, '–'], [0, '0 m'], [999, '999 m'], [1000, '1.0 km'], [12345, '12.3 km'], [1204300, '1\u202f204 km']]) {
    test(`${meters} m are ${words}`, () => assert.equal(format.distance(meters), words));
}
test('times are of the viewer’s zone, which is said', () => {
    assert.equal(format.time(noon), '13:00:00');
    assert.equal(format.zone(noon), 'Europe/Madrid, UTC+1');
});

for (const [at, words] of [['2026-11-21T13:30', '13:30'], ['2026-11-20T18:26', 'Fri 20 Nov, 18:26'], ['2025-11-29T18:26', 'Sat 29 Nov 2025, 18:26']]) {
    test(`${at} is "${words}": an instant of another year has its year`, () => assert.equal(format.timeOrDay(Date.parse(at), noon), words));
}
test('a report is made on a day of a year', () => assert.equal(format.dayOfYear(noon), 'Sat 21 Nov 2026'));

for (const [text, isDate] of [['2026-11-21', true], ['2000-01-01', true], ['0002-11-21', false], ['0202-11-21', false], ['1999-12-31', false],
    ['12026-11-21', false], ['2026-13-01', false], ['', false], ['today', false]]) {
    test(`"${text}" is ${isDate ? 'a' : 'no'} day to look at`, () => assert.equal(odograph.clock.isDate(text), isDate));
}
