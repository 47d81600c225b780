'use strict';
process.env.TZ = 'Europe/Madrid';
const test = require('node:test');
const assert = require('node:assert/strict');
const odograph = require('../core.js');
const { noon, stay, trip } = require('../messages.js');
const { knowledgeOf, knowledgeWords } = odograph.knowledge;

const hour = 3600;
const clock = odograph.clock.clockOf(null);
const day = clock.dayOf(noon);
const read = (payload) => odograph.records.readTimeline(JSON.parse(payload));
const online = { status: { isOnline: true } };
const offline = { status: { isOnline: false } };

/** What is known of the day until noon in UTC, one o'clock in Madrid. */
function words(vehicle, ...stays) {
    return knowledgeWords(knowledgeOf(vehicle, stays.map(read), { day, now: noon }), day, noon, clock);
}

/** A revision of a trip that lasts, and that was published so many hours before noon. */
const lasting = (id, start, updated) => trip(id, start * hour, null, { last_update_date: new Date(noon + updated * hour * 1000).toISOString() });

for (const [situation, vehicle, stays, expected] of [
    ['without an event', online, [], 'nothing is known'],
    ['with a stop that lasts since the morning', online, [stay('a', -4 * hour, null)], 'known since 09:00'],
    ['with a stop that lasts since yesterday', online, [stay('a', -20 * hour, null)], ''],
    ['with a trip that the vehicle had begun before it was lost', offline, [lasting('a', -4, -2.5)], 'known 09:00–10:30'],
    ['with all its events', online, [stay('a', -13 * hour, -2 * hour), trip('b', -2 * hour, null)], ''],
    ['with a gap', online, [trip('a', -3 * hour, -2 * hour), stay('b', -hour, null)], 'known 10:00–11:00 and 12:00–now'],
    ['with a gap of half a minute', online, [stay('a', -13 * hour, -hour), trip('b', -hour + 30, null)], ''],
    ['with an event whose end the page has missed', online, [lasting('a', -4, -3), stay('b', -hour, null)],
        'known 09:00–10:00 and 12:00–now'],
    ['with an event that was withdrawn', online, [stay('a', -4 * hour, -3 * hour, { withdrawn: true })], 'nothing is known'],
]) {
    test(`a day ${situation}: ${expected === '' ? 'all is known' : expected}`, () => assert.equal(words(vehicle, ...stays), expected));
}

test('words and bounds of a stop agree: both know of a vehicle that was never heard of as one that tells', () => {
    const stays = [read(lasting('a', -4, -3))];
    for (const [vehicle, until] of [[{ status: null }, noon], [online, noon], [offline, noon - 3 * hour * 1000]]) {
        const bounds = odograph.knowledge.boundsOf(stays, { now: noon, isOnline: odograph.knowledge.isOnline(vehicle) })(stays[0]);
        assert.deepEqual(bounds, { lasts: until === noon, until });
    }
});

test('a past day can be known until its end', () => {
    const yesterday = clock.dayOf(noon, -1);
    const known = (...stays) => knowledgeWords(knowledgeOf(online, stays.map(read), { day: yesterday, now: noon }), yesterday, noon, clock);
    assert.equal(known(stay('a', -30 * hour, -10 * hour)), 'known since 07:00');
    assert.equal(known(stay('a', -30 * hour, -29 * hour), stay('b', -20 * hour, -10 * hour)), 'known 07:00–08:00 and 17:00–24:00');
});

test('intervals are joined in any order', () => {
    const spans = new odograph.Spans([[5, 6], [1, 2], [2, 3], [8, 8], [9, 7], [0, 1.5]].map(([from, to]) => ({ from, to })));
    assert.deepEqual(spans.list, [{ from: 0, to: 3 }, { from: 5, to: 6 }]);
    assert.deepEqual(spans.within(1, 5.5), [{ from: 1, to: 3 }, { from: 5, to: 5.5 }]);
    assert.deepEqual(spans.within(1, 5.5, 2), [{ from: 1, to: 5.5 }]);
});

test('pairs of instants in order say whether an interval is between them', () => {
    const isBetween = new odograph.Spans([{ from: 2, to: 3 }, { from: 5, to: 6 }]).walk();
    const found = [[0, 1], [1, 2], [1, 2.5], [3, 4], [4, 9], [6, 9]].map(([from, to]) => isBetween(from, to));
    assert.deepEqual(found, [false, false, true, false, true, false]);
});
