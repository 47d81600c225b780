'use strict';
process.env.TZ = 'Europe/Madrid';
const test = require('node:test');
const assert = require('node:assert/strict');
const odograph = require('../core.js');
const { noon, iso, stay, trip } = require('../messages.js');

const { report, clock: { clockOf } } = odograph;
const madrid = clockOf('Europe/Madrid');

for (const [value, expected] of [
    ['2026-11-21', { first: '2026-11-21', last: '2026-11-21', words: 'Saturday 21 November 2026' }],
    ['2024-02', { first: '2024-02-01', last: '2024-02-29', words: 'February 2024' }], ['2026-12', { first: '2026-12-01', last: '2026-12-31', words: 'December 2026' }],
    ['', null], ['2026', null], ['2026-13', null], ['2026-11-21T00', null],
]) {
    test(`the period "${value}" is ${expected === null ? 'none' : expected.words}`, () => assert.deepEqual(report.periodOf(value), expected));
}

test('a period has the days of the zone of its vehicle, also when a clock is changed', () => {
    const hours = ({ from, to }) => (to - from) / 3600000;
    assert.equal(hours(report.boundsOf(report.periodOf('2026-10-25'), madrid)), 25);
    assert.equal(hours(report.boundsOf(report.periodOf('2026-10'), madrid)), 31 * 24 + 1);
    assert.equal(new Date(report.boundsOf(report.periodOf('2026-11-21'), madrid).from).toISOString(), '2026-11-20T23:00:00.000Z');
});

const day = (date, more = {}) => ({
    day: date, trips: 2, stops: 3, distance_in_meters: 1000, private_distance_in_meters: 100, tagged_distance_in_meters: 0,
    unseen_distance_in_meters: 50, transit_duration: 600, first_start: iso(noon), last_end: iso(noon + 3600000), ...more,
});

test('sums of days are those of what is known, and a day of which nothing is known is not 0 km', () => {
    const days = [day('2026-11-20', { first_start: iso(noon - 86400000) }), { day: '2026-11-21' }, day('2026-11-22', { last_end: undefined, trips: 1 })].map(report.readDay);
    const sum = report.sumOf(days);
    assert.deepEqual([sum.trips, sum.distance, sum.privateDistance, sum.unseen, sum.transit, sum.knownDays, sum.firstStart, sum.lastEnd],
        [3, 2000, 200, 100, 1200000, 2, noon - 86400000, noon + 3600000]);
    const { rows, total } = report.distanceTable(days.map((one) => ({ name: one.day, clock: madrid, sum: one })), { isByDay: true, hasOdometer: false });
    assert.deepEqual(rows[1], ['2026-11-21', '', '', '', '', '', '', '']);
    assert.deepEqual(rows[0], ['2026-11-20', '2', '1.0', '0.1', '0.1', '0:10', '13:00', '14:00']);
    assert.deepEqual(total.slice(0, 4), ['Total', '3', '2.0', '0.2']);
});

test('each row of a table has as many cells as columns', () => {
    const sum = report.sumOf([report.readDay(day('2026-11-20'))]);
    const reading = { at: noon, meters: 120345 };
    for (const isByDay of [true, false]) {
        for (const hasOdometer of [true, false]) {
            for (const [first, last, one] of [[reading, reading, sum], [null, null, report.sumOf([])]]) {
                const { columns, rows, total } = report.distanceTable([{ name: 'v', about: { driver: '', plate: 'p', note: 'n' }, clock: madrid, sum: one, first, last }], { isByDay, hasOdometer });
                assert.deepEqual([rows[0].length, total.length], [columns.length, columns.length]);
            }
        }
    }
});

test('a report of vehicles has what people have written about them, and a file has the whole note and the year', () => {
    const sum = report.sumOf([report.readDay(day('2026-11-20'))]);
    const note = 'Cooling unit, '.repeat(10);
    const vehicles = [{ name: 'van-1', about: { driver: '', plate: '1234 BCD', note } }, { name: 'van-2', about: null }];
    const { columns, rows } = report.distanceTable(vehicles.map((one) => ({ ...one, clock: madrid, sum })), { isByDay: false, hasOdometer: false });
    assert.deepEqual(columns.slice(0, 4).map(({ words }) => words), ['Vehicle', 'Plate', 'Note', 'Trips']);
    const [[, plate, told, , , , , , first], [, none]] = rows;
    assert.deepEqual([plate, report.wordsOf(told).length, report.fileOf(told), none], ['1234 BCD', 60, note, '']);
    assert.deepEqual([report.wordsOf(first), report.fileOf(first)], ['Sat 21 Nov, 13:00', '2026-11-21 13:00']);
});

test('the odometer is that of the first or the last position that has one', () => {
    const rows = [[0, undefined], [10, 500], [20, 700], [30, -1]].map(([at, odometer]) => ({ timestamp: iso(noon + at * 1000), odometer }));
    assert.deepEqual(report.readingOf(rows, false), { at: noon + 10000, meters: 500 });
    assert.deepEqual(report.readingOf(rows, true), { at: noon + 20000, meters: 700 });
    assert.equal(report.readingOf([], true), null);
});

for (const [seconds, words, inPanel] of [[149, '0:02', '2 min'], [150, '0:03', '3 min'], [149.6, '0:02', '2 min'], [3599, '1:00', '1 h 00 min'], [3629, '1:00', '1 h 00 min'], [86370, '24:00', '24 h 00 min']]) {
    test(`${seconds} s are ${words} in a report, the same minute as ${inPanel} in the panel`, () => {
        const { rows } = report.placeTable([{ place: 'Depot', stops: 1, duration: seconds * 1000, vehicles: [] }]);
        assert.deepEqual([rows[0][2], odograph.format.duration(seconds * 1000)], [words, inPanel]);
    });
}

const bounds = { date: '2026-11-21', ...report.boundsOf(report.periodOf('2026-11-21'), madrid) };
const timeline = (...payloads) => odograph.day.timelineOf(payloads.map((payload) => odograph.records.readTimeline(JSON.parse(payload))),
    { date: bounds.date, start: bounds.from, end: bounds.to, now: noon + 1e9, isOnline: true, privateTags: ['private'], isPrivateNow: false });
const hour = 3600;
const depot = { venue: { identifier: 'd', name: 'Depot' } };

test('drivers have the trips that begin in the period; private trips have no driver', () => {
    const one = timeline(trip('before', -13.5 * hour, -12 * hour, { driver: 'Ana' }), trip('a', 0, 600, { driver: 'Ana' }), trip('b', 700, 900, { driver: 'Bob' }),
        trip('c', 1000, 1100), trip('p', 2000, 2300, { tag: 'private', driver: 'Ana' }), trip('d', 3000, 3100, { driver: 'constructor' }));
    const other = timeline(trip('a', 0, 500, { driver: 'Ana' }));
    const drivers = report.driversOf([{ name: 'van-1', timeline: one }, { name: 'van-2', timeline: other }]);
    assert.deepEqual(drivers.map(({ driver, trips, distance, vehicles }) => [driver, trips, distance, vehicles.join()]), [
        ['Ana', 2, 1100, 'van-1,van-2'], ['Private', 1, 300, 'van-1'], ['Bob', 1, 200, 'van-1'], ['Without a driver', 1, 100, 'van-1'], ['constructor', 1, 100, 'van-1']]);
    const { columns, rows, total } = report.driverTable(drivers);
    assert.deepEqual([rows[0], total.slice(0, 3), columns.length], [['Ana', '2', '1.1', '0:18', 'van-1, van-2'], ['Total', '6', '1.8'], 5]);
});

test('the time in a geofence is that within the period, and a private stop has none', () => {
    const places = report.placesOf([{ name: 'van-1', timeline: timeline(stay('a', -20 * hour, -12 * hour, depot), stay('b', 0, hour, depot), stay('c', hour, 2 * hour),
        stay('p', 3 * hour, 4 * hour, { ...depot, tag: 'private' })) }]);
    // The day begins 13 hours before noon UTC.
    assert.deepEqual(places, [{ place: 'Depot', stops: 2, duration: 2 * hour * 1000, vehicles: ['van-1'] }]);
    assert.deepEqual(report.placeTable(places).rows, [['Depot', '2', '2:00', 'van-1']]);
});

test('a table as CSV has numbers as numbers, and no formula; names and plates that look like numbers stay as they are', () => {
    const columns = [{ words: 'Vehicle', isNumber: false }, { words: 'Plate', isNumber: false }, { words: 'km', isNumber: true }];
    const table = { columns, rows: [['=1+1', '0042', '-12.50'], ['a,b', { words: '…', file: '007' }, '0:10']], total: ['Total', '', '12.0'] };
    assert.equal(odograph.exports.tableCSV(table), "Vehicle,Plate,km\n'=1+1,0042,-12.5\n\"a,b\",007,0:10\nTotal,,12\n");
});

const minute = 60000;
for (const [words, more, now, expected] of [
    ['in the period', { last_end: iso(noon) }, noon + 1e9, [noon - minute, noon + 5 * minute]],
    ['just after its beginning', { last_end: iso(bounds.from + 1000) }, noon + 1e9, [bounds.from, bounds.from + 1000 + 5 * minute]],
    ['after it', { last_end: iso(bounds.to + 1800000) }, noon + 1e9, [bounds.to - 5 * minute, bounds.to]],
    ['not yet', { last_end: undefined }, noon, [noon - minute, noon + 5 * minute]],
    ['never: there is none', { trips: 0, last_end: undefined }, noon, null],
]) {
    test(`the last odometer is read around the end of the last trip: ${words}`, () => {
        const found = report.closingOf([report.readDay(day('2026-11-21', more))], bounds, now);
        assert.deepEqual(found === null ? null : [found.from, found.to], expected);
    });
}
