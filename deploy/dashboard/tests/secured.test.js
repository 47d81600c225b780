'use strict';
// The page as a dispatcher on another machine has it: over TLS, from a broker that wants to know who is looking.

const { test, before, after } = require('node:test');
const assert = require('node:assert/strict');
const { createHash, X509Certificate } = require('node:crypto');
const { Chromium } = require('./support/chromium.js');
const { Fleet } = require('./support/fleet.js');
const { location, status } = require('./messages.js');

const ann = { person: 'ann', password: 'correct horse battery' };
let fleet;
let browser;
let vehicle;
const since = Math.round(Date.now() / 1000 - Date.parse('2026-11-21T12:00:00.000Z') / 1000);

const publish = (topic, payload) => new Promise((resolve) => {
    vehicle.publish(`fleet/acme/van-7/${topic}`, payload, { qos: 1, retain: true }, resolve);
});

before(async () => {
    fleet = await Fleet.start(process.env.ODOGRAPH_PAGE, { vehicle: 'van-7', ...ann });
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

/** Opens the page as ann. */
async function signedIn() {
    const page = await browser.open(fleet.address);
    await page.until('the question', 'document.querySelector("#sign-in").open');
    await page.evaluate(`document.querySelector('#user').value = '${ann.person}';
        document.querySelector('#password').value = '${ann.password}'`);
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
