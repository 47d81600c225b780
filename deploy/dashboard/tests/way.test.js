'use strict';
// The way of a day with its speeds, its direction and its geofence events; and the vehicles nearest to a place.

const { test, before, after } = require('node:test');
const assert = require('node:assert/strict');
const { Desk, since } = require('./support/desk.js');
const { noon, stay, trip, reported } = require('./messages.js');

let desk;
before(async () => { desk = await Desk.start(6); });
after(async () => { await desk?.end(); });

const at = (seconds) => new Date(noon + seconds * 1000).toISOString();
const event = (payload) => JSON.parse(payload).timeline_event;
const start = since - 86400 - 3600;

/** A day that a recorder tells: a trip to the east that gets faster, with two geofences on its way. */
const answers = ({ kind }) => [{ rows: kind === 'timeline' ? [
    event(trip('a', start, start + 600, { distance_in_meters: 9000, waypoints: [{ latitude: 40.4, longitude: -3.7 }, { latitude: 40.4, longitude: -3.64 }] })),
    event(stay('c', start + 600, start + 86400, { location: { latitude: 40.4, longitude: -3.64 } })),
] : kind === 'track' ? [
    ...Array.from({ length: 60 }, (_, index) => ({ timestamp: at(start + index * 10), latitude: 40.4 + Math.sin(index / 8) / 200, longitude: -3.7 + index / 1000, speed: 3 + index * 0.6, heading: 90, is_moving: true })),
    { timestamp: at(start + 100), latitude: 40.4, longitude: -3.69, geofence: 'school', action: 'ENTER' },
    { timestamp: at(start + 200), latitude: 40.4, longitude: -3.68, geofence: 'school', action: 'EXIT' },
] : [] }];

async function openDay(page) {
    await page.evaluate('odograph.desk.select(odograph.desk.fleet.vehicles.get("acme/van-2"), false)');
    const date = await page.evaluate(`odograph.clock.clockOf(null).date(${noon + start * 1000})`);
    await page.evaluate(`(() => {
        const field = document.querySelector('.days input');
        field.value = '${date}';
        field.dispatchEvent(new Event('change'));
    })()`);
    await page.until('the trip', '/9\\.0 km/.test(document.querySelector(".part-timeline").innerText)');
}

const play = (page) => page.press('.actions button', 'Play on the map');
/** The colours of the strokes of a frame. */
const colors = `(() => {
    const found = new Set();
    const { stroke, fill } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.stroke = function () { found.add(this.strokeStyle); stroke.call(this); };
    CanvasRenderingContext2D.prototype.fill = function (...values) { found.add('fill ' + this.fillStyle); fill.apply(this, values); };
    odograph.desk.map.layers.trails.invalidate();
    odograph.desk.map.layers.trails.frame();
    Object.assign(CanvasRenderingContext2D.prototype, { stroke, fill });
    return [...found];
})()`;

/** The colours of the lines of a frame, and whether they are dashed. A stroke without a line paints nothing. */
const lines = `(() => {
    const found = [];
    const { stroke, beginPath, lineTo } = CanvasRenderingContext2D.prototype;
    let isLine = false;
    Object.assign(CanvasRenderingContext2D.prototype, {
        beginPath() { isLine = false; beginPath.call(this); },
        lineTo(x, y) { isLine = true; lineTo.call(this, x, y); },
        stroke() {
            if (isLine) found.push([this.strokeStyle, this.getLineDash().length > 0]);
            stroke.call(this);
        },
    });
    odograph.desk.map.layers.trails.invalidate();
    odograph.desk.map.layers.trails.frame();
    Object.assign(CanvasRenderingContext2D.prototype, { stroke, beginPath, lineTo });
    return found;
})()`;

test('the way of a day has the colours of its speeds and arrows, and a graph under the map that is clicked to go to an instant', async (context) => {
    await desk.answering(context, answers);
    const page = await desk.open();
    await openDay(page);
    const ink = await page.evaluate('odograph.desk.theme.colors.ink');
    await page.until('a shown day has arrows', `(${colors}).includes('fill ' + odograph.desk.theme.colors.ink)`);
    await play(page);
    await page.until('the player', '!document.querySelector("#player").hidden');
    const seen = await page.evaluate(colors);
    for (const band of [0, 1, 2, 3, 4]) {
        const color = await page.evaluate(`odograph.desk.theme.colors['speed-${band}']`);
        assert.ok(seen.includes(color), `${color} of band ${band} is in ${seen}`);
    }
    assert.ok(seen.includes(`fill ${ink}`), 'arrows');
    assert.match(await page.evaluate('document.querySelector(".speed-graph svg").getAttribute("aria-label")'), /^Speed: at most 138 km\/h at \d\d:\d\d$/);
    const box = await page.evaluate(`(() => { const { left, top, width, height } = document.querySelector('.speed-graph svg').getBoundingClientRect(); return { left, top, width, height }; })()`);
    await page.clickAt(box.left + box.width / 2, box.top + box.height / 2);
    const first = noon + start * 1000;
    await page.until('the instant', `Math.abs(odograph.desk.playback.at - ${first + 295000}) < 3000`);
    assert.equal(await page.evaluate('Math.abs(document.querySelector("#player input").value - odograph.desk.playback.at) <= 1000'), true);
    await page.screenshot('way-speeds');
    await page.dark(true);
    await page.screenshot('way-speeds-dark');
    await desk.done(page);
});

test('a speed that is not known has a line and words of its own, and no scale', async (context) => {
    const withoutSpeed = ({ kind }) => answers({ kind }).map(({ rows }) => ({ rows: rows.map(({ speed, ...row }) => row) }));
    await desk.answering(context, withoutSpeed);
    const page = await desk.open();
    await openDay(page);
    await play(page);
    await page.until('the player', '!document.querySelector("#player").hidden');
    for (const isDark of [false, true]) {
        await page.dark(isDark);
        const [seen, unknown, slow] = await page.evaluate(`[${lines}, odograph.desk.theme.colors.unknown, odograph.desk.theme.colors['speed-0']]`);
        assert.deepEqual(seen.filter(([, isDashed]) => isDashed), [[unknown, true]]);
        assert.equal(seen.some(([color]) => color === slow), false);
        await page.screenshot(`way-no-speed${isDark ? '-dark' : ''}`);
    }
    assert.equal(await page.text('.speed-graph .scale'), 'Speed: not known');
    assert.equal(await page.evaluate('[...document.querySelectorAll(".speed-graph path")].every((path) => path.getAttribute("d") === "")'), true);
    assert.match(await page.evaluate('document.querySelector(".speed-key").innerText'), /speed not known$/);
    await page.click('#legend-button');
    assert.match(await page.text('#legend'), /120 km\/h and morespeed not known/);
    await page.screenshot('way-legend');
    await desk.done(page);
});

test('on a phone the player has the key of its colours, if the map keeps room', async (context) => {
    // The test's geofence events have no speed.
    await desk.answering(context, (request) => answers(request).map(({ rows }) => ({ rows: rows.filter(({ geofence }) => geofence === undefined) })));
    for (const [width, height, isHigh] of [[390, 740, true], [320, 640, false]]) {
        const page = await desk.open({ width, height, isPhone: true });
        await openDay(page);
        await play(page);
        await page.until('the player', '!document.querySelector("#player").hidden');
        await page.screenshot(`way-phone-${width}`);
        const [above, wide, isKeyShown] = await page.evaluate(`[document.querySelector('#player').getBoundingClientRect().top - document.querySelector('.map-buttons').getBoundingClientRect().bottom,
            document.documentElement.scrollWidth - window.innerWidth, document.querySelector('.speed-key').offsetHeight > 0]`);
        assert.ok(above > 55, `${above} px of the map are free`);
        assert.deepEqual([wide, isKeyShown], [0, isHigh]);
        assert.equal(await page.evaluate('document.querySelector(".speed-key li:last-child").hidden'), true, 'each speed is known');
        await desk.done(page);
    }
});

test('while a recorder is asked for the way of a day, the panel says it', async (context) => {
    let isSlow = false;
    let end;
    const ended = new Promise((resolve) => { end = resolve; });
    await desk.answering(context, (request) => (isSlow ? ended.then(() => answers(request)) : answers(request)));
    const page = await desk.open();
    await openDay(page);
    const status = '.part-timeline .actions [role="status"]';
    assert.equal(await page.text(status), '');
    await page.evaluate(`globalThis.status_ = document.querySelector('${status}')`);
    isSlow = true;
    await play(page);
    await page.until('it says so', `document.querySelector('${status}').textContent === 'Asking the recorder…'`);
    assert.equal(await page.evaluate(`document.querySelector('${status}') === status_`), true, 'a screen reader knows the element');
    assert.match(await page.text('.part-fences'), /Asking the recorder…/);
    await page.screenshot('way-asking');
    end();
    await page.until('an end', `document.querySelector('${status}').textContent === ''`);
    await desk.done(page);
});

test('the geofence events of a whole day come from a recorder, when somebody asks for them', async (context) => {
    const requests = await desk.answering(context, answers);
    const page = await desk.open();
    await openDay(page);
    await page.until('what the page knows', '/None while this page was open/.test(document.querySelector(".part-fences").textContent)');
    assert.equal(requests.some(({ kind }) => kind === 'track'), false, 'a day has many positions, and nobody has asked for them');
    await page.press('.part-fences button');
    await page.until('the events', '/left school.*entered school/s.test(document.querySelector(".part-fences").textContent)');
    await page.until('there are no more', '!document.querySelector(".part-fences button")');
    await desk.done(page);
});

test('without a recorder the page says why it has no events', async () => {
    const page = await desk.open();
    await page.evaluate('odograph.desk.select(odograph.desk.fleet.vehicles.get("acme/van-3"), false)');
    // Not a click at its place: the parts above it grow while the panel is filled.
    await page.press('.part-fences button');
    await page.until('why', '/No recorder has answered/.test(document.querySelector(".part-fences").textContent)');
    await desk.done(page);
});

const names = '[...document.querySelectorAll(".nearest-list .name")].map(({ textContent }) => textContent)';
const place = (page, latitude, longitude) => page.evaluate(`(() => {
    const { x, y } = odograph.desk.map.map.latLngToContainerPoint([${latitude}, ${longitude}]);
    const box = document.querySelector('#map').getBoundingClientRect();
    return { x: box.left + x, y: box.top + y };
})()`);

test('the nearest vehicles to a clicked place are listed with their distances, and one opens', async () => {
    await desk.publish('van-6/reported', reported(since, { next_schedule_changes: [], within_schedule: false, tracking: { enabled: true, off_schedule: 'private' } }));
    const page = await desk.open();
    await page.click('#nearest-button');
    await page.until('the list', 'document.querySelectorAll(".nearest-list li").length === 5');
    const { x, y } = await place(page, 40.41, -3.7);
    await page.clickAt(x, y);
    await page.until('by distance from there', `(${names})[0] === 'van-3'`);
    assert.equal((await page.evaluate(names)).includes('van-6'), false, 'a private vehicle is not listed');
    assert.match(await page.text('.nearest-list li:nth-child(2)'), /^van-\d5\d\d mParked$/);
    await page.screenshot('nearest');
    assert.ok(await page.evaluate('document.querySelector(".nearest-list").getBoundingClientRect().top - document.querySelector(".nearest-list").previousElementSibling.previousElementSibling.getBoundingClientRect().bottom') >= 6, 'the words do not touch the border');
    await page.click('.nearest-list button');
    await page.until('its panel lies over the list', 'document.querySelector("#panel-name").textContent === "van-3" && document.querySelector("#nearest").hidden');
    await page.key('Escape');
    await page.until('the list again', '!document.querySelector("#nearest").hidden');
    await page.key('Escape');
    await page.until('it is closed', 'document.querySelector("#nearest").hidden && !document.querySelector(".place-mark")');
    // From the place of the open vehicle, which is not its own neighbour.
    await page.evaluate('odograph.desk.select(odograph.desk.fleet.vehicles.get("acme/van-1"), false)');
    await page.click('#nearest-button');
    await page.until('to the vehicle', 'document.querySelector("#nearest section p").textContent === "To van-1"');
    assert.equal((await page.evaluate(names)).includes('van-1'), false);
    await desk.publish('van-6/reported', reported(since + 9));
    await desk.done(page);
});

test('the nearest vehicles are found with the keyboard alone', async () => {
    const page = await desk.open({ width: 390, height: 740, isPhone: true });
    await page.evaluate('document.querySelector("#nearest-button").focus()');
    await page.key('Enter');
    await page.until('the list has the focus', 'document.activeElement.id === "nearest"');
    const before = await page.text('#nearest section p');
    await page.evaluate('document.querySelector("#map").focus()');
    await page.key('ArrowUp');
    await page.until('the map has moved', 'odograph.desk.map.centre().latitude !== odograph.desk.nearest.place.latitude');
    await page.key('Enter');
    await page.until('the place has moved', `document.querySelector("#nearest section p").textContent !== ${JSON.stringify(before)}`);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'), 0);
    await page.screenshot('nearest-phone');
    await desk.done(page);
});
