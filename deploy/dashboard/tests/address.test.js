'use strict';
// What the address of the page names, the browser's Back, the day that is typed, and vehicles that come and go.

const { test, before, after } = require('node:test');
const assert = require('node:assert/strict');
const { Desk, since } = require('./support/desk.js');
const { noon, noonZone, iso, location, reported, status } = require('./messages.js');

let desk;
before(async () => {
    desk = await Desk.start(3);
    for (const name of ['van-1', 'van-2']) await desk.publish(`${name}/reported`, reported(since, { time_zone: noonZone() }));
});
after(async () => { await desk?.end(); });

const day = (offset) => {
    const at = new Date(noon + since * 1000 + offset * 86400000);
    return new Intl.DateTimeFormat('en-CA', { timeZone: noonZone() }).format(at);
};
const name = 'document.querySelector("#panel-name").textContent';
const isOpen = '!document.querySelector("#panel").hidden';
const note = 'document.querySelector("#note")';

/** A page at an address: the broker's with a fragment. */
async function openAt(fragment) {
    const page = await desk.browser.open(`${desk.broker.address}${fragment}`);
    await page.until('the vehicles', 'odograph.desk.fleet.vehicles.size >= 3');
    return page;
}

test('Back closes the vehicle that was opened, and Forward opens it with its day', async () => {
    const page = await openAt('');
    const open = (key) => page.evaluate(`odograph.desk.select(odograph.desk.fleet.vehicles.get("${key}"), false)`);
    await open('acme/van-1');
    await open('acme/van-2');
    await page.click('.days button');
    await page.until('the day', `location.hash === "#acme/van-2/${day(-1)}"`);
    await page.evaluate('history.back()');
    await page.until('no vehicle', `!(${isOpen}) && location.hash === ""`);
    await page.evaluate('history.forward()');
    await page.until('the vehicle and its day', `${isOpen} && ${name} === "van-2" && odograph.desk.date === "${day(-1)}"`);
    assert.equal(await page.evaluate('location.hash'), `#acme/van-2/${day(-1)}`);
    await desk.done(page);
});

test('the address names a day; a day to come is today', async () => {
    const page = await openAt(`#acme/van-1/${day(-3)}`);
    await page.until('the day', `${isOpen} && document.querySelector(".days input").value === "${day(-3)}"`);
    await page.evaluate(`location.hash = "#acme/van-1/${day(9)}"`);
    await page.until('today', 'odograph.desk.date === null && location.hash === "#acme/van-1"');
    await desk.done(page);
});

test('a vehicle of the address that nobody knows is said, until it is there', async () => {
    const page = await openAt('#acme/van-9');
    await page.until('the note', `!${note}.hidden && /names acme\\/van-9, and no vehicle/.test(${note}.textContent)`);
    await page.screenshot('address-unknown');
    await desk.publish('van-9/location', location(since), { retain: false });
    await page.until('it is open', `${isOpen} && ${name} === "van-9"`);
    await page.until('no note of it', `!/van-9/.test(${note}.textContent)`);
    await desk.done(page);
});

test('a day can be typed, while the page draws, and half of a year is no day', async () => {
    const page = await openAt('#acme/van-1');
    await page.until('the panel', isOpen);
    const wanted = day(-2);
    const digits = await page.evaluate(`(() => {
        const parts = new Intl.DateTimeFormat(navigator.language).formatToParts(new Date("${wanted}T12:00:00Z"));
        document.querySelector(".days input").focus();
        globalThis.dates_ = [];
        const { past } = odograph.desk;
        const dayOf = past.dayOf.bind(past);
        past.dayOf = (vehicle, day) => { globalThis.dates_.push(day.date); return dayOf(vehicle, day); };
        return parts.filter(({ type }) => type !== "literal").map(({ type, value }) => (type === "year" ? value : value.padStart(2, "0"))).join("");
    })()`);
    for (const [index, digit] of [...digits].entries()) {
        await page.key(digit, { code: `Digit${digit}`, text: digit });
        // The panel is drawn anew between two keys.
        await desk.publish('van-1/location', location(since + 1 + index, { odometer: 50000 + 1000 * index }));
        await page.until('the position', `new RegExp("Odometer${50 + index}\\\\.0 km").test(document.querySelector(".part-now").textContent)`);
    }
    await page.until('the day', `odograph.desk.date === "${wanted}"`);
    const dates = await page.evaluate('[...new Set(globalThis.dates_)]');
    assert.deepEqual(dates.filter((date) => date < '2000'), []);
    await desk.done(page);
});

test('a problem of a vehicle is an alert, and has a sign in the list', async () => {
    const problems = [{ code: 'store_failed', text: 'the disk is full', since: iso(noon + (since - 9 * 86400) * 1000) }];
    await desk.publish('van-3/status', JSON.stringify({ ...JSON.parse(status('online', 1)), problems }));
    const page = await openAt('');
    const row = '[...document.querySelectorAll(".entry")].find((node) => node.querySelector(".name").textContent === "van-3")';
    await page.until('the sign', `/, the disk is full/.test(${row}.querySelector(".signs").textContent)`);
    await page.click('#alerts-button');
    await page.until('the alert', '/van-3.*The disk is full/.test(document.querySelector(".alert-list").textContent)');
    await page.screenshot('address-problem');
    await desk.publish('van-3/status', status('online', 1));
    await page.until('it is over', `${row}.querySelector(".signs").textContent === ""`);
    await desk.done(page);
});

test('a vehicle that is removed from the broker leaves the page, with its panel', async () => {
    await desk.publish('gone/location', location(since));
    await desk.publish('gone/status', status('online', 1));
    const page = await openAt('#acme/gone');
    await page.until('the panel', `${isOpen} && ${name} === "gone"`);
    for (const channel of ['location', 'status']) await desk.publish(`gone/${channel}`, '');
    await page.until('it is gone', `!(${isOpen}) && ![...document.querySelectorAll(".entry:not([hidden]) .name")].some((node) => node.textContent === "gone")`);
    assert.equal(await page.evaluate('location.hash'), '');
    await desk.done(page);
});

test('without a fleet the page says why there are no geofences', async () => {
    const page = await desk.browser.open(`${desk.broker.address}?root=empty`);
    await page.click('#geofences-button');
    await page.until('why', `/No fleet is known yet/.test(${note}.textContent) && !${note}.hidden`);
    await desk.done(page);
});
