'use strict';
// The page in a real browser and at a real broker: how it is used, and how it bears what it is told.

const { test, before, after } = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const http = require('node:http');
const { execFileSync, spawnSync } = require('node:child_process');
const { Broker } = require('./support/broker.js');
const { Chromium } = require('./support/chromium.js');
const { drive } = require('./support/traffic.js');
const { temporaryFolder, sleep, until } = require('./support/processes.js');
const { noon, location, stay, trip, reported, status } = require('./messages.js');

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

test('everything can be done with the keyboard', async () => {
    const page = await open();
    await page.key('/');
    assert.equal(await page.evaluate('document.activeElement.id'), 'search');
    await page.type('van-1');
    await page.until('the list is narrowed', 'document.querySelectorAll(".entry:not([hidden])").length === 11');
    await page.key('Tab');
    await page.key('Tab');
    assert.equal(await page.evaluate('document.activeElement.id'), 'list');
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
    await done(page);
});

test('filters narrow the list and say how many there are', async () => {
    const page = await open();
    await page.click('#filters button:nth-child(3)');
    await page.until('parked ones only', '[...document.querySelectorAll(".entry:not([hidden])")].every((row) => row.dataset.kind === "parked")');
    assert.equal(await page.text('#filters button[aria-pressed="true"]'), 'Parked 20');
    await page.click('#filters button:nth-child(5)');
    await page.until('a word where there is none', '/No vehicle matches the filter/.test(document.querySelector("#nothing").textContent)');
    await done(page);
});

test('a screen reader is told roles and names', async () => {
    const page = await open();
    await publish('van-1/timeline', stay('a', since - 7200, since - 3600));
    await page.evaluate('odograph.desk.select(odograph.desk.fleet.vehicles.get("acme/van-1"), false)');
    await page.until('the table', '!!document.querySelector(".part-timeline table")');
    const nodes = await page.accessible();
    const named = (role) => nodes.filter((node) => node.role === role).map(({ name }) => name);
    for (const role of ['button', 'textbox', 'searchbox', 'combobox', 'option', 'listbox', 'region', 'image', 'table']) {
        assert.deepEqual(named(role).filter((name) => name === ''), [], `every ${role} has a name`);
    }
    assert.ok(named('option').includes('van-1 Moving, 43 km/h') || named('option').some((name) => /^van-1\b.*Moving, 43/.test(name)));
    assert.ok(named('image').some((name) => name.startsWith('Today: no trips; 1 stop')));
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
