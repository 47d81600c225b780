'use strict';
// Reports of a day and of a month, of one vehicle, a group and all.

const { test, before, after } = require('node:test');
const assert = require('node:assert/strict');
const { Desk, since } = require('./support/desk.js');
const { iso, stay, trip, reported, status } = require('./messages.js');

let desk;
before(async () => {
    desk = await Desk.start(4);
    // van-2 has stated no zone: its days are those of UTC, as the recorder counts them.
    for (const name of ['van-1', 'van-3']) await desk.publish(`${name}/reported`, reported(since, { time_zone: 'Europe/Madrid' }));
    await desk.publish('van-4/reported', reported(since, { groups: ['north'], time_zone: 'Europe/Madrid' }));
    await desk.publish('van-1/about', JSON.stringify({ plate: '1234 BCD' }));
});
after(async () => { await desk?.end(); });

const event = (payload) => JSON.parse(payload).timeline_event;
const dates = (first, last) => {
    const found = [];
    for (let at = Date.parse(`${first}T12:00:00Z`); iso(at).slice(0, 10) <= last; at += 86400000) found.push(iso(at).slice(0, 10));
    return found;
};

/** A recorder that knows each vehicle but van-3. A busy one refuses the first request of van-2, since there were too many. */
function recorder({ isBusy = false } = {}) {
    let isFirst = isBusy;
    return ({ kind, device, first_day: first, last_day: last, from }) => {
        if (device === 'van-3') return [{ status: 'error', code: 'unknown_device', error: 'unknown' }];
        if (device === 'van-2' && isFirst) {
            isFirst = false;
            return [{ status: 'error', code: 'too_many', error: 'too many requests' }];
        }
        if (kind === 'days') return [{ rows: dates(first, last).map((day, index) => (index === 1 ? { day } : {
            day, trips: 2, stops: 3, distance_in_meters: 12000, private_distance_in_meters: 1000, tagged_distance_in_meters: 0, unseen_distance_in_meters: 0,
            transit_duration: 1800, first_start: `${day}T08:00:00.000Z`, last_end: `${day}T17:00:00.000Z` })) }];
        if (kind === 'track') return [{ rows: [{ timestamp: from, latitude: 40, longitude: -3, epoch: 1, seq: 1, odometer: Date.parse(from) % 86400000 === 0 ? 1 : 120000 }] }];
        return [{ rows: [event(trip('a', 0, 600, { driver: 'Ana' })), event(stay('b', 600, 4200, { venue: { identifier: 'd', name: 'Depot' } }))] }];
    };
}

async function opened(options) {
    const page = await desk.open(options);
    await page.click('#reports-button');
    await page.until('the form', 'document.activeElement.id === "reports"');
    return page;
}

const make = async (page, wish) => {
    await page.evaluate(`(() => {
        for (const [label, value] of Object.entries(${JSON.stringify(wish)})) {
            const node = [...document.querySelectorAll('#reports label')].find((one) => one.firstChild.textContent === label && !one.hidden).querySelector('select, input');
            node.value = value;
            node.dispatchEvent(new Event('change'));
        }
    })()`);
    await page.click('#reports .main');
    await page.until('the table', '!!document.querySelector("#reports table")', 60);
};
const rows = `[...document.querySelectorAll('#reports tbody tr, #reports tfoot tr')].map((row) => [...row.children].map(({ textContent }) => textContent))`;

test('a report of a day has a row for each vehicle with its odometer, and is printed and saved', async (context) => {
    await desk.answering(context, recorder({ isBusy: true }));
    const page = await opened();
    const saved = await page.saving();
    await make(page, { Report: 'distances', Of: 'all', Day: '2026-11-21' });
    const found = await page.evaluate(rows);
    assert.deepEqual(found.map((row) => row.slice(0, 7)), [
        ['van-1', '1234 BCD', '2', '12.0', '1.0', '0.0', '0:30'], ['van-2', '', '2', '12.0', '1.0', '0.0', '0:30'], ['van-3', '', '', '', '', '', ''],
        ['van-4', '', '2', '12.0', '1.0', '0.0', '0:30'], ['Total', '', '6', '36.0', '3.0', '0.0', '1:30']]);
    assert.match(found[0].slice(7).join('|'), /^Sat 21 Nov, 09:00\|Sat 21 Nov, 18:00\|120\.0\|Sat 21 Nov, 00:00\|120\.0\|Sat 21 Nov, 17:59$/);
    assert.equal(found[1].slice(7).join('|'), 'Sat 21 Nov, 08:00|Sat 21 Nov, 17:00|0.0|Sat 21 Nov, 00:00|120.0|Sat 21 Nov, 16:59');
    assert.match(await page.text('.report-result h3'), /^Distances: all vehicles, Saturday 21 November 2026$/);
    await page.screenshot('report-day');
    await page.dark(true);
    await page.screenshot('report-day-dark');
    await page.press('#reports .actions button', 'CSV');
    const [[, text]] = await saved(1);
    assert.match(text, /^\ufeffVehicle,Plate,Trips,"?Distance, km"?,/);
    // On paper there is the report and nothing else.
    await page.call('Emulation.setEmulatedMedia', { media: 'print' });
    const shown = (selector) => page.evaluate(`[...document.querySelectorAll('${selector}')].some((node) => node.checkVisibility())`);
    assert.deepEqual([await shown('.report-result table'), await shown('#map'), await shown('.side'), await shown('.top'), await shown('#reports form')], [true, false, false, false, false]);
    assert.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(255, 255, 255)');
    await page.screenshot('report-print');
    await desk.done(page);
});

test('a month of one vehicle has a row for each day; a day of which nothing is known is empty', async (context) => {
    await desk.answering(context, recorder());
    const page = await opened();
    await make(page, { Report: 'distances', Of: 'acme/van-1', Period: 'month', Month: '2026-10' });
    const found = await page.evaluate(rows);
    assert.deepEqual([found.length, found[0].slice(0, 3), found[1].slice(0, 3), found.at(-1).slice(0, 3)],
        [32, ['2026-10-01', '2', '12.0'], ['2026-10-02', '', ''], ['Total', '60', '360.0']]);
    assert.match(await page.text('.report-result .soft'), /Odometer 120\.0 km at first, 120\.0 km at last\./);
    await desk.done(page);
});

test('on a phone a row of the report is one line, and only the table scrolls sideways', async (context) => {
    await desk.answering(context, recorder());
    const page = await opened({ width: 390, height: 740, isPhone: true });
    await make(page, { Report: 'distances', Of: 'all', Day: '2026-11-21' });
    const [tallest, overTable, overPage] = await page.evaluate(`[Math.max(...[...document.querySelectorAll('#reports tbody tr')].map(({ offsetHeight }) => offsetHeight)),
        document.querySelector('.wide').scrollWidth - document.querySelector('.wide').clientWidth, document.documentElement.scrollWidth - window.innerWidth]`);
    assert.ok(tallest < 35, `${tallest} px`);
    assert.ok(overTable > 0);
    assert.equal(overPage, 0);
    await page.screenshot('report-phone-table');
    // A list of vehicles would be a line without an end.
    await page.evaluate(`odograph.desk.reports.sheet.show({ title: 'T', subtitle: '', columns: ['Driver', 'Vehicles'].map((words) => ({ words, isNumber: false })),
        rows: [['Ana', Array.from({ length: 60 }, (_, index) => 'van-' + index).join(', ')]], total: ['Total', ''] })`);
    assert.ok(await page.evaluate('document.querySelector(".wide").scrollWidth') < 600);
    await desk.done(page);
});

test('drivers and the time in geofences are reported for a group', async (context) => {
    await desk.answering(context, recorder());
    const page = await opened();
    await make(page, { Report: 'drivers', Of: 'group:vans', Period: 'month', Month: '2026-11' });
    assert.deepEqual(await page.evaluate(rows), [['Ana', '2', '1.2', '0:20', 'van-1 (1234 BCD), van-2'], ['Total', '2', '1.2', '0:20', '']]);
    await make(page, { Report: 'places' });
    await page.until('the places', '/Geofence/.test(document.querySelector("#reports thead").textContent)');
    assert.deepEqual(await page.evaluate(rows), [['Depot', '2', '2:00', 'van-1 (1234 BCD), van-2'], ['Total', '2', '2:00', '']]);
    await desk.done(page);
});

/** Makes the report of the distances of 21 November. */
async function distances(page) {
    await make(page, { Report: 'distances', Of: 'all', Day: '2026-11-21' });
    return { found: await page.evaluate(rows), notes: await page.text('.report-result .soft') };
}

test('a trip over midnight, and an odometer that cannot be read, leave the distances', async (context) => {
    const answer = recorder();
    await desk.answering(context, (request) => {
        const { kind, device, from, to } = request;
        if (kind === 'track' && (device === 'van-4' || from >= to)) return [{ status: 'error', code: 'invalid', error: 'from must be before to' }];
        const [{ rows: told, ...rest }] = answer(request);
        return [{ ...rest, rows: kind !== 'days' ? told : told?.map((row) => ({ ...row, last_end: '2026-11-22T00:30:00.000Z' })) }];
    });
    const page = await opened();
    const { found, notes } = await distances(page);
    assert.deepEqual(found.map((row) => row.slice(0, 4)), [['van-1', '1234 BCD', '2', '12.0'], ['van-2', '', '2', '12.0'], ['van-3', '', '', ''],
        ['van-4', '', '2', '12.0'], ['Total', '', '6', '36.0']]);
    // The day of Madrid ends at 23:00 in UTC.
    assert.equal(found[0].slice(8).join('|'), 'Sun 22 Nov, 01:30|120.0|Sat 21 Nov, 00:00|120.0|Sat 21 Nov, 23:55');
    assert.match(notes, /^Made on \w{3} \d+ \w+ \d{4}, .*Without the odometer of van-4 \(from must be before to\)\.$/);
    await desk.done(page);
});

test('a fleet without a recorder does not end the report of the others, and is asked once', async (context) => {
    const requests = await desk.answering(context, recorder());
    const publish = (topic, payload) => new Promise((resolve) => { desk.operator.publish(`fleet/other/${topic}`, payload, { qos: 1, retain: true }, resolve); });
    for (const name of ['car-1', 'car-2']) await publish(`${name}/status`, status('online', 1));
    const page = await opened();
    await page.until('both fleets', 'odograph.desk.fleet.vehicles.size === 6');
    // As if the wait for recorders were over.
    await page.evaluate(`(() => {
        const { link } = odograph.desk.past;
        const exchange = link.exchange.bind(link);
        globalThis.others_ = 0;
        link.exchange = async (wish) => (/history:other/.test(wish.request) && JSON.parse(wish.payload).kind === "days" ? ++globalThis.others_ > 0 : exchange(wish));
    })()`);
    await page.evaluate('odograph.desk.reports.close()');
    await page.click('#reports-button');
    const { found, notes } = await distances(page);
    assert.equal(found.length, 7);
    assert.deepEqual(found[0].slice(0, 4), ['acme/van-1', '1234 BCD', '2', '12.0']);
    assert.match(notes, /Without other\/car-1 \(no recorder has answered\), other\/car-2 \(no recorder has answered\)\.$/);
    assert.equal(await page.evaluate('globalThis.others_'), 1);
    assert.ok(requests.length > 4);
    for (const name of ['car-1', 'car-2']) await publish(`${name}/status`, '');
    await page.until('one fleet', 'odograph.desk.fleet.fleetNames.size === 1');
    await desk.done(page);
});

test('without a recorder the report says so, and Escape closes it', async () => {
    const page = await opened({ width: 320, height: 740, isPhone: true });
    // As if the wait were over.
    await page.evaluate('odograph.desk.past.link.exchange = async () => true');
    await page.click('#reports .main');
    await page.until('why', '/No recorder has answered/.test(document.querySelector("#reports [role=status]").textContent)');
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'), 0);
    await page.screenshot('report-phone');
    await page.key('Escape');
    await page.until('it is closed', 'document.querySelector("#reports").hidden && document.activeElement.id === "reports-button"');
    await desk.done(page);
});
