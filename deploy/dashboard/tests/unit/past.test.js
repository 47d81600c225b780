'use strict';
process.env.TZ = 'Europe/Madrid';
const test = require('node:test');
const assert = require('node:assert/strict');
const odograph = require('../core.js');
require('../../page/past.js');
require('../../page/connection.js');
const { noon, stay, status } = require('../messages.js');

const part = (rest) => JSON.stringify({ recorder: 'main', part: 1, is_last: true, status: 'ok', rows: [], ...rest });
const row = (...values) => JSON.parse(stay(...values)).timeline_event;
const flush = () => new Promise((resolve) => { setImmediate(resolve); });

/** A link whose answers come when the test says so. */
function scene() {
    const questions = [];
    const link = {
        isOnline: true, person: 'ann', clientID: 'x'.repeat(24),
        exchange: ({ request, take, payload }) => new Promise((resolve) => {
            const whom = request.includes('/history:') ? 'recorder' : 'vehicle';
            questions.push({ whom, ...JSON.parse(payload), end: resolve, answer: (text) => { if (take(text) === 0) resolve(); } });
        }),
    };
    const fleet = new odograph.Fleet(odograph.settings.readSettings({}, '').settings);
    fleet.receive('fleet/acme/van-1/status', status('online', 1), { now: noon, isRetained: false });
    const past = new odograph.Past(fleet.settings, link, () => {});
    const vehicle = fleet.vehicles.get('acme/van-1');
    const day = past.dayOf(vehicle, odograph.clock.clockOf(null).dayOf(noon));
    const asked = () => questions.map(({ whom }) => whom);
    const states = () => [day.asked.recorder.state, day.asked.vehicle.state];
    return { link, past, day, questions, asked, states, vehicle };
}

const emptyAnswer = ({ id, address }) => JSON.stringify({ id, address, status: 'ok', timeline_events: [] });

test('the vehicle is asked after a while, and its empty answer leaves the question to the recorder open', async () => {
    const { past, day, questions, asked, states } = scene();
    past.want(day, noon);
    past.want(day, noon + 5000);
    assert.deepEqual(asked(), ['recorder']);
    past.want(day, noon + 6000);
    past.want(day, noon + 6500);
    assert.deepEqual(asked(), ['recorder', 'vehicle']);
    questions[1].answer(emptyAnswer(questions[1]));
    await flush();
    assert.deepEqual(states(), ['asking', 'told']);
    questions[0].answer(part({ rows: [row('a', -3600, 0)] }));
    await flush();
    assert.deepEqual(states(), ['told', 'told']);
    assert.equal(day.stays.size, 1);
});

test('a recorder that did not answer is asked again after a rest, and the vehicle is not', async (context) => {
    const { past, day, questions, asked, states } = scene();
    context.mock.timers.enable({ apis: ['Date'], now: noon });
    past.want(day, noon);
    questions[0].end();
    await flush();
    past.want(day, noon + 1000);
    questions[1].answer(emptyAnswer(questions[1]));
    await flush();
    assert.deepEqual(states(), ['silent', 'told']);
    past.want(day, noon + 59000);
    assert.deepEqual(asked(), ['recorder', 'vehicle']);
    past.want(day, noon + 60000);
    assert.deepEqual(asked(), ['recorder', 'vehicle', 'recorder']);
});

test('the user can ask everybody again at once', async () => {
    const { past, day, questions, asked } = scene();
    past.want(day, noon);
    questions[0].end();
    await flush();
    past.want(day, noon + 1000);
    questions[1].answer(JSON.stringify({ ...JSON.parse(emptyAnswer(questions[1])), status: 'error', error: 'busy' }));
    await flush();
    assert.deepEqual(day.askedWords(), { words: 'No recorder has answered. The vehicle did not tell: busy.', canAsk: true });
    past.retry(day);
    past.want(day, noon + 2000);
    assert.deepEqual(asked(), ['recorder', 'vehicle', 'recorder']);
});

test('a recorder that refuses, and a vehicle that is away, are told', async () => {
    const { past, day, questions, vehicle } = scene();
    vehicle.status.isOnline = false;
    past.want(day, noon);
    questions[0].answer(part({ status: 'error', error: 'no such vehicle' }));
    questions[0].end();
    await flush();
    past.want(day, noon + 100);
    assert.deepEqual(day.askedWords(), { words: 'The recorder did not tell: no such vehicle. The vehicle is not connected.', canAsk: true });
});

test('a question whose connection was lost is asked again as soon as there is one', async () => {
    const { link, past, day, questions, asked, states } = scene();
    past.want(day, noon);
    link.isOnline = false;
    questions[0].end();
    await flush();
    assert.deepEqual(states(), ['unasked', 'unasked']);
    past.want(day, noon + 100);
    link.isOnline = true;
    past.want(day, noon + 200);
    assert.deepEqual(asked(), ['recorder', 'recorder']);
});

test('the rows of a long answer come from one recorder', async () => {
    const { past, questions } = scene();
    const rows = past.rows('acme', { kind: 'track' });
    questions[0].answer(part({ rows: [{ a: 1 }], next: 'p', recorder: 'second' }));
    await flush();
    assert.deepEqual([questions[1].after, questions[1].recorder], ['p', 'second']);
    questions[1].answer(part({ rows: [{ a: 2 }], recorder: 'second' }));
    assert.deepEqual(await rows, { rows: [{ a: 1 }, { a: 2 }], error: null });
});

test('questions of one asker wait once for further recorders of a fleet', async () => {
    const { past, questions } = scene();
    const company = new Map();
    const first = past.rows('acme', { kind: 'days' }, company);
    questions[0].answer(part({}));
    questions[0].end();
    assert.deepEqual(await first, { rows: [], error: null });
    assert.deepEqual([...company.get('acme')], ['main']);
    const second = past.rows('acme', { kind: 'days' }, company);
    // Without a wait: the answer itself ends it.
    questions[1].answer(part({ status: 'error', code: 'unknown_device', error: 'unknown' }));
    assert.equal((await second).code, 'unknown_device');
});

test('the connection bears an answer that nobody waits for, one that comes twice, and a word that it does not know', async (context) => {
    let worker;
    globalThis.Worker = class {
        constructor() { worker = this; }

        postMessage(wish) { this.wish = wish; }
    };
    context.after(() => { delete globalThis.Worker; });
    odograph.connectionScript = 'function () {}';
    const connection = new odograph.Connection('ws://broker.example/', {}, {});
    const answer = connection.publish('t', 'p', { qos: 1 });
    const { call } = worker.wish;
    for (const data of [{ event: 'done', call: 99, isDone: true }, { event: 'done', call, isDone: true }, { event: 'done', call, isDone: false }, { event: 'other' }]) {
        worker.onmessage({ data });
    }
    assert.equal(await answer, true);
});
