'use strict';
// The page in a real browser, with a real broker and real agents.

const { test, before, after } = require('node:test');
const assert = require('node:assert/strict');
const { Broker } = require('./support/broker.js');
const { Chromium } = require('./support/chromium.js');
const { Agent } = require('./support/agent.js');
const { Recorder } = require('./support/recorder.js');
const { sleep, until } = require('./support/processes.js');
const { noonZone } = require('./messages.js');

let broker;
let browser;
let page;
let operator;
let recorder;
const agents = {};

const vehicle = (name) => `odograph.desk.fleet.vehicles.get("demo/${name}")`;
const words = (name) => page.evaluate(`[...document.querySelectorAll('.entry:not([hidden])')]
    .find((row) => row.querySelector('.name').textContent === ${JSON.stringify(name)})?.querySelector('.words').textContent ?? ''`);
/** What the page has asked for about today of the vehicle that is open. */
const openDay = `odograph.desk.past.dayOf(odograph.desk.selected,
    odograph.clock.clockOf(odograph.zoneOf(odograph.desk.selected)).dayOf(Date.now()))`;
const isOnMap = (name) => `odograph.desk.map.painters.vehicles.placed.some((spot) => spot.vehicle === ${vehicle(name)})`;
const shows = (name, pattern) => until(`${name} is shown as ${pattern}`, async () => {
    const found = await words(name);
    if (!pattern.test(found)) throw new Error(`"${found}"; the agent said: ${agents[name].said().slice(-600)}`);
    return true;
}, 60);
const publish = (topic, document, retain = true) => new Promise((resolve, reject) => {
    const payload = typeof document === 'string' ? document : JSON.stringify(document);
    operator.publish(`fleet/demo/${topic}`, payload, { qos: 1, retain }, (error) => (error ? reject(error) : resolve()));
});

/** A schedule that is closed now and for hours: the hour that begins in six. */
const closed = () => `* ${(new Date().getUTCHours() + 6) % 24} * * *`;

before(async () => {
    broker = await Broker.start(process.env.ODOGRAPH_PAGE);
    operator = await broker.client();
    await publish('van-1/config', { version: 'zone', tracking: { time_zone: noonZone() } });
    ['van-1', 'van-2', 'van-3'].forEach((name, index) => {
        agents[name] = Agent.start(broker, name, {
            groups: ['vans'], simulator: { seed: index + 1, latitude: 40.4168 + index * 0.01 },
        });
    });
    browser = await Chromium.start();
    page = await browser.open(broker.address);
});

after(async () => {
    await browser?.end();
    operator?.end(true);
    await Promise.all([...Object.values(agents), recorder].map((program) => program?.end('SIGKILL')));
    await broker?.end();
});

test('every vehicle appears, and drives', async () => {
    for (const name of Object.keys(agents)) await shows(name, /^Moving(, \d+ km\/h)?$/);
    await page.until('the vehicles are on the map', Object.keys(agents).map(isOnMap).join(' && '));
    assert.equal(await page.text('#link .words'), 'Live');
    const before = await page.evaluate(`${vehicle('van-1')}.fix.odometer`);
    await page.until('the odometer goes on', `${vehicle('van-1')}.fix.odometer > ${before}`);
});

test('geofences of all levels are drawn with their names', async () => {
    const feature = (id, name, geometry, properties) => ({ type: 'Feature', id, geometry, properties: { name, ...properties } });
    await publish('all/geofences', { type: 'FeatureCollection', features: [
        feature('depot', 'Depot', { type: 'Point', coordinates: [-3.7038, 40.4168] }, { radius: 300 })] });
    await publish('group:vans/geofences', { type: 'FeatureCollection', features: [
        feature('ring', 'Ring road', { type: 'LineString', coordinates: [[-3.72, 40.4], [-3.69, 40.43]] }, { corridor: 80 })] });
    await page.until('two geofences', 'odograph.desk.map.painters.fences.fences.length === 2');
    assert.deepEqual(await page.evaluate('odograph.desk.map.painters.fences.fences.map(({ name, level }) => `${level}: ${name}`)'),
        ['all: Depot', 'group:vans: Ring road']);
});

test('a vehicle’s geofence events are in its panel', async () => {
    await page.evaluate(`odograph.desk.select(${vehicle('van-1')}, false)`);
    await page.until('an event', '/(entered|left) Depot/.test(document.querySelector(".part-fences").textContent)', 60);
    await page.evaluate('odograph.desk.select(null, false)');
});

test('a panel opens with what is known of a vehicle', async () => {
    await page.evaluate(`odograph.desk.select(${vehicle('van-1')}, false)`);
    await page.until('the panel', '!document.querySelector("#panel").hidden');
    await page.until('the odometer', '/Odometer[\\d.,]+ k?m ± \\d+ m/.test(document.querySelector(".part-now").textContent)');
    await page.until('a trip', '/Trip|Car/.test(document.querySelector(".part-timeline tbody")?.textContent)', 90);
    assert.match(await page.text('.part-schedule'), /Tracked at all times/);
    const { words, recorder } = await page.until('the vehicle’s own answer', `(() => {
        const past = ${openDay};
        const words = document.querySelector(".bar").getAttribute("aria-label");
        return past.asked.vehicle.state === 'told' && /trip/.test(words) ? { words, recorder: past.asked.recorder.state } : null;
    })()`);
    assert.equal(recorder, 'silent');
    assert.match(words, /^Today, known since \d\d:\d\d: .*trip/);
    assert.match(await page.text('.part-timeline'), /No recorder has answered\. The vehicle knows no more of this day/);
    await page.screenshot('agents-panel');
    await page.evaluate('odograph.desk.select(null, false)');
});

test('off schedule is shown, with the next change', async () => {
    await publish('van-2/config', { version: 'off', tracking: { schedule: closed(), time_zone: 'UTC', off_schedule: { mode: 'stop' } } });
    await shows('van-2', /^Off schedule, not tracked$/);
    await page.evaluate(`odograph.desk.select(${vehicle('van-2')}, false)`);
    await page.until('the next change', '/Off schedule: not tracked until .* in \\d h/.test(document.querySelector(".part-schedule").textContent)');
    await page.until('the level', '/van-2off/.test(document.querySelector(".part-reported").textContent)');
    await page.evaluate('odograph.desk.select(null, false)');
});

test('a recorder tells a page that was opened later what it has missed', async () => {
    recorder = await Recorder.start(broker);
    const later = await browser.open(broker.address);
    const id = await later.until('the newest event', `[...${vehicle('van-1')}.stays.values()][0].id`);
    await later.evaluate(`odograph.desk.select(${vehicle('van-1')}, false)`);
    // The recorder stores what it hears in groups: the page is made to ask until it has them.
    const told = await later.until('the recorder’s answer', `(() => {
        const past = ${openDay};
        if (past.stays.has('${id}')) return past.asked.recorder.state;
        odograph.desk.past.forgetAnswers();
        return null;
    })()`);
    assert.equal(told, 'told');
    // It has begun just now: a way has at least two positions.
    await later.until('two positions in the database', `(() => {
        const past = ${openDay};
        if (past.trackRows?.length > 1) return true;
        if (!past.isAskingForTrack) odograph.desk.past.track(past, Date.now());
        return false;
    })()`);
    await later.press('.actions button', 'Play on the map');
    await later.until('its track', 'odograph.desk.map.painters.track.track?.points.length > 1');
    assert.equal(await later.evaluate('odograph.desk.map.painters.track.track.isSimplified'), false);
    await later.press('#reports-button');
    // The day of the viewer can be another one.
    await later.evaluate(`document.querySelector('#reports input[type=date]').value = ${openDay}.day.date`);
    await later.press('#reports .main');
    await later.until('a report with the odometer', `(() => {
        const cells = [...document.querySelectorAll('#reports tbody tr:first-child > *')].map(({ textContent }) => textContent);
        return cells[0] === 'van-1' && /^\\d/.test(cells[1]) && /^\\d+\\.\\d$/.test(cells[8]) && /^\\d+\\.\\d$/.test(cells[10]);
    })()`);
    await later.close();
});

test('a refused document is shown with its reason', async () => {
    await publish('van-1/config', { version: 'bad', tracking: { stationary: { distance: 'far' } } });
    await page.evaluate(`odograph.desk.select(${vehicle('van-1')}, false)`);
    await page.until('the reason', '/Refused.*stationary\\.distance/s.test(document.querySelector(".part-reported").textContent)');
    await page.until('the filter counts it', 'document.querySelectorAll("#filters .count")[7].textContent === "1"');
    await publish('van-1/config', { version: 'good', tracking: {} });
    await page.until('the filter counts none', 'document.querySelectorAll("#filters .count")[7].textContent === "0"');
    await page.evaluate('odograph.desk.select(null, false)');
});

test('a private vehicle has no place on the map', async () => {
    await publish('van-3/config', { version: 'p', tracking: { schedule: closed(), time_zone: 'UTC', off_schedule: { mode: 'private' } } });
    await shows('van-3', /^Private$/);
    await page.until('it has left the map', `!(${isOnMap('van-3')})`);
    await page.evaluate(`odograph.desk.select(${vehicle('van-3')}, false)`);
    await page.until('the panel says so', '/Private: distances and times only/.test(document.querySelector(".part-now").textContent)');
    await page.screenshot('agents-private');
    await page.evaluate('odograph.desk.select(null, false)');
    await publish('van-3/config', { version: 'p2', tracking: {} });
    await shows('van-3', /^Moving/);
});

test('a broker without its plug is told at once, and all heals: the past is filled in, and no mark moves back', async () => {
    await page.evaluate(`globalThis.seen_ = []; setInterval(() => seen_.push(${vehicle('van-1')}.fix.seq), 20)`);
    await broker.pull();
    await page.until('the alert', '!document.querySelector("#alert").hidden');
    assert.match(await page.text('#alert'), /No connection to the broker since \d\d:\d\d:\d\d/);
    await page.screenshot('agents-lost');
    const lostAt = await page.evaluate(`${vehicle('van-1')}.fix.at`);
    await sleep(5000);
    // What the agent has for the page it says once: it is held until the page is there to hear it.
    agents['van-1'].signal('SIGSTOP');
    await broker.run();
    await page.until('the page is live', 'document.querySelector("#link").dataset.state === "online"', 60);
    agents['van-1'].signal('SIGCONT');
    assert.equal(await page.evaluate('document.querySelector("#alert").hidden'), true);
    await page.until('the time without a broker is filled in', `(() => {
        const { times, length } = ${vehicle('van-1')}.trail;
        return times.subarray(0, length).filter((at) => at > ${lostAt} && at < ${lostAt} + 4500).length >= 2
            && times[length - 1] > ${lostAt} + 8000;
    })()`, 60);
    const order = await page.evaluate('seen_');
    assert.ok(order.every((seq, index) => index === 0 || seq >= order[index - 1]));
});

test('an agent that dies is silent, and what it has not taken is behind', async () => {
    await agents['van-1'].end('SIGKILL');
    await shows('van-1', /^Silent: no connection$/);
    await publish('van-1/config', { version: 'later', tracking: {} });
    await page.until('the filter counts it', 'document.querySelectorAll("#filters .count")[7].textContent === "1"');
    await page.screenshot('agents-light');
    await page.dark(true);
    await page.until('dark', 'odograph.desk.theme.colors.paper === "#151a21"');
    await page.screenshot('agents-dark');
});

test('an agent that ends in an orderly way is off, and not an alarm', async () => {
    await agents['van-2'].end('SIGTERM');
    await shows('van-2', /^Off since \d\d:\d\d$/);
    await page.until('it is grey', `[...document.querySelectorAll('.entry')].find((row) => /van-2/.test(row.textContent)).dataset.kind === 'stopped'`);
    await page.until('the filter counts it', 'document.querySelectorAll("#filters .count")[3].textContent === "1"');
});

test('there was no script error, and no request but to the broker', () => {
    const errors = page.errors.filter((text) => !text.includes(`ws://127.0.0.1:${broker.front.port}/`));
    assert.deepEqual(errors, []);
    assert.deepEqual([...new Set(page.requests.map((address) => new URL(address).host))], [`127.0.0.1:${broker.front.port}`]);
});
