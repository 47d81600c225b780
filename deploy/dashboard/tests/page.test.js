'use strict';
// The page in a real browser and at a real broker: how it is used, and how it bears what it is told.

const { test, before, after } = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const http = require('node:http');
const zlib = require('node:zlib');
const { execFileSync, spawnSync } = require('node:child_process');
const { drawnTexts } = require('./support/drawn.js');
const { Broker } = require('./support/broker.js');
const { Chromium } = require('./support/chromium.js');
const { drive } = require('./support/traffic.js');
const { temporaryFolder, sleep, until } = require('./support/processes.js');
const { noon, noonZone, location, stay, trip, reported, status } = require('./messages.js');

let browser;
let broker;
let operator;
const since = Math.round((Date.now() - noon) / 1000);

const publish = (topic, payload, retain = true) => new Promise((resolve) => {
    operator.publish(`fleet/acme/${topic}`, payload, { qos: 1, retain }, resolve);
});

before(async () => {
    broker = await Broker.start(process.env.ODOGRAPH_PAGE);
    operator = await broker.client();
    browser = await Chromium.start();
    for (let index = 1; index <= 40; index += 1) {
        const coords = { latitude: 40.4 + (index % 7) / 300, longitude: -3.7 + (index % 6) / 200, speed: index % 2 ? 12 : 0, heading: index * 9 };
        await publish(`van-${index}/location`, location(since, { is_moving: index % 2 === 1, coords }));
        await publish(`van-${index}/status`, status('online', 1));
        await publish(`van-${index}/reported`, reported(since));
    }
});

after(async () => {
    await browser?.end();
    operator?.end(true);
    await broker?.end();
});

async function open(options) {
    const page = await browser.open(broker.address, options);
    await page.until('the vehicles', 'odograph.desk.fleet.vehicles.size >= 40 && document.querySelectorAll(".entry").length > 0');
    return page;
}

/** Checks that nothing went wrong in a page and that it asked its broker only, and closes it. */
async function done(page, from = broker) {
    assert.deepEqual(page.errors, []);
    assert.deepEqual([...new Set(page.requests.map((address) => new URL(address).host))], [new URL(from.address).host]);
    await page.close();
}

test('the broker itself serves the page', async () => {
    const page = await browser.open(broker.ownAddress);
    await page.until('the vehicles', 'odograph.desk.fleet.vehicles.size >= 40');
    assert.deepEqual(page.errors, []);
    assert.deepEqual([...new Set(page.requests.map((address) => new URL(address).host))], [new URL(broker.ownAddress).host]);
    await page.close();
});

test('the records of a batch are shown as those of single messages, and what follows it too', async () => {
    const page = await open();
    const plain = [[1, 'location'], [2, 'location']].map(([seq, channel]) => [channel, seq, location(since + seq, { seq, is_moving: true })]);
    const batch = zlib.deflateSync(JSON.stringify({ device_id: 'van-71', epoch: 1, seed: '0'.repeat(32), tables: [], plain }));
    await publish('van-71/batch', batch, false);
    await page.until('its vehicle', 'odograph.desk.fleet.vehicles.get("acme/van-71")?.fix?.seq === 2');
    await publish('van-72/location', location(since), false);
    await page.until('the other', 'odograph.desk.fleet.vehicles.get("acme/van-72")?.fix != null');
    await done(page);
});

test('everything can be done with the keyboard', async () => {
    const page = await open();
    await page.key('/');
    assert.equal(await page.evaluate('document.activeElement.id'), 'search');
    await page.type('van-1');
    await page.until('the list is narrowed', 'document.querySelectorAll(".entry:not([hidden])").length === 11');
    for (const field of ['order', 'group', 'list']) {
        await page.key('Tab');
        assert.equal(await page.evaluate('document.activeElement.id'), field);
    }
    await page.key('ArrowDown');
    await page.key('ArrowDown');
    const active = 'document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.querySelector(".name").textContent';
    assert.equal(await page.evaluate(active), 'van-10');
    await page.key('Enter');
    await page.until('the panel has the focus', 'document.activeElement.id === "panel"');
    assert.equal(await page.text('#panel-name'), 'van-10');
    await page.key('Escape');
    assert.equal(await page.evaluate('document.activeElement.id'), 'list');
    assert.equal(await page.evaluate('document.querySelector("#panel").hidden'), true);
    await page.key('End');
    assert.equal(await page.evaluate(active), 'van-19');
    // In the search, Enter opens the first vehicle, and the arrow keys go through the list.
    await page.evaluate('document.querySelector("#search").value = ""');
    await page.evaluate('document.querySelector("#search").focus()');
    await page.type('van-2');
    await page.until('the list is narrowed', 'document.querySelector(".entry:not([hidden]) .name").textContent === "van-2"');
    await page.key('Enter');
    await page.until('the first vehicle', 'document.querySelector("#panel-name").textContent === "van-2"');
    await page.evaluate('document.querySelector("#search").focus()');
    await page.key('ArrowDown');
    assert.equal(await page.evaluate(active), 'van-20');
    await page.key('Enter');
    await page.until('the active vehicle', 'document.querySelector("#panel-name").textContent === "van-20"');
    await done(page);
});

test('the page calls the roll where the broker has no retained messages, and only there', async () => {
    const empty = await Broker.start(process.env.ODOGRAPH_PAGE);
    const listeners = [];
    try {
        const commands = [[], []];
        for (const [index, place] of [empty, broker].entries()) {
            const listener = await place.client();
            listeners.push(listener);
            listener.on('message', (topic, payload) => commands[index].push(JSON.parse(payload)));
            await new Promise((resolve) => listener.subscribe('fleet/acme/all/command', resolve));
        }
        const page = await browser.open(`${empty.address}?fleet=acme`);
        await until('the roll is called', () => commands[0].length > 0);
        assert.equal(commands[0][0].action, 'roll_call');
        await done(page, empty);
        const other = await open();
        await sleep(1500);
        await done(other);
        assert.deepEqual(commands[1], []);
    } finally {
        // A client that is not ended connects again and again, and the run of this file never ends.
        for (const listener of listeners) listener.end(true);
        await empty.end();
    }
});

test('filters narrow the list and say how many there are', async () => {
    const page = await open();
    assert.equal(await page.text('#filters button[aria-pressed="true"]'), 'All 40');
    await page.click('#filters button:nth-child(3)');
    await page.until('parked ones only', '[...document.querySelectorAll(".entry:not([hidden])")].every((row) => row.dataset.kind === "parked")');
    assert.equal(await page.text('#filters button[aria-pressed="true"]'), 'Parked 20');
    const onMap = 'odograph.desk.map.painters.vehicles.entries.map(({ condition }) => condition.kind)';
    assert.deepEqual([...new Set(await page.evaluate(onMap))], ['parked']);
    await page.click('#filters button:nth-child(6)');
    await page.until('a word where there is none', '/No vehicle matches the filter/.test(document.querySelector("#nothing").textContent)');
    // It stands at the top of the list, where the vehicles would be.
    assert.ok(await page.evaluate(`document.querySelector('#nothing').getBoundingClientRect().top
        - document.querySelector('.tools').getBoundingClientRect().bottom < 2`));
    await page.screenshot('page-empty');
    await done(page);
});

test('a group narrows the list and the map', async () => {
    await publish('van-40/reported', reported(since, { groups: ['north', 'vans'] }));
    const page = await open();
    await page.until('the groups', 'document.querySelectorAll("#group option").length === 3');
    await page.evaluate(`(() => {
        const select = document.querySelector('#group');
        select.value = 'north';
        select.dispatchEvent(new Event('change'));
    })()`);
    await page.until('one vehicle', 'document.querySelectorAll(".entry:not([hidden])").length === 1');
    await page.until('one mark', 'odograph.desk.map.painters.vehicles.entries.length === 1');
    assert.equal(await page.text('#filters button'), 'All 1');
    await done(page);
});

test('the address opens a vehicle, also when it changes, and the map shows the streets around it', async () => {
    const page = await browser.open(`${broker.address}#acme/van-3`);
    await page.until('the panel', 'document.querySelector("#panel-name")?.textContent === "van-3"');
    assert.ok(await page.evaluate('odograph.desk.map.map.getZoom() >= 15'));
    await page.evaluate('location.hash = "#acme/van-4"');
    await page.until('the other one', 'document.querySelector("#panel-name").textContent === "van-4"');
    await page.evaluate('location.hash = "#acme/%"');
    await page.evaluate('location.hash = "#acme/van-5"');
    await page.until('the third one', 'document.querySelector("#panel-name").textContent === "van-5"');
    await done(page);
});

test('a vehicle that was switched off is grey, and one that is lost is red', async () => {
    await publish('van-38/status', status('offline', 1, 'stopped'));
    await publish('van-39/status', status('offline', 1));
    const page = await open();
    const kind = (name) => `[...document.querySelectorAll('.entry')].find((row) => row.querySelector('.name').textContent === '${name}')?.dataset.kind`;
    await page.evaluate('document.querySelector("#search").value = "van-3"; document.querySelector("#search").dispatchEvent(new Event("input"))');
    await page.until('off', `${kind('van-38')} === 'stopped'`);
    await page.until('silent', `${kind('van-39')} === 'silent'`);
    const color = (name) => `getComputedStyle([...document.querySelectorAll('.entry')].find((row) => row.textContent.startsWith('${name}')).querySelector('.words')).color`;
    assert.notEqual(await page.evaluate(color('van-38')), await page.evaluate(color('van-39')));
    await page.click('#legend-button');
    await page.until('the legend', '/Off: the agent was stopped/.test(document.querySelector("#legend").innerText)');
    await page.key('Escape');
    assert.equal(await page.evaluate('document.querySelector("#legend").hidden'), true);
    await publish('van-38/status', status('online', 2));
    await publish('van-39/status', status('online', 2));
    await done(page);
});

test('words on the map do not cover each other', async () => {
    const feature = (id, longitude, latitude) => ({ type: 'Feature', id, properties: { name: `Customer ${id}`, radius: 60 },
        geometry: { type: 'Point', coordinates: [longitude, latitude] } });
    const features = [];
    for (let index = 0; index < 30; index += 1) features.push(feature(`c${index}`, -3.7 + (index % 6) / 200, 40.4 + (index % 5) / 300));
    await publish('all/geofences', JSON.stringify({ type: 'FeatureCollection', features }));
    const page = await open();
    await page.evaluate(`(() => {
        globalThis.written_ = [];
        const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
        CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
            const width = this.measureText(text).width;
            const left = this.textAlign === 'center' ? x - width / 2 : x;
            written_.push({ text, left, right: left + width, top: y - 5, bottom: y + 5 });
            fillText.call(this, text, x, y);
        };
        CanvasRenderingContext2D.prototype.clearRect = function (...values) {
            if (this.canvas.parentNode.classList.contains('leaflet-vehicles-pane')) written_ = [];
            clearRect.apply(this, values);
        };
    })()`);
    const written = await page.until('names of both kinds', `(odograph.desk.map.layers.vehicles.invalidate(),
        odograph.desk.map.layers.vehicles.frame(), /van/.test(JSON.stringify(written_)) && /Customer/.test(JSON.stringify(written_)) && written_)`);
    for (const [index, one] of written.entries()) {
        for (const other of written.slice(index + 1)) {
            const isApart = one.left > other.right || other.left > one.right || one.top > other.bottom || other.top > one.bottom;
            assert.ok(isApart, `${one.text} and ${other.text} cover each other`);
        }
    }
    const { x: width, y: height } = await page.evaluate('odograph.desk.map.map.getSize()');
    for (const { text, left, right, top, bottom } of written) {
        assert.ok(left >= 0 && right <= width && top >= 0 && bottom <= height, `${text} is cut at the edge of the map`);
    }
    await page.screenshot('page-labels');
    await publish('all/geofences', '');
    await done(page);
});

test('a position can be copied, and opened in another program', async () => {
    const page = await open();
    await page.evaluate('odograph.desk.select(odograph.desk.fleet.vehicles.get("acme/van-2"), false)');
    await page.until('the link', '/^geo:40\\.\\d+,-3\\.\\d+$/.test(document.querySelector(".part-now a")?.getAttribute("href"))');
    await browser.call('Browser.grantPermissions', { origin: new URL(broker.address).origin, permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] });
    await page.click('.part-now button');
    await page.until('it says so', 'document.querySelector(".part-now button").textContent === "Copied"');
    assert.match(await page.evaluate('navigator.clipboard.readText()'), /^40\.\d+, -3\.\d+$/);
    await done(page);
});

/** A recorder that answers as the test says, until the test ends. */
async function answering(context, answer) {
    const client = await broker.client({ protocolVersion: 5 });
    context.after(() => client.end(true));
    const requests = [];
    client.on('message', (topic, payload) => {
        const request = JSON.parse(payload);
        requests.push({ topic, ...request });
        const id = topic.split('/').at(-1);
        for (const [index, part] of answer(request).entries()) {
            client.publish(topic.replace('/request/', '/answer/'), JSON.stringify({
                id, recorder: 'main', part: index + 1, is_last: false, status: 'ok', rows: [], ...part,
            }), { qos: 1 });
        }
    });
    await new Promise((resolve) => { client.subscribe('fleet/history:acme/+/request/+', { qos: 1 }, resolve); });
    return { requests };
}

test('the page says since when it knows the day, and a recorder tells the rest', async (context) => {
    await publish('van-6/reported', reported(since, { time_zone: noonZone() }));
    await publish('van-6/timeline', stay('new', since - 600, null));
    const page = await open();
    await page.evaluate('odograph.desk.select(odograph.desk.fleet.vehicles.get("acme/van-6"), false)');
    const text = 'document.querySelector(".part-timeline").innerText';
    await page.until('partial knowledge', `/^Today, known since \\d\\d:\\d\\d: no trips; 1 stop/.test(${text})`);
    await page.until('nobody answers', `/No recorder has answered\\. The vehicle has not answered\\. +Ask again/.test(${text})`);
    await page.until('the zone', '/Times of the vehicle: (Etc\\/)?GMT[+-]/.test(document.querySelector("#panel header").innerText)');
    await page.screenshot('page-partial');
    const row = (payload) => JSON.parse(payload).timeline_event;
    const recorder = await answering(context, ({ after }) => (after === undefined
        ? [{ rows: [row(trip('old', since - 100000, since - 9000, { distance_in_meters: 5200 }))] }, { is_last: true, next: 'p1' }]
        : [{ rows: [row(stay('middle', since - 9000, since - 600))], is_last: true }]));
    await page.click('.part-timeline .minor');
    await page.until('the whole day', `/^Today: no trips; 2 stops; 1 trip that began before/.test(${text})`);
    const [first, second] = recorder.requests;
    assert.match(first.topic, /^fleet\/history:acme\/dashboard\/request\/[A-Za-z0-9_-]{1,64}$/);
    assert.deepEqual([first.kind, first.device, second.after], ['timeline', 'van-6', 'p1']);
    assert.match(first.from, /^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/);
    // The day before, of which nothing is known on the page.
    await page.click('.days button');
    await page.until('yesterday', `/^Yesterday/.test(${text})`);
    await page.until('its trip', `/1 trip/.test(${text})`);
    await page.screenshot('page-day');
    await done(page);
});

test('a vehicle that knows nothing closes no question to the recorders', async (context) => {
    // The trips are of one day, whatever the hour.
    await publish('van-12/reported', reported(since, { time_zone: noonZone() }));
    const vehicle = await broker.client();
    context.after(() => vehicle.end(true));
    await new Promise((resolve) => { vehicle.subscribe('fleet/acme/van-12/command', { qos: 1 }, resolve); });
    vehicle.on('message', (_, payload) => {
        const { id, address } = JSON.parse(payload);
        publish('van-12/response', JSON.stringify({ id, address, status: 'ok', timeline_events: [] }), false);
    });
    const page = await open();
    await page.evaluate('odograph.desk.select(odograph.desk.fleet.vehicles.get("acme/van-12"), false)');
    const text = 'document.querySelector(".part-timeline").innerText';
    await page.until('who has answered, and who has not', `/No recorder has answered\\. The vehicle knows no more of this day\\. +Ask again/.test(${text})`);
    const row = (payload) => JSON.parse(payload).timeline_event;
    await answering(context, ({ kind }) => [{ is_last: true, rows: kind !== 'timeline' ? []
        : Array.from({ length: 62 }, (_, index) => row(trip(`t${index}`, since - 700 + index * 10, since - 695 + index * 10))) }]);
    await page.click('.part-timeline .minor');
    await page.until('the trips of the recorder', `/62 trips/.test(${text})`);
    // What can be done with the day stands above its many rows.
    assert.ok(await page.evaluate(`document.querySelector('.actions').getBoundingClientRect().bottom
        <= document.querySelector('.part-timeline table').getBoundingClientRect().top`));
    await done(page);
});

test('the way of a trip that lasts is that of the recorder, and goes on with what the page hears', async (context) => {
    const row = (payload) => JSON.parse(payload).timeline_event;
    const begun = since - 900;
    await answering(context, ({ kind }) => [{ is_last: true, rows: kind === 'timeline' ? [row(trip('r', begun, null))]
        : Array.from({ length: 80 }, (_, index) => ({
            timestamp: new Date(noon + (begun + index * 10) * 1000).toISOString(), latitude: 40.4 + index / 1e4, longitude: -3.69, is_moving: true,
        })) }]);
    const page = await open();
    await publish('van-13/timeline', trip('r', begun, null, { last_update_date: new Date(noon + since * 1000).toISOString() }));
    await page.evaluate('odograph.desk.select(odograph.desk.fleet.vehicles.get("acme/van-13"), false)');
    await page.until('its way', 'odograph.desk.selected.trail.length === 81');
    await page.screenshot('page-running');
    await done(page);
});

test('a day is played on the map and saved, without its private times', async (context) => {
    const row = (payload) => JSON.parse(payload).timeline_event;
    const start = since - 86400 - 3600;
    const at = (seconds) => new Date(noon + seconds * 1000).toISOString();
    await answering(context, ({ kind }) => [{ is_last: true, rows: kind === 'timeline' ? [
        row(trip('a', start, start + 600, { distance_in_meters: 5200, waypoints: [{ latitude: 40.4, longitude: -3.7 }, { latitude: 40.41, longitude: -3.7 }] })),
        row(trip('b', start + 600, start + 1200, { tag: 'private' })),
        row(stay('c', start + 1200, start + 86400, { location: { latitude: 40.405, longitude: -3.7 } })),
    ] : Array.from({ length: 120 }, (_, index) => ({
        timestamp: at(start + index * 10), latitude: 40.4 + index / 1e4, longitude: -3.7, speed: 12, heading: 0, is_moving: true,
    })) }]);
    const page = await open();
    const saved = await page.saving();
    await page.evaluate('odograph.desk.select(odograph.desk.fleet.vehicles.get("acme/van-8"), false)');
    const day = await page.evaluate(`odograph.clock.clockOf(null).date(${noon + start * 1000})`);
    await page.evaluate(`(() => {
        const field = document.querySelector('.days input');
        field.value = '${day}';
        field.dispatchEvent(new Event('change'));
    })()`);
    await page.until('the trip', '/5\\.2 km/.test(document.querySelector(".part-timeline").innerText)');
    // The map shows the day that was chosen: its trip is most of the map.
    await page.until('the map fits the day', `(() => {
        const bounds = odograph.desk.map.map.getBounds();
        return bounds.contains([40.4, -3.7]) && bounds.contains([40.41, -3.7]) && bounds.getNorth() - bounds.getSouth() < 0.03;
    })()`);
    const press = (words) => page.press('.part-timeline .actions button', words);
    await press('Play on the map');
    await page.until('the player', '!document.querySelector("#player").hidden');
    const points = await page.evaluate('odograph.desk.map.painters.track.track.points.map(({ at }) => at)');
    assert.equal(points.length, 60, 'the positions of the private trip are left out');
    assert.equal(points.at(-1), noon + (start + 590) * 1000);
    const place = 'odograph.desk.map.painters.track.position.latitude';
    await page.evaluate(`(() => {
        const slider = document.querySelector('#player input');
        slider.value = ${noon + (start + 300) * 1000};
        slider.dispatchEvent(new Event('input'));
    })()`);
    assert.ok(Math.abs(await page.evaluate(place) - 40.403) < 1e-4);
    assert.match(await page.text('#player .words'), /^\d\d:\d\d:\d\d, 43 km\/h$/);
    await page.evaluate('document.querySelector("#player select").value = "300"');
    await page.click('#player button');
    await page.until('it plays until the end', `Math.abs(${place} - 40.4059) < 1e-6 && document.querySelector('#player button').ariaLabel === 'Play'`);
    await page.screenshot('page-playback');
    await page.dark(true);
    await page.screenshot('page-playback-dark');
    for (const words of ['GPX', 'CSV', 'Trips as CSV']) await press(words);
    const files = await saved(3);
    assert.deepEqual(files.map(([name]) => name), [`van-8-${day}-trips.csv`, `van-8-${day}.csv`, `van-8-${day}.gpx`]);
    assert.equal(files[2][1].match(/<trkpt /g).length, 60);
    assert.equal(files[1][1].trim().split('\n').length, 61);
    await page.evaluate('odograph.desk.select(null, false)');
    await page.until('the player is closed', 'document.querySelector("#player").hidden && odograph.desk.map.painters.track.track === null');
    await page.evaluate('globalThis.drawnAt_ = odograph.desk.map.drawnAt.vehicles');
    await page.until('the map goes on', 'odograph.desk.map.drawnAt.vehicles > drawnAt_');
    await done(page);
});

test('alerts are listed, newest first, and acknowledged for good', async () => {
    const at = since - 60;
    const overspeed = { identifier: 'school', name: 'School', action: 'OVERSPEED', peak_speed: 20, occurred_at: new Date(noon + at * 1000).toISOString() };
    await publish('van-10/reported', reported(since - 300, { errors: [{ topic: 't', path: 'tracking.x', message: 'is <b>wrong</b>' }] }));
    const page = await open();
    await publish('van-9/geofence', location(at, { event: 'geofence', geofence: overspeed }), false);
    await page.until('the count', 'document.querySelector("#alerts-button").innerText.trim() === "Alerts 2"');
    await page.click('#alerts-button');
    const items = `[...document.querySelectorAll('.alert-list li')].map((item) => item.querySelector('.name').textContent + ': ' + item.querySelector('.words').textContent)`;
    await page.until('the list', 'document.querySelectorAll(".alert-list li").length === 2');
    assert.deepEqual(await page.evaluate(items), ['van-9: Too fast in School, up to 72 km/h', 'van-10: Refused tracking.x: is <b>wrong</b>']);
    await page.screenshot('page-alerts');
    await page.dark(true);
    await page.screenshot('page-alerts-dark');
    await page.click('.alert-list li [title="Acknowledge"]');
    await page.until('one is left', 'document.querySelectorAll(".alert-list li").length === 1');
    assert.equal(await page.text('#alerts-count'), '1');
    await page.click('.alert-list .alert-open');
    await page.until('its vehicle', 'document.querySelector("#panel-name").textContent === "van-10"');
    assert.equal(await page.evaluate('document.querySelector("#alerts").hidden && document.activeElement.id'), 'panel', 'the list does not cover it');
    await page.click('#alerts-button');
    await page.click('.alerts .minor');
    await page.until('none is left', 'document.querySelector("#alerts-count").textContent === "0"');
    await page.press('.alert-options input');
    await page.until('the old ones', 'document.querySelectorAll(".alert-list .acknowledged").length === 2');
    await page.key('Escape');
    assert.equal(await page.evaluate('document.querySelector("#alerts").hidden'), true);
    // After a reload the page knows what is still the case, and that it was acknowledged.
    await page.reload();
    await page.until('the vehicles', 'globalThis.odograph?.desk?.fleet.vehicles.size >= 40');
    await page.until('the alert', 'odograph.desk.alerts.list.alerts.length === 1');
    assert.equal(await page.text('#alerts-count'), '0');
    await publish('van-10/reported', reported(since + 5));
    await done(page);
});

test('the alerts of a recorder outlast a reload, and their acknowledgement has a name', async (context) => {
    const at = (seconds) => new Date(noon + (since - seconds) * 1000).toISOString();
    const rows = [
        { id: 'a1', device: 'van-14', kind: 'problem', time: at(20000), text: 'The disk is full.', is_open: true },
        { id: 'a2', device: 'van-15', kind: 'geofence', rule: 'night', time: at(9000), text: 'van-15 of acme left Depot', is_open: false },
        { id: 'a3', device: 'van-16', kind: 'silent', rule: 's', time: at(8000), text: 'van-16 of acme has been silent', is_open: false, end: at(5000) },
    ];
    const { requests } = await answering(context, ({ kind, alerts }) => {
        if (kind === 'acknowledge') {
            for (const row of rows) if (alerts.includes(row.id)) Object.assign(row, { acknowledged_by: 'dashboard', acknowledged_at: at(0) });
        }
        return [{ is_last: true, rows: kind === 'alerts' ? rows : rows.filter(({ id }) => alerts?.includes(id)) }];
    });
    const page = await open();
    await page.until('the count', 'document.querySelector("#alerts-count").textContent === "3"');
    await page.click('#alerts-button');
    const words = `[...document.querySelectorAll('.alert-list li')].map((item) => item.querySelector('.name').textContent + ': ' + item.querySelector('.words').textContent)`;
    await page.until('the list', 'document.querySelectorAll(".alert-list li").length === 3');
    const listed = await page.evaluate(words);
    assert.match(listed[0], /^van-16: Has been silent, until /);
    assert.deepEqual(listed.slice(1), ['van-15: Left Depot', 'van-14: The disk is full.']);
    await page.screenshot('page-recorded-alerts');
    await page.click('.alert-list li:nth-child(2) [title="Acknowledge"]');
    await page.until('it is acknowledged', 'document.querySelector("#alerts-count").textContent === "2"');
    for (const answer of ['Cancel', 'Acknowledge all']) {
        await page.click('.alerts .minor');
        await page.until('the question', 'document.querySelector("#ask").open');
        assert.equal(await page.text('#ask h2'), 'Acknowledge 2 alerts for everybody?');
        await page.screenshot('page-acknowledge-question');
        await page.press('#ask button', answer);
        await page.until('it is answered', '!document.querySelector("#ask").open');
        if (answer === 'Cancel') assert.equal(await page.text('#alerts-count'), '2');
    }
    await page.until('all are', 'document.querySelector("#alerts-count").textContent === "0"');
    assert.deepEqual(requests.filter(({ kind }) => kind === 'acknowledge').map(({ alerts }) => alerts), [['a2'], ['a3', 'a1']]);
    await page.reload();
    await page.until('the vehicles', 'globalThis.odograph?.desk?.fleet.vehicles.size >= 40');
    await page.click('#alerts-button');
    await page.press('.alert-options input');
    await page.until('who has acknowledged them', '/Acknowledged by dashboard, /.test(document.querySelector(".alert-list").textContent)');
    assert.equal(await page.text('#alerts-count'), '0');
    await page.screenshot('page-acknowledged');
    await done(page);
});

test('an alert opens its vehicle on the day of the alert, in the zone of the vehicle, and the list does not cover it', async () => {
    // Yesterday where the vehicle is, whatever day it is elsewhere.
    const zone = noonZone();
    await publish('van-14/reported', reported(since - 200, { time_zone: zone }));
    const page = await open();
    await page.until('the zone', `odograph.zoneOf(odograph.desk.fleet.vehicles.get('acme/van-14')) === '${zone}'`);
    const at = Date.now() - 86400000;
    await page.evaluate(`odograph.desk.alerts.recorded.replace('acme', [{ id: 'x', device: 'van-14', kind: 'problem', time: '${new Date(at).toISOString()}', text: 'Broken.', is_open: true }])`);
    await page.until('the count', 'document.querySelector("#alerts-count").textContent === "1"');
    for (const isOpen of [false, true]) {
        // The second time the vehicle is open, on another day.
        if (isOpen) await page.press('.days button', '›');
        await page.click('#alerts-button');
        await page.click('.alert-list .alert-open');
        await page.until('its day', `document.querySelector("#panel-name").textContent === "van-14" && document.querySelector(".days input").value === odograph.clock.clockOf('${zone}').date(${at})`);
        assert.equal(await page.evaluate('document.querySelector("#alerts").hidden'), true);
    }
    await page.screenshot('page-alert-day');
    await publish('van-14/reported', reported(since + 6));
    await done(page);
});

test('an acknowledgement that no recorder takes is not one', async () => {
    const page = await open();
    await page.evaluate(`odograph.desk.alerts.recorded.replace('acme', [{ id: 'x', device: 'van-14', kind: 'problem', time: '${new Date().toISOString()}', text: 'Broken.', is_open: true }])`);
    await page.until('the count', 'document.querySelector("#alerts-count").textContent === "1"');
    await page.click('#alerts-button');
    await page.click('.alert-list li [title="Acknowledge"]');
    await page.until('why', '/Not acknowledged: no recorder has answered/.test(document.querySelector("#alerts").textContent)');
    assert.equal(await page.text('#alerts-count'), '1');
    await done(page);
});

test('a chosen geofence alerts, and the browser notifies if the user wants it', async () => {
    const features = [{ type: 'Feature', id: 'yard', properties: { name: 'Yard', radius: 60 }, geometry: { type: 'Point', coordinates: [-3.7, 40.4] } }];
    await publish('all/geofences', JSON.stringify({ type: 'FeatureCollection', features }));
    await browser.call('Browser.grantPermissions', { origin: new URL(broker.address).origin, permissions: ['notifications'] });
    const page = await open();
    await page.evaluate(`globalThis.notified_ = []; globalThis.Notification = class {
        static permission = 'granted';
        constructor(title, { body }) { notified_.push(title + ': ' + body); }
    }; odograph.desk.alerts.settledAt = 0`);
    await page.click('#alerts-button');
    await page.evaluate('document.querySelector(".alerts details").open = true');
    await page.until('the geofence', '/Yard/.test(document.querySelector(".fence-choices").textContent)');
    await page.click('.fence-choices input');
    await page.press('.alert-options > label:nth-of-type(2) input');
    await page.until('notifications are on', 'odograph.desk.alerts.isNotifying');
    const geofence = { identifier: 'yard', action: 'ENTER', occurred_at: new Date().toISOString() };
    await publish('van-11/geofence', location(since + 1, { event: 'geofence', geofence }), false);
    await page.until('the notification', 'notified_.length === 1');
    assert.deepEqual(await page.evaluate('notified_'), ['van-11: Entered Yard']);
    await publish('all/geofences', '');
    await done(page);
});

test('a screen reader is told roles and names', async () => {
    const page = await open();
    // A speed is the present one for half a minute.
    await publish('van-1/location', location(Math.round((Date.now() - noon) / 1000), { coords: { speed: 12 } }));
    await publish('van-1/timeline', stay('a', since - 7200, null));
    await page.evaluate('odograph.desk.select(odograph.desk.fleet.vehicles.get("acme/van-1"), false)');
    await page.until('the table', '!!document.querySelector(".part-timeline table")');
    const nodes = await page.accessible();
    const named = (role) => nodes.filter((node) => node.role === role).map(({ name }) => name);
    for (const role of ['button', 'textbox', 'searchbox', 'combobox', 'option', 'listbox', 'region', 'image', 'table']) {
        assert.deepEqual(named(role).filter((name) => name === ''), [], `every ${role} has a name`);
    }
    assert.ok(named('option').includes('van-1 Moving, 43 km/h') || named('option').some((name) => /^van-1\b.*Moving, 43/.test(name)));
    assert.ok(named('image').some((name) => /^Today(, known .*)?: no trips; 1 stop/.test(name)));
    assert.ok(named('heading').includes('Odograph') && named('heading').includes('van-1'));
    assert.ok(nodes.some(({ role }) => role === 'columnheader' ) && nodes.some(({ role }) => role === 'status'));
    assert.deepEqual(await page.evaluate('[document.querySelector(".entry").getAttribute("aria-setsize"), document.documentElement.lang]'),
        ['40', 'en']);
    await done(page);
});

test('a phone’s width is enough, in the list and in the panel', async () => {
    const page = await open({ width: 375, height: 740, isPhone: true });
    // A stop that began some days ago has the widest row.
    await publish('van-1/timeline', stay('b', since - 3 * 86400, since));
    const overflow = 'document.documentElement.scrollWidth - window.innerWidth';
    assert.equal(await page.evaluate(overflow), 0);
    await page.screenshot('page-phone');
    await page.click('.entry');
    await page.until('the panel', '!document.querySelector("#panel").hidden');
    await page.until('the row of the stop', '!!document.querySelector(".part-timeline .times.dated")');
    assert.equal(await page.evaluate(overflow), 0);
    assert.equal(await page.evaluate('document.querySelector("#panel").scrollWidth <= document.querySelector("#panel").clientWidth'), true);
    await page.screenshot('page-phone-panel');
    await done(page);
});

test('marks that lie on each other have their number, and a click goes through them', async () => {
    const yard = { latitude: 40.45, longitude: -3.6, speed: 0 };
    for (const name of ['van-31', 'van-33', 'van-35']) await publish(`${name}/location`, location(since, { is_moving: false, coords: yard }));
    const page = await open();
    const names = 'odograph.desk.map.painters.vehicles.piles.map((pile) => pile.map(({ vehicle }) => vehicle.name))';
    const pile = await page.until('the pile', `${names}.find((pile) => pile.includes('van-31'))`);
    assert.deepEqual([...pile].sort(), ['van-31', 'van-33', 'van-35']);
    await page.screenshot('page-pile');
    const opened = [];
    for (const name of [...pile, pile[0]]) {
        const { x, y } = await page.evaluate(`(() => {
            const spot = odograph.desk.map.painters.vehicles.placed.find(({ vehicle }) => vehicle.name === 'van-31');
            const box = document.querySelector('#map').getBoundingClientRect();
            return { x: box.left + spot.x, y: box.top + spot.y };
        })()`);
        await page.clickAt(x, y);
        await page.until(name, `document.querySelector('#panel-name')?.textContent === '${name}'`);
        await page.until('its mark is drawn', `odograph.desk.map.painters.vehicles.selected?.name === '${name}' && odograph.desk.map.frame(Infinity) !== null`);
        opened.push(name);
    }
    assert.deepEqual(opened, [...pile, pile[0]]);
    await done(page);
});

test('a fresh page opens on the vehicles, however far a geofence is', async () => {
    const features = [{ type: 'Feature', id: 'far', properties: { radius: 60 }, geometry: { type: 'Point', coordinates: [40.4, -73.7] } }];
    await publish('all/geofences', JSON.stringify({ type: 'FeatureCollection', features }));
    const page = await open();
    await page.until('the geofence', 'odograph.desk.map.painters.fences.fences.length === 1');
    await page.until('the vehicles fill the map', 'odograph.desk.map.map.getZoom() >= 8');
    await page.click('#show-all');
    await page.until('all', 'odograph.desk.map.map.getZoom() < 4');
    await publish('all/geofences', '');
    await done(page);
});

test('a click on a mark opens its vehicle', async () => {
    const page = await open();
    const { x, y, name } = await page.until('a mark of its own', `(() => {
        const { placed } = odograph.desk.map.painters.vehicles;
        const spot = placed.find((one) => placed.every((other) => other === one || Math.hypot(one.x - other.x, one.y - other.y) > 30));
        const box = document.querySelector('#map').getBoundingClientRect();
        return spot && { x: box.left + spot.x, y: box.top + spot.y, name: spot.vehicle.name };
    })()`);
    await page.clickAt(x, y);
    await page.until('the panel', `document.querySelector('#panel-name')?.textContent === '${name}'`);
    await done(page);
});

test('what a vehicle says is text, and nothing else', async () => {
    const page = await open();
    const evil = '<img src=x onerror="document.title=1"><script>document.title=2</scr' + 'ipt>';
    const venue = { identifier: evil, name: evil, significance: evil };
    await publish('evil/location', location(since, { extras: { [evil]: evil } }), false);
    await publish('evil/timeline', stay('a', since - 600, since - 300, { venue }), false);
    await publish('evil/timeline', trip('b', since - 300, null, { transport_mode: evil }), false);
    await publish('evil/reported', reported(since, {
        agent_version: evil, levels: [{ level: evil, version: evil, hash: evil, applied: false }],
        errors: [{ topic: evil, path: evil, value: evil, message: evil }], ledger: [{ reason: evil, kind: evil, count: 1 }],
    }), false);
    await publish('evil/geofence', location(since, { seq: 1, geofence: { identifier: evil, action: evil } }), false);
    for (const payload of ['{', '[]', '{"location":{"coords":7}}', '{"timeline_event":{"waypoints":3}}', '\u0000', 'null']) {
        for (const channel of ['location', 'timeline', 'reported', 'status', 'geofence', 'config', 'geofences']) {
            await publish(`evil/${channel}`, payload, false);
        }
    }
    await page.until('it is there', 'odograph.desk.fleet.vehicles.get("acme/evil")?.fenceEvents.length === 1');
    await page.evaluate('odograph.desk.select(odograph.desk.fleet.vehicles.get("acme/evil"), false)');
    await page.until('its words', 'document.querySelector(".part-timeline").textContent.includes("<img")');
    assert.deepEqual(await page.evaluate('[document.title, document.querySelectorAll("#panel img, #panel script").length]'), ['Odograph', 0]);
    await page.until('the unreadable are counted', '/could not be read/.test(document.querySelector("#counters").textContent)');
    await done(page);
});

test('no number breaks the page', async () => {
    const page = await open();
    const huge = [2 ** 63 - 1, -(2 ** 63), 1e308, -1e308, 5e-324];
    for (const [index, number] of huge.entries()) {
        await publish('huge/location', location(since, {
            seq: index + 1, odometer: number, odometer_error: number, battery: { level: number }, driving: { kind: 'braking', peak_g: number, duration: number },
            event: 'driving', coords: { speed: number, heading: number, accuracy: number, altitude: number },
        }), false);
        await publish('huge/timeline', trip(`t${index}`, since - 600 + index, null, { distance_in_meters: number, driving: { acceleration: number } }), false);
        await publish('huge/reported', reported(since + index, {
            budget: { bytes: number, limit: number }, ledger: [{ reason: 'age', count: number, from: number, to: number }],
            configuration: { tracking: { heartbeat_interval: number, sampling: { maximum_interval: number } } },
        }), false);
    }
    await publish('huge/location', location(since, { seq: 99 }), false);
    await page.until('it is there', 'odograph.desk.fleet.vehicles.get("acme/huge")?.fix?.seq === 99');
    await page.evaluate('odograph.desk.select(odograph.desk.fleet.vehicles.get("acme/huge"), false)');
    await page.until('its panel', '/trips/.test(document.querySelector(".part-timeline").textContent)');
    assert.doesNotMatch(await page.text('#panel'), /NaN|Infinity|undefined|\d{17}/);
    await done(page);
});

test('a broker that wants to know who is looking is told', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'passwords');
    execFileSync('mosquitto_passwd', ['-b', '-c', file, 'desk', 'right'], { stdio: 'ignore' });
    fs.chmodSync(file, 0o644);
    const guarded = await Broker.start(process.env.ODOGRAPH_PAGE, `allow_anonymous false\npassword_file ${file}`);
    const page = await browser.open(guarded.address);
    const questions = ['/requires a login/', '/rejected the user name or the password/'];
    for (const [index, password] of ['wrong', 'right'].entries()) {
        const isRight = password === 'right';
        await page.until('the question', `document.querySelector("#sign-in").open
            && ${questions[index]}.test(document.querySelector("#sign-in-words").textContent)`);
        // Nobody was refused before a name was said.
        assert.equal(await page.evaluate('"calm" in document.querySelector("#alert").dataset'), !isRight);
        assert.match(await page.text('#alert'), isRight ? /rejects this user name or password/ : /requires a login/);
        await page.evaluate(`document.querySelector('#user').value = 'desk'; document.querySelector('#password').value = '${password}'`);
        if (!isRight) await page.screenshot('page-sign-in');
        await page.click('#sign-in button');
        if (isRight) await page.until('it is live', 'document.querySelector("#link").dataset.state === "online"');
    }
    await done(page, guarded);
    await guarded.end();
});

/** A server of pictures that counts what it is asked for. */
async function pictures() {
    const asked = [];
    const picture = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
    const server = http.createServer(({ url }, response) => {
        asked.push(url);
        response.writeHead(200, { 'content-type': 'image/gif', 'access-control-allow-origin': '*' }).end(picture);
    });
    await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    const { port } = server.address();
    return { asked, port, tiles: `http://127.0.0.1:${port}/{z}/{x}/{y}.gif`, end: () => new Promise((resolve) => { server.close(resolve); }) };
}

test('a link sends the page to no other server: neither for tiles nor for anything else', async () => {
    const evil = await pictures();
    for (const query of [`?tiles=${encodeURIComponent(evil.tiles)}`, `?broker=${encodeURIComponent(`ws://127.0.0.1:${evil.port}/`)}`]) {
        const page = await browser.open(`${broker.address}${query}`);
        await page.until('the vehicles', 'odograph.desk.fleet.vehicles.size >= 40');
        assert.match(page.errors.join(), /the address cannot set (tiles|broker)/);
        // Nor would the browser let it, whatever a script of the page tried.
        const blocked = await page.evaluate(`new Promise((resolve) => {
            document.addEventListener('securitypolicyviolation', ({ blockedURI }) => resolve(blockedURI), { once: true });
            new Image().src = 'http://127.0.0.1:${evil.port}/picture.gif';
        })`);
        assert.equal(new URL(blocked).port, `${evil.port}`);
        assert.equal(await page.evaluate(`fetch('http://127.0.0.1:${evil.port}/').then(() => 'sent', () => 'blocked')`), 'blocked');
        assert.equal(await page.evaluate(`new Promise((resolve) => {
            document.addEventListener('securitypolicyviolation', () => resolve('blocked'), { once: true });
            try {
                new WebSocket('ws://127.0.0.1:${evil.port}/').onopen = () => resolve('sent');
            } catch { resolve('blocked'); }
        })`), 'blocked');
        // The connection's worker is made like this one.
        assert.equal(await page.evaluate(`new Promise((resolve) => {
            const act = () => {
                addEventListener('securitypolicyviolation', () => postMessage('blocked'), { once: true });
                try {
                    new WebSocket('ws://127.0.0.1:${evil.port}/').onopen = () => postMessage('sent');
                } catch { postMessage('blocked'); }
            };
            const script = URL.createObjectURL(new Blob(['(' + act + ')()'], { type: 'text/javascript' }));
            new Worker(script).onmessage = ({ data }) => resolve(data);
        })`), 'blocked');
        await page.close();
    }
    assert.deepEqual(evil.asked, []);
    await evil.end();
});

test('tiles that config.js names are shown, and their server is the only one that the page may ask', async () => {
    const [named, other] = [await pictures(), await pictures()];
    const folder = temporaryFolder();
    fs.writeFileSync(path.join(folder, 'config.js'), `globalThis.odograph ??= {};
        globalThis.odograph.configured = { tiles: ${JSON.stringify(named.tiles)}, attribution: 'Somebody' };`);
    execFileSync(path.join(__dirname, '../build'), [folder], { stdio: 'ignore' });
    const served = await Broker.start(folder);
    const page = await browser.open(served.address);
    await until('tiles are asked for', () => named.asked.length > 0);
    await page.until('they are shown', 'document.querySelectorAll(".leaflet-tile-loaded").length > 0');
    assert.deepEqual(page.errors, []);
    assert.equal(await page.evaluate(`new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', () => resolve('blocked'), { once: true });
        new Image().src = 'http://127.0.0.1:${other.port}/picture.gif';
    })`), 'blocked');
    await page.screenshot('page-tiles');
    await page.close();
    // A setting that is changed later has no effect without the page's consent, and the page says so.
    fs.writeFileSync(path.join(folder, 'config.js'), `globalThis.odograph ??= {};
        globalThis.odograph.configured = { tiles: ${JSON.stringify(other.tiles)} };`);
    const changed = await browser.open(served.address);
    await until('it says so', () => changed.errors.some((error) => error.includes('run deploy/dashboard/build again')));
    await changed.close();
    assert.deepEqual(other.asked, []);
    await served.end();
    await Promise.all([named.end(), other.end()]);
});

test('without tiles the page draws the background that the user has made, and says so if tiles fail', async () => {
    const folder = temporaryFolder();
    const failing = http.createServer((_, response) => response.writeHead(404).end());
    await new Promise((resolve) => { failing.listen(0, '127.0.0.1', resolve); });
    const configure = (settings) => {
        fs.writeFileSync(path.join(folder, 'config.js'), `globalThis.odograph ??= {};
            globalThis.odograph.configured = ${JSON.stringify({ background: 'background.json', attribution: 'The owner <b>of</b> it', ...settings })};`);
        execFileSync(path.join(__dirname, '../build'), [folder], { stdio: 'ignore' });
    };
    configure({});
    execFileSync(path.join(__dirname, '../background'), [folder, path.join(__dirname, '../../lib/quickstart/town.geojson')], { stdio: 'ignore' });
    const served = await Broker.start(folder);
    const publisher = await served.client();
    await new Promise((resolve) => { publisher.publish('fleet/acme/van-1/location', location(since, { coords: { latitude: 40.4168, longitude: -3.7038 } }), { qos: 1, retain: true }, resolve); });
    publisher.end(true);
    const page = await browser.open(served.address);
    await page.until('the roads', 'odograph.desk.map.ground[1].background?.classes.minor.count > 5');
    await page.until('the vehicle', 'odograph.desk.map.painters.vehicles.placed.length === 1');
    // A road has another colour than the ground.
    const drawn = `(() => {
        const pen = document.querySelector('.leaflet-fences-pane canvas').getContext('2d');
        const { data } = pen.getImageData(0, 0, pen.canvas.width, pen.canvas.height);
        let count = 0;
        for (let index = 0; index < data.length; index += 4) if (data[index + 3] > 200 && data[index] > 250) count += 1;
        return count > 500;
    })()`;
    await page.until('they are drawn', drawn);
    // The names of roads and places are on the map, and the list says where a vehicle is.
    assert.ok((await page.evaluate(drawnTexts('vehicles'))).some((text) => /^(Road|Street|Avenue|Motorway) \d+$/.test(text)));
    assert.match(await page.evaluate('document.querySelector(".entry .words").textContent'), /^(Parked|Moving.*|In traffic) · Road \d+, near Depot 1$/);
    assert.match(await page.text('.leaflet-control-attribution'), /The owner bof\/b it/);
    await page.screenshot('page-background');
    await page.dark(true);
    await page.screenshot('page-background-dark');
    await done(page, served);
    configure({ tiles: `http://127.0.0.1:${failing.address().port}/{z}/{x}/{y}.png` });
    const tiled = await browser.open(served.address);
    await tiled.until('the page says so', '!document.querySelector("#map-note").hidden');
    await tiled.until('the grid and the roads are there', `!odograph.desk.map.ground.some(({ isHidden }) => isHidden) && ${drawn}`);
    await tiled.screenshot('page-tiles-fail');
    await tiled.close();
    await served.end();
    await new Promise((resolve) => { failing.close(resolve); failing.closeAllConnections(); });
});

test('a wrong setting is told when the page is built, and nothing is written', () => {
    const folder = temporaryFolder();
    for (const [config, words] of [
        ["globalThis.odograph.configured = { tiles: 'https://tiles.example/' }", /tiles is not an address/],
        ["globalThis.odograph.configured = { broker: 'https://broker.example/' }", /broker is not the address/],
        ['globalThis.odograph.configured = {', /config\.js/],
    ]) {
        fs.writeFileSync(path.join(folder, 'config.js'), config);
        const { status: code, stderr } = spawnSync(path.join(__dirname, '../build'), [folder], { encoding: 'utf8' });
        assert.equal(code, 65);
        assert.match(stderr, words);
        assert.deepEqual(fs.readdirSync(folder), ['config.js']);
    }
});

test('a thousand vehicles at one position a second are borne, in bounded memory', async (context) => {
    const large = await Broker.start(process.env.ODOGRAPH_PAGE);
    const client = await large.client();
    const traffic = await drive(client, 1000);
    context.after(async () => {
        traffic.stop();
        client.end(true);
        await large.end();
    });
    const page = await browser.open(large.address, { width: 1440, height: 900 });
    await page.until('all are there', 'odograph.desk.fleet.vehicles.size === 1000', 60);
    await page.evaluate('globalThis.frames_ = 0; (function tick() { frames_ += 1; requestAnimationFrame(tick); })()');
    const before = await page.evaluate('({ frames: frames_, at: performance.now(), read: odograph.desk.fleet.counters.messages })');
    await sleep(8000);
    const after = await page.evaluate('({ frames: frames_, at: performance.now(), read: odograph.desk.fleet.counters.messages })');
    await page.call('HeapProfiler.collectGarbage');
    const { usedSize } = await page.call('Runtime.getHeapUsage');
    const time = (after.at - before.at) / 1000;
    context.diagnostic(`${((after.frames - before.frames) / time).toFixed(1)} frames/s, `
        + `${((after.read - before.read) / time).toFixed(0)} messages/s, ${(usedSize / 1e6).toFixed(1)} MB`);
    await page.screenshot('page-thousand');
    const { rows, trails, size } = await page.evaluate(`({
        rows: document.querySelectorAll('.entry').length, size: odograph.desk.map.painters.vehicles.placed.length,
        trails: Math.max(...[...odograph.desk.fleet.vehicles.values()].map(({ trail }) => trail.length)),
    })`);
    assert.ok(rows < 60, `${rows} rows on the page`);
    assert.ok(trails > 2 && trails <= 240, `${trails} points in a trail`);
    assert.ok(size > 900, `${size} vehicles on the map`);
    assert.ok(usedSize < 80e6, `${usedSize} bytes of heap`);
    await done(page, large);
});
