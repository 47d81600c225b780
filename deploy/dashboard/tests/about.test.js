'use strict';
// What people write about a vehicle on the page, and what the page says of certificates and of a recorder's alerts.

const { test, before, after } = require('node:test');
const assert = require('node:assert/strict');
const { drawnTexts } = require('./support/drawn.js');
const { Desk, since } = require('./support/desk.js');
const { noon, iso, reported } = require('./messages.js');

let desk;
before(async () => { desk = await Desk.start(6); });
after(async () => { await desk?.end(); });

const fill = (page, values) => page.evaluate(`(() => {
    for (const [name, value] of Object.entries(${JSON.stringify(values)})) document.querySelector('.about [name="' + name + '"]').value = value;
})()`);
const press = (page, words) => page.press('.part-about button, [aria-labelledby="title-about"] button, #ask button', words);
const written = async () => JSON.parse(await desk.retained('van-2/about'));
const select = (page) => page.evaluate('odograph.desk.select(odograph.desk.fleet.vehicles.get("acme/van-2"), false)');

test('driver, plate and note are written on the page, and found, listed and drawn on every page', async () => {
    const [page, other] = [await desk.open(), await desk.open()];
    await select(page);
    await press(page, 'Edit');
    assert.equal(await page.evaluate('document.activeElement.name'), 'driver');
    await fill(page, { driver: 'Ana Ruiz', plate: '1234 BCD', note: 'Cooling unit.\nKey at the gate.' });
    await page.screenshot('about-form');
    await press(page, 'Save');
    await page.until('the panel', '/Ana Ruiz.*1234 BCD.*Cooling unit/s.test(document.querySelector(".part-about dl").textContent)');
    assert.deepEqual(await written(), { driver: 'Ana Ruiz', plate: '1234 BCD', note: 'Cooling unit.\nKey at the gate.' });
    await other.evaluate('document.querySelector("#search").value = "1234b"; document.querySelector("#search").dispatchEvent(new Event("input"))');
    await other.until('the list', '[...document.querySelectorAll(".entry:not([hidden])")].map(({ textContent }) => textContent).join().startsWith("van-21234 BCD · Ana Ruiz")');
    await page.screenshot('about-panel');
    assert.ok((await page.evaluate(drawnTexts('vehicles'))).some((text) => text.startsWith('van-2  1234 BCD · Ana Ruiz')));
    assert.match(await page.evaluate('document.querySelector(\'.entry[aria-selected="true"] .about-short\').title'), /^1234 BCD · Ana Ruiz · Cooling unit/);
    await page.dark(true);
    await page.screenshot('about-panel-dark');
    // Leaving all fields empty removes the document.
    await press(page, 'Edit');
    await fill(page, { driver: '', plate: '', note: '' });
    await press(page, 'Save');
    await page.until('nothing', 'document.querySelector(".part-about dl").textContent.endsWith("–")');
    assert.equal(await desk.retained('van-2/about'), '');
    for (const one of [page, other]) await desk.done(one);
});

test('who saves later than another is asked, with both versions', async () => {
    await desk.publish('van-2/about', JSON.stringify({ driver: 'Ana', colour: 'red' }));
    const page = await desk.open();
    await select(page);
    await page.until('the driver', '/Ana/.test(document.querySelector(".part-about").textContent)');
    for (const [answer, expected] of [['Keep theirs', { driver: 'Bea', colour: 'red' }], ['Replace it by mine', { driver: 'Carla', colour: 'blue' }]]) {
        await press(page, 'Edit');
        await fill(page, { driver: 'Carla' });
        const theirs = answer === 'Keep theirs' ? { driver: 'Bea', colour: 'red' } : { driver: 'Dora', colour: 'blue' };
        await desk.publish('van-2/about', JSON.stringify(theirs), { properties: { userProperties: { sender: 'anna' } } });
        await page.until('the page has it', `odograph.desk.fleet.vehicles.get("acme/van-2").about.driver === "${theirs.driver}"`);
        await press(page, 'Save');
        await page.until('the question', 'document.querySelector("#ask").open');
        assert.equal(await page.text('#ask p'), `Driver: yours “Carla”, theirs “${theirs.driver}”`);
        assert.match(await page.text('#ask'), /^anna has changed it meanwhile/);
        await page.screenshot('about-question');
        await press(page, answer);
        await page.until('the form is closed', 'document.querySelector("form.about").hidden');
        assert.deepEqual(await written(), expected);
    }
    await desk.done(page);
});

const texts = '["driver", "plate", "note"].map((name) => document.querySelector(`.about [name="${name}"]`).value)';
const isFormOpen = '!document.querySelector("form.about").hidden';
const choose = (page, name) => page.evaluate(`odograph.desk.select(odograph.desk.fleet.vehicles.get("acme/${name}"), false)`);

test('what is written and not saved is there again when the vehicle is opened again', async () => {
    const page = await desk.open();
    await choose(page, 'van-3');
    await press(page, 'Edit');
    await fill(page, { driver: 'Eva', note: 'Calls at 5.' });
    await choose(page, 'van-4');
    await page.until('no form of another vehicle', '(document.querySelector("#panel-name").textContent === "van-4") && !(' + isFormOpen + ')');
    // A form in which nobody has written does not open again.
    await press(page, 'Edit');
    await choose(page, 'van-3');
    await page.until('the draft', isFormOpen);
    assert.deepEqual(await page.evaluate(texts), ['Eva', '', 'Calls at 5.']);
    await choose(page, 'van-4');
    await page.until('van-4 is as it was', '(document.querySelector("#panel-name").textContent === "van-4") && !(' + isFormOpen + ')');
    await choose(page, 'van-3');
    await page.until('the draft again', isFormOpen);
    await press(page, 'Cancel');
    for (const name of ['van-4', 'van-3']) {
        await choose(page, name);
        await page.until('nothing is left of it', `document.querySelector("#panel-name").textContent === "${name}" && !(${isFormOpen})`);
    }
    await desk.done(page);
});

test('the page says at once that it saves, and does not lose what could not be saved', async () => {
    const page = await desk.open();
    await choose(page, 'van-5');
    await press(page, 'Edit');
    await fill(page, { driver: 'Finn' });
    // The next save fails.
    await page.evaluate('(() => { const { link } = odograph.desk; link.write = async () => { delete link.write; return "refused"; }; })()');
    await press(page, 'Save');
    assert.equal(await page.text('.about [role="status"]:last-child'), 'Saving…');
    assert.equal(await page.evaluate('document.querySelector(".about [name=driver]").readOnly'), true);
    await page.screenshot('about-saving');
    await choose(page, 'van-6');
    await page.until('the other vehicle', `document.querySelector("#panel-name").textContent === "van-6" && !(${isFormOpen})`);
    await page.until('it was not saved', 'odograph.desk.link.write === odograph.Link.prototype.write');
    await choose(page, 'van-5');
    await page.until('why', '/The broker refuses|the broker refuses it/.test(document.querySelector("form.about").textContent)');
    assert.deepEqual(await page.evaluate(`[${isFormOpen}, ${texts}[0], document.querySelector('.about [role="status"]:last-child').textContent]`), [true, 'Finn', '']);
    // It goes on while another vehicle is looked at.
    await press(page, 'Save');
    await choose(page, 'van-6');
    await page.until('it is saved', 'odograph.desk.fleet.vehicles.get("acme/van-5").about?.driver === "Finn"');
    await choose(page, 'van-5');
    await page.until('the form is closed', `document.querySelector("#panel-name").textContent === "van-5" && !(${isFormOpen})`);
    assert.match(await page.text('.part-about dl'), /Finn/);
    await desk.publish('van-5/about', '');
    await desk.done(page);
});

test('certificates that end soon and the new alerts of a recorder are listed with their words, and say who has acknowledged them', async (context) => {
    const now = Date.now();
    const days = (count) => iso(now + count * 86400000);
    for (const index of [1, 2, 3]) {
        await desk.publish(`van-${index}/reported`, reported(since + 5, { certificates: { vehicle: days(index === 1 ? 12 : 300), broker: days(30), authority: days(900) } }));
    }
    const row = (id, device, kind, text, more = {}) => ({ id, device, kind, rule: id, time: iso(noon + (since - 4000) * 1000), text, is_open: true, ...more });
    await desk.answering(context, ({ kind }) => [{ rows: kind !== 'alerts' ? [] : [
        row('t', 'van-4', 'tow', 'van-4 of acme moves while its engine is off'), row('n', 'van-5', 'no_position', 'van-5 of acme has had no position for 2 h'),
        row('s', 'van-6', 'service', 'van-6 of acme is due for service in 300 km', { acknowledged_by: 'bob', acknowledged_at: iso(Date.now()) }),
    ] }]);
    const page = await desk.open();
    await page.until('the alerts', 'document.querySelector("#alerts-count").textContent === "4"');
    await page.click('#alerts-button');
    await page.press('.alert-options input');
    const items = '[...document.querySelectorAll(".alert-list li")].map((item) => item.querySelector(".alert-kind").textContent + ": " + item.querySelector(".name").textContent)';
    await page.until('all', 'document.querySelectorAll(".alert-list li").length === 5');
    assert.deepEqual((await page.evaluate(items)).sort(), [
        'Certificate: van-1', 'Certificate: van-1 and 2 more', 'No position: van-5', 'Service due: van-6', 'Towed: van-4']);
    assert.match(await page.text('.alert-list .acknowledged'), /Acknowledged by bob, \d\d:\d\d/);
    await page.screenshot('alerts-certificates');
    // Its time is 45 days before the end, and nothing happened then.
    await page.press('.alert-list [data-alert="certificate"] .alert-open', /^van-1(?! and)/);
    await page.until('today', 'document.querySelector("#panel-name").textContent === "van-1" && document.querySelector(".days input").value === odograph.clock.clockOf(null).date(Date.now())');
    await page.evaluate('odograph.desk.select(odograph.desk.fleet.vehicles.get("acme/van-1"), false)');
    await page.until('the certificates in the panel', '/Certificates.*The certificate of the vehicle ends on .*odograph 1\\.0\\.0/s.test(document.querySelector(".part-reported").textContent)');
    await desk.done(page);
});
