'use strict';
process.env.TZ = 'Europe/Madrid';
const test = require('node:test');
const assert = require('node:assert/strict');
const odograph = require('../core.js');
const { noon, stay } = require('../messages.js');
const { Answer, answerMilliseconds, historyTopics, timelineCommand, readCommandAnswer, readTrackPoint } = odograph.history;

const part = (number, rest) => JSON.stringify({ id: 'r', recorder: 'main', part: number, is_last: false, status: 'ok', rows: [], ...rest });

test('a request goes to the recorders of the fleet, under the login', () => {
    assert.deepEqual(historyTopics({ root: 'fleet', fleet: 'acme', person: 'ann', id: 'r1' }),
        { request: 'fleet/history:acme/ann/request/r1', answer: 'fleet/history:acme/ann/answer/r1' });
});

test('the parts of an answer are put together', () => {
    const answer = new Answer();
    assert.equal(answer.take(part(1, { rows: [{ a: 1 }, 7, { a: 2 }] })), answerMilliseconds);
    assert.equal(answer.best, null);
    assert.equal(answer.take(part(2, { rows: [{ a: 3 }], is_last: true, next: 'place' })), 0);
    const { rows, next, error, recorder } = answer.best;
    assert.deepEqual([rows, next, error, recorder], [[{ a: 1 }, { a: 2 }, { a: 3 }], 'place', null, 'main']);
});

for (const [words, parts, error] of [
    ['an error of the recorder', [part(1, { status: 'error', code: 'too_long', error: 'ask for less' })], 'ask for less'],
    ['a missing part', [part(1), part(3, { is_last: true })], 'a part of the answer is missing'],
    ['an error without words', [part(1, { status: 'error', error: { evil: true } })], 'it has no answer'],
]) {
    test(`${words} ends the answer of this recorder; others are waited for`, () => {
        const answer = new Answer();
        const wait = parts.map((text) => answer.take(text)).at(-1);
        assert.ok(wait > 0 && wait < answerMilliseconds);
        assert.equal(answer.best.error, error);
        assert.equal(answer.take(part(1, { recorder: 'other', rows: [{ a: 1 }], is_last: true })), 0);
        assert.deepEqual([answer.best.recorder, answer.best.error], ['other', null]);
    });
}

test('a recorder that has nothing closes the question to no other one', () => {
    const answer = new Answer();
    assert.ok(answer.take(part(1, { recorder: 'new', is_last: true })) > 0);
    assert.deepEqual([answer.best.recorder, answer.best.rows], ['new', []]);
    assert.equal(answer.take(part(1, { rows: [{ a: 1 }] })), answerMilliseconds);
    assert.equal(answer.take(part(2, { is_last: true })), 0);
    assert.deepEqual(answer.best.rows, [{ a: 1 }]);
});

test('if all recorders are known, nobody else is waited for', () => {
    const empty = (recorder) => part(1, { recorder, is_last: true });
    const answer = new Answer(new Set(['main', 'second']));
    assert.ok(answer.take(empty('main')) > 0);
    assert.equal(answer.take(part(1, { recorder: 'second' })), answerMilliseconds);
    assert.equal(answer.take(part(2, { recorder: 'second', is_last: true })), 0);
    assert.deepEqual([...answer.recorders], ['main', 'second']);
    assert.equal(new Answer(new Set(['main'])).take(empty('main')), 0);
    assert.ok(new Answer().take(empty('main')) > 0);
});

test('what is no answer is left out', () => {
    const answer = new Answer();
    for (const text of ['{', '[]', '{"status":"ok"}']) assert.equal(answer.take(text), answerMilliseconds);
    assert.equal(answer.best, null);
});

/** A day that two were asked about. */
function asked(states) {
    const past = new odograph.PastDay(new odograph.Vehicle('acme', 'van-1'), odograph.clock.clockOf(null).dayOf(noon));
    for (const [whom, state, error = null] of states) {
        if (state === 'asking') past.asked[whom].begin(noon);
        else past.asked[whom].end(state, error);
    }
    return past.askedWords();
}

for (const [states, words, canAsk] of [
    [[['recorder', 'asking']], 'Asking the recorder …', false],
    [[['recorder', 'asking'], ['vehicle', 'told']], 'Asking the recorder … The vehicle knows no more of this day.', false],
    [[['recorder', 'silent'], ['vehicle', 'told']], 'No recorder has answered. The vehicle knows no more of this day.', true],
    [[['recorder', 'silent'], ['vehicle', 'silent']], 'No recorder has answered. The vehicle has not answered.', true],
    [[['recorder', 'silent'], ['vehicle', 'absent']], 'No recorder has answered. The vehicle is not connected.', true],
    [[['recorder', 'refused', 'no'], ['vehicle', 'asking']], 'The recorder did not tell: no. Asking the vehicle …', false],
    [[['recorder', 'told']], 'The recorder knows no more of this day.', true],
]) {
    test(`the panel says of a day: ${words}`, () => assert.deepEqual(asked(states), { words, canAsk }));
}

test('a day of which nobody was asked says nothing', () => assert.equal(asked([]), null));

test('a vehicle’s answer counts if it is its own and to this command', () => {
    const command = timelineCommand({ id: 'c', address: 'fleet/acme/van-1', from: noon, to: noon + 1000, expiresAt: noon + 2000 });
    assert.deepEqual(command, {
        id: 'c', address: 'fleet/acme/van-1', action: 'get_timeline', from: '2026-11-21T12:00:00.000Z',
        to: '2026-11-21T12:00:01.000Z', limit: 1000, expires_at: '2026-11-21T12:00:02.000Z',
    });
    const answer = (rest) => readCommandAnswer(JSON.stringify({
        id: 'c', status: 'ok', address: 'fleet/acme/van-1', timeline_events: [{ event_id: 'a' }, 3], more: true, ...rest,
    }), command);
    assert.deepEqual(answer({}), { error: null, rows: [{ event_id: 'a' }], isPartial: true });
    assert.equal(answer({ id: 'd' }), null);
    assert.equal(answer({ address: 'fleet/acme/van-2' }), null);
    assert.deepEqual(answer({ status: 'error', error: 'busy' }), { error: 'busy', rows: [], isPartial: false });
});

test('of each event the newest revision counts, fetched or heard', () => {
    const vehicle = new odograph.Vehicle('acme', 'van-1');
    const past = new odograph.PastDay(vehicle, odograph.clock.clockOf(null).dayOf(noon));
    const row = (...values) => JSON.parse(stay(...values)).timeline_event;
    vehicle.takeStay(odograph.records.readTimeline({ timeline_event: row('a', 0, 60) }));
    vehicle.takeStay(odograph.records.readTimeline({ timeline_event: row('b', 60, 90) }));
    past.takeEvents([row('a', 0, 30), row('b', 60, 120), row('c', 120, 180), { event_id: 'evil' }]);
    const ends = Object.fromEntries(past.all().map(({ id, end }) => [id, (end - noon) / 1000]));
    assert.deepEqual(ends, { a: 60, b: 120, c: 180 });
});

test('a position of a track needs a certain time and a place', () => {
    const row = { timestamp: '2026-11-21T12:00:00.000Z', latitude: 40, longitude: -3, speed: 5, is_moving: true, odometer: 7 };
    const point = readTrackPoint(row);
    assert.deepEqual([point.at, point.latitude, point.speed, point.heading, point.isMoving], [noon, 40, 5, null, true]);
    for (const wrong of [{ latitude: undefined }, { longitude: 200 }, { timestamp: 'today' }, { clock_untrusted: true }, { private: true }]) {
        assert.equal(readTrackPoint({ ...row, ...wrong }), null);
    }
});
