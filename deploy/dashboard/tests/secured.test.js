'use strict';
// The page as a dispatcher on another machine has it: over TLS, from a broker that wants to know who is looking.

const { test, before, after } = require('node:test');
const assert = require('node:assert/strict');
const { createHash, X509Certificate } = require('node:crypto');
const { Chromium } = require('./support/chromium.js');
const { Fleet } = require('./support/fleet.js');
const { location, status } = require('./messages.js');

const ann = { person: 'ann', role: 'dashboard', password: 'correct horse battery' };
const bob = { person: 'bob', role: 'operator', password: 'staple of another desk' };
let fleet;
let browser;
let vehicle;
const since = Math.round(Date.now() / 1000 - Date.parse('2026-11-21T12:00:00.000Z') / 1000);

const publish = (topic, payload) => new Promise((resolve) => {
    vehicle.publish(`fleet/acme/van-7/${topic}`, payload, { qos: 1, retain: true }, resolve);
});

before(async () => {
    fleet = await Fleet.start(process.env.ODOGRAPH_PAGE, { vehicle: 'van-7', people: [ann, bob] });
    vehicle = await fleet.vehicle('van-7');
    // The browser takes this one key for what an authority would vouch for, and no other.
    const key = new X509Certificate(fleet.certificate).publicKey.export({ type: 'spki', format: 'der' });
    const pin = createHash('sha256').update(key).digest('base64');
    browser = await Chromium.start([`--ignore-certificate-errors-spki-list=${pin}`]);
});

after(async () => {
    await browser?.end();
    vehicle?.end(true);
    await fleet?.end();
});

/** Opens the page as a person. */
async function signedIn({ person, password } = ann) {
    const page = await browser.open(fleet.address);
    await page.until('the question', 'document.querySelector("#sign-in").open');
    await page.evaluate(`document.querySelector('#user').value = '${person}';
        document.querySelector('#password').value = '${password}'`);
    await page.click('#sign-in button');
    await page.until('it is live', 'document.querySelector("#link").dataset.state === "online"');
    return page;
}

test('the page, its question and its vehicles come over TLS', async () => {
    await publish('status', status('online', since));
    await publish('location', location(since));
    const page = await signedIn();
    await page.until('the vehicle', 'odograph.desk.fleet.vehicles.has("acme/van-7")');
    await publish('location', location(since + 1, { coords: { latitude: 41 } }));
    await page.until('it moves', 'odograph.desk.fleet.vehicles.get("acme/van-7").fix.latitude === 41');
    await page.screenshot('page-secured');
    assert.deepEqual(page.errors, []);
    const asked = page.requests.map((address) => new URL(address));
    assert.deepEqual([...new Set(asked.map(({ host }) => host))], [new URL(fleet.address).host]);
    assert.deepEqual([...new Set(asked.map(({ protocol }) => protocol))].sort(), ['https:', 'wss:']);
    const header = await page.evaluate('fetch("config.js").then(({ headers }) => headers.get("x-frame-options"))');
    assert.equal(header, 'DENY');
});

test('one person has two pages open at once, and both stay live', async () => {
    const pages = [await signedIn(), await signedIn()];
    for (const [index, latitude] of [42, 43, 44].entries()) {
        await publish('location', location(since + 2 + index, { coords: { latitude } }));
        for (const page of pages) {
            await page.until('it moves', `odograph.desk.fleet.vehicles.get("acme/van-7").fix.latitude === ${latitude}`);
            assert.equal(await page.evaluate('document.querySelector("#link").dataset.state'), 'online');
        }
    }
    for (const page of pages) {
        assert.deepEqual(page.errors, []);
        await page.close();
    }
});

const geofence = { type: 'Feature', id: 'depot', properties: { radius: 150, name: 'Depot' }, geometry: { type: 'Point', coordinates: [-3, 40] } };

test('who may only look sees the geofences and why they cannot be changed; an operator changes them under the own name', async () => {
    const operator = await signedIn(bob);
    await operator.until('the vehicle', 'odograph.desk.fleet.vehicles.has("acme/van-7")');
    await operator.click('#geofences-button');
    await operator.until('the editor', '[...document.querySelectorAll("#editor button")].some(({ textContent }) => textContent === "New circle")');
    const topic = 'fleet/acme/all/geofences';
    const written = await operator.evaluate(`odograph.desk.link.write('${topic}', ${JSON.stringify(JSON.stringify({ type: 'FeatureCollection', features: [geofence] }))})`);
    assert.equal(written, 'done');
    await operator.until('its own set', 'odograph.desk.geofences.draft.features.length === 1');
    const looker = await signedIn();
    await looker.until('the set, with its sender', 'odograph.desk.fleet.fences.documentOf("acme", "all").sender === "bob"');
    await looker.click('#geofences-button');
    await looker.until('why not', '/may not change geofences/.test(document.querySelector("#editor [role=status]").textContent)');
    await looker.until('the geofence', '/Depot/.test(document.querySelector(".fence-list").textContent)');
    assert.equal(await looker.evaluate('document.querySelectorAll("#editor input, #editor .handle").length'), 0);
    await looker.screenshot('secured-geofences');
    // Nor does the broker take it.
    assert.equal(await looker.evaluate(`odograph.desk.link.write('${topic}', '')`), 'refused');
    for (const page of [operator, looker]) {
        assert.deepEqual(page.errors, []);
        await page.close();
    }
});
