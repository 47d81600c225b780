'use strict';
// The geofences of a level are drawn, changed and sent on the page, and two persons who do so at once lose nothing.

const { test, before, after } = require('node:test');
const assert = require('node:assert/strict');
const { Desk, since } = require('./support/desk.js');
const { until } = require('./support/processes.js');
const { reported } = require('./messages.js');
const { createHash } = require('node:crypto');

let desk;
const circle = (id, radius, coordinates = [-3.7, 40.41]) => (
    { type: 'Feature', id, properties: { radius, name: `Place ${id}`, speed_limit: 13.9, extras: { cost: 7 } }, geometry: { type: 'Point', coordinates } });
const setOf = (...features) => JSON.stringify({ type: 'FeatureCollection', note: 'kept', features });
const current = async (level = 'all') => JSON.parse(await desk.retained(`${level}/geofences`));

before(async () => { desk = await Desk.start(6); });
after(async () => { await desk?.end(); });

const note = 'document.querySelector("#editor [role=status]").textContent';
const enabled = '#editor button:not([aria-disabled="true"])';
const press = (page, words) => page.press(`${enabled}, #ask button`, words);
const has = (words) => `[...document.querySelectorAll('${enabled}')].some(({ textContent }) => textContent === ${JSON.stringify(words)})`;
const focused = 'document.activeElement.dataset.key';
const nameIsSelected = `${focused} === "name" && getSelection().toString() === document.activeElement.value`;
/** Waits for a field of the editor, and writes a value into it. */
async function fill(page, key, value) {
    await page.until(`the field ${key}`, `document.querySelector('#editor input[data-key="${key}"]') !== null`);
    await page.evaluate(`(() => {
        const field = document.querySelector('#editor input[data-key="${key}"]');
        field.value = ${JSON.stringify(String(value))};
        field.dispatchEvent(new Event('change'));
    })()`);
}

/** Opens the geofences of all vehicles, with a set of two at the broker. */
async function opened(features = [circle('depot', 150), circle('yard', 80, [-3.695, 40.405])]) {
    await desk.publish('all/geofences', setOf(...features));
    const page = await desk.open();
    await page.until('the geofences', `odograph.desk.map.painters.fences.fences.length >= ${features.length}`);
    await page.click('#geofences-button');
    await page.until('the editor', `!document.querySelector('#editor').hidden && ${has('New circle')}`);
    return page;
}

async function send(page) {
    await press(page, /^Review/);
    await page.until('the question', has('Send'));
    await press(page, 'Send');
}

/** Puts the focus on a part of the editor. */
async function focus(page, key) {
    const field = `document.querySelector('#editor [data-key="${key}"]')`;
    await page.until(`the field ${key}`, `${field} !== null`);
    await page.evaluate(`${field}.focus()`);
}

async function controlZ(page) {
    for (const type of ['keyDown', 'keyUp']) await page.call('Input.dispatchKeyEvent', { type, key: 'z', code: 'KeyZ', windowsVirtualKeyCode: 90, modifiers: 2 });
}

async function doubleClickAt(page, x, y) {
    await page.clickAt(x, y);
    for (const type of ['mousePressed', 'mouseReleased']) {
        await page.call('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 2 });
    }
}

/** Where a place is on the screen. */
const spot = (page, latitude, longitude) => page.evaluate(`(() => {
    const { x, y } = odograph.desk.map.map.latLngToContainerPoint([${latitude}, ${longitude}]);
    const box = document.querySelector('#map').getBoundingClientRect();
    return { x: box.left + x, y: box.top + y };
})()`);

test('a circle and an area are drawn with the mouse, named and sent, and what the page does not know is kept', async () => {
    const page = await opened();
    await press(page, 'New circle');
    await page.until('the cross', 'odograph.desk.picker.isActive');
    const at = await spot(page, 40.4085, -3.692);
    await page.clickAt(at.x, at.y);
    await page.until('the circle', 'odograph.desk.geofences.draft.features.length === 3');
    await fill(page, 'name', 'North gate');
    await fill(page, 'identifier', 'north-gate');
    await fill(page, 'meters', 120);
    await press(page, 'New area');
    const corners = [[40.4075, -3.7], [40.4075, -3.695], [40.406, -3.695], [40.4075, -3.7]];
    for (const [index, [latitude, longitude]] of corners.entries()) {
        const { x, y } = await spot(page, latitude, longitude);
        await page.clickAt(x, y);
        if (index < 3) await page.until('the next corner', `/corner ${index + 2} |next corner/.test(document.querySelector('.pick-note').textContent)`);
        if (index === 1) await page.screenshot('geofences-corners');
    }
    await page.until('the area', 'odograph.desk.geofences.draft.features.length === 4 && !odograph.desk.picker.isActive');
    await page.until('its handles', 'document.querySelectorAll(".handle.point").length === 3 && document.querySelectorAll(".handle.middle").length === 3');
    await page.screenshot('geofences-area');
    // A point is moved with the mouse, and one is added.
    const from = await page.evaluate(`(() => {
        const box = document.querySelector('[data-handle="0 2"]').getBoundingClientRect();
        return { x: box.left + 10, y: box.top + 10 };
    })()`);
    const before = await page.evaluate('odograph.desk.geofences.draft.feature.geometry.coordinates[0][2]');
    for (const [type, x, y] of [['mouseMoved', 0, 0], ['mousePressed', 0, 0], ['mouseMoved', 20, 10], ['mouseMoved', 40, 30], ['mouseReleased', 40, 30]]) {
        await page.call('Input.dispatchMouseEvent', { type, x: from.x + x, y: from.y + y, button: 'left', buttons: type === 'mouseReleased' ? 0 : 1, clickCount: 1 });
    }
    await page.until('the point has moved', `odograph.desk.geofences.draft.feature.geometry.coordinates[0][2][0] > ${before[0]}`);
    await page.click('[data-handle="after 0 0"]');
    await page.until('four points', 'document.querySelectorAll(".handle.point").length === 4');
    await press(page, 'Undo');
    await page.until('three points again', 'document.querySelectorAll(".handle.point").length === 3');
    await press(page, 'Redo');
    await page.until('the review', `document.querySelector('#editor').textContent.includes('Review 2 changes')`);
    await send(page);
    await page.until('it is sent', `${note} === 'Sent. 0 of 6 vehicles report it.'`);
    const payload = await desk.retained('all/geofences');
    const { features, note: kept } = JSON.parse(payload);
    assert.deepEqual(features.map(({ id, properties: { name } }) => [id, name]),
        [['depot', 'Place depot'], ['yard', 'Place yard'], ['north-gate', 'North gate'], ['area-1', 'Area 1']]);
    assert.deepEqual([kept, features[0], features[2].properties.radius, features[3].geometry.coordinates[0].length], ['kept', circle('depot', 150), 120, 5]);
    const hash = createHash('sha256').update(payload).digest('hex');
    const levels = [{ level: 'all', hash, applied: true, count: 4, error_count: 0, single_count: 0 }];
    await desk.publish('van-1/reported', reported(since + 5, { geofences: { count: 4, hash: '', levels, errors: [] } }));
    await page.until('a vehicle has it', `/^Sent\\. 1 of 6 vehicles/.test(${note})`);
    await desk.done(page);
});

test('geofences are drawn, moved and removed with the keyboard alone', async () => {
    const page = await opened();
    await focus(page, 'new-circle');
    await page.key('Enter');
    await page.until('the map has the focus', 'document.activeElement.id === "map" && odograph.desk.picker.isActive');
    await page.key('ArrowRight');
    await page.key('Enter');
    await page.until('a circle under the cross', 'odograph.desk.geofences.draft.chosen === "circle-1"');
    await page.until('its name can be written at once', nameIsSelected);
    const place = 'odograph.desk.geofences.draft.feature.geometry.coordinates';
    const [longitude, latitude] = await page.evaluate(place);
    await focus(page, 'point 0 0');
    await page.key('ArrowUp');
    await page.until('it has moved', `${place}[1] > ${latitude}`);
    await page.until('the focus stays', 'document.activeElement.dataset.key === "point 0 0"');
    await page.key('ArrowLeft');
    await page.until('it has moved to the west', `${place}[0] < ${longitude}`);
    await page.evaluate('document.querySelector("[data-handle=radius]").focus()');
    const radius = await page.evaluate('odograph.desk.geofences.draft.feature.properties.radius');
    await page.key('ArrowRight');
    await page.until('it is larger', `odograph.desk.geofences.draft.feature.properties.radius > ${radius}`);
    await page.until('the focus stays on the map', 'document.activeElement.dataset.handle === "radius"');
    await focus(page, 'choose yard');
    await page.key('Enter');
    await page.until('the other one', 'odograph.desk.geofences.draft.chosen === "yard"');
    await focus(page, 'remove');
    await page.key('Enter');
    await page.until('it is gone', 'odograph.desk.geofences.draft.features.length === 2');
    await send(page);
    await page.until('it is sent', `/^Sent/.test(${note})`);
    assert.deepEqual((await current()).features.map(({ id }) => id), ['depot', 'circle-1']);
    await desk.done(page);
});

test('a corner is taken back, a double click is one corner, and what is drawn gets its name at once', async () => {
    const page = await opened();
    const zoom = await page.evaluate('odograph.desk.map.map.getZoom()');
    const hint = (words) => page.until(`the hint ${words}`, `${words}.test(document.querySelector('.pick-note').textContent)`);
    await press(page, 'New area');
    await hint('/corner 1 .*Escape gives it up/');
    const corners = [[40.4075, -3.7], [40.4075, -3.695], [40.406, -3.695]];
    for (const [index, [latitude, longitude]] of corners.entries()) {
        const { x, y } = await spot(page, latitude, longitude);
        await doubleClickAt(page, x, y);
        await hint(index < 2 ? `/corner ${index + 2} .*Backspace takes the last corner back/` : '/the dot of the first one/');
    }
    const dot = await page.evaluate(`(() => {
        const { left, top, width, height } = document.querySelector('.handle.start').getBoundingClientRect();
        return { x: left + width / 2, y: top + height / 2 };
    })()`);
    const first = await spot(page, ...corners[0]);
    assert.ok(Math.hypot(dot.x - first.x, dot.y - first.y) < 2, 'the dot is at the first corner');
    await page.screenshot('geofences-dot');
    await page.key('Backspace');
    await hint('/corner 3 /');
    await controlZ(page);
    await hint('/corner 2 /');
    for (const [latitude, longitude] of corners.slice(1)) {
        const { x, y } = await spot(page, latitude, longitude);
        await page.clickAt(x, y);
    }
    await hint('/the dot of the first one/');
    await doubleClickAt(page, dot.x, dot.y);
    await page.until('the area', 'odograph.desk.geofences.draft.features.length === 3 && !odograph.desk.picker.isActive');
    await page.until('the name has the focus', nameIsSelected);
    assert.equal(await page.evaluate('odograph.desk.geofences.draft.feature.geometry.coordinates[0].length'), 4);
    assert.equal(await page.evaluate('odograph.desk.map.map.getZoom()'), zoom, 'a double click does not zoom');
    assert.equal(await page.evaluate('document.querySelector(".handle.start")'), null);
    await page.until('a double click zooms again', 'odograph.desk.map.map.doubleClickZoom.enabled()');
    await page.type('Patio Ñ');
    await page.key('Enter');
    await page.until('the identifier follows', 'odograph.desk.geofences.draft.chosen === "patio-n"');
    assert.equal(await page.text('[data-key="add 0 0"]'), '+');
    await page.screenshot('geofences-named');
    // The first key undoes the name, and the second one what was drawn.
    await controlZ(page);
    await page.until('the name before', 'odograph.desk.geofences.draft.chosen === "area-1"');
    await controlZ(page);
    await page.until('nothing is drawn', 'odograph.desk.geofences.draft.changes === 0');
    await press(page, 'New area');
    await page.clickAt(first.x, first.y);
    await page.until('the dot', 'document.querySelector(".handle.start") !== null');
    await press(page, 'Undo');
    await page.until('no corner', 'document.querySelector(".handle.start") === null && odograph.desk.picker.isActive');
    await page.key('Escape');
    await page.until('it has ended', '!odograph.desk.picker.isActive');
    assert.equal(await page.evaluate('odograph.desk.geofences.isOpen'), true);
    await desk.done(page);
});

test('the focus of the keyboard stays in the editor, and what was said ends with the next change', async () => {
    const page = await opened();
    await page.press('#editor [data-key="choose depot"]');
    await fill(page, 'meters', 300);
    await focus(page, 'undo');
    await page.key('Enter');
    await page.until('there is nothing to undo', 'odograph.desk.geofences.draft.changes === 0');
    await page.until('the button says so', `document.querySelector('[data-key="undo"]').ariaDisabled === 'true'`);
    assert.equal(await page.evaluate(focused), 'undo');
    await page.key('Enter');
    await focus(page, 'redo');
    await page.key('Enter');
    await page.until('it is changed again', 'odograph.desk.geofences.draft.changes === 1');
    assert.equal(await page.evaluate(focused), 'redo');
    await focus(page, 'review');
    await page.key('Enter');
    await page.until('the question has the focus', `${focused} === 'send'`);
    await page.evaluate('odograph.desk.link.write = ((write) => async (...all) => { await new Promise((go) => { globalThis.go_ = go; }); return write(...all); })(odograph.desk.link.write.bind(odograph.desk.link))');
    await page.key('Enter');
    await page.until('it is being sent', 'odograph.desk.geofences.mode === "sending" && !!globalThis.go_');
    await page.until('the button says so', `document.querySelector('[data-key="send"]').ariaDisabled === 'true'`);
    assert.equal(await page.evaluate(focused), 'send');
    await page.evaluate('go_()');
    await page.until('it is sent', `/^Sent/.test(${note})`);
    await page.until('the focus is in the editor', `${focused} === 'new-circle'`);
    await press(page, 'New circle');
    await page.until('the note is gone', `odograph.desk.picker.isActive && ${note} === ''`);
    await page.key('Escape');
    await fill(page, 'meters', 200);
    await page.until('a change', has('Review 1 change'));
    await press(page, 'Review 1 change');
    await page.until('the question', has('Send'));
    assert.equal(await page.evaluate(note), '');
    await desk.done(page);
});

test('a button works with the click that ends the writing in a field', async () => {
    const page = await opened();
    await page.press('#editor [data-key="choose depot"]');
    await fill(page, 'meters', 300);
    await page.until('a change', has('Review 1 change'));
    await focus(page, 'name');
    await page.type('X');
    const { x, y } = await page.evaluate(`(() => {
        const { left, top } = document.querySelector('#editor [data-key="review"]').getBoundingClientRect();
        return { x: left + 10, y: top + 10 };
    })()`);
    const mouse = (type) => page.call('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
    await mouse('mousePressed');
    await page.until('the name', 'odograph.desk.geofences.draft.feature.properties.name.includes("X")');
    await mouse('mouseReleased');
    await page.until('the question', has('Send'), 5);
    await desk.done(page);
});

test('changes are not lost by a key or a click: the page asks first', async () => {
    const page = await opened();
    await page.press('#editor [data-key="choose depot"]');
    await fill(page, 'meters', 300);
    await page.until('one change', 'odograph.desk.geofences.draft.changes === 1');
    await page.key('Escape');
    await page.until('the question', 'document.querySelector("#ask").open');
    assert.match(await page.text('#ask'), /Give up the changes\?1 of the geofences of all vehicles/);
    await page.screenshot('geofences-question');
    await press(page, 'Go on editing');
    assert.equal(await page.evaluate('odograph.desk.geofences.draft.changes'), 1);
    await page.evaluate(`(() => {
        const select = document.querySelector('#editor select');
        select.value = JSON.stringify(['acme', 'group:vans']);
        select.dispatchEvent(new Event('change'));
    })()`);
    await page.until('the question again', 'document.querySelector("#ask").open');
    await press(page, 'Give up');
    await page.until('the other level', 'odograph.desk.geofences.level === "group:vans"');
    assert.deepEqual((await current()).features[0], circle('depot', 150), 'nothing was sent');
    // A vehicle's panel lies over the editor, which is there again after it.
    await page.click('.entry');
    await page.until('the panel', '!document.querySelector("#panel").hidden && document.querySelector("#editor").hidden');
    await page.key('Escape');
    await page.until('the editor', 'document.querySelector("#panel").hidden && !document.querySelector("#editor").hidden');
    await desk.done(page);
});

test('who sends later than another sees both versions and chooses by geofence', async () => {
    const page = await opened();
    await page.press('#editor [data-key="choose depot"]');
    await fill(page, 'meters', 300);
    await fill(page, 'name', 'My depot');
    await desk.publish('all/geofences', setOf(circle('depot', 500), circle('yard', 90, [-3.695, 40.405]), circle('theirs', 60)),
        { properties: { userProperties: { sender: 'anna' } } });
    await page.until('it says so at once', `/^anna has changed this set since you opened it/.test(${note})`);
    await send(page);
    await page.until('both versions', 'odograph.desk.geofences.mode === "conflict"');
    const text = await page.text('.disputes');
    assert.match(text, /Yours: My depot: Circle, radius 300 m.*Of anna: Place depot: Circle, radius 500 m/s);
    assert.match(text, /yard, only anna has changed it/);
    await page.until('the map shows both', 'odograph.desk.map.painters.fences.fences.filter(({ id }) => id === "depot").length === 2');
    await page.screenshot('geofences-conflict');
    assert.deepEqual((await current()).features[0], circle('depot', 500), 'nothing was sent');
    assert.equal(await page.evaluate(has('Use this choice')), false, 'what both have changed needs a choice');
    await page.press('[data-key="own depot"]');
    await page.until('the choice is complete', has('Use this choice'));
    await press(page, 'Use this choice');
    await page.until('the question', has('Send'));
    await press(page, 'Send');
    await page.until('it is sent', `/^Sent/.test(${note})`);
    assert.deepEqual((await current()).features.map(({ id, properties: { radius, name } }) => [id, radius, name]),
        [['depot', 300, 'My depot'], ['yard', 90, 'Place yard'], ['theirs', 60, 'Place theirs']]);
    await desk.done(page);
});

test('of two pages that send at once, the one that was first at the broker is told what has replaced its set', async () => {
    const [one, other] = [await opened(), await desk.open()];
    await other.click('#geofences-button');
    await other.until('the editor', has('New circle'));
    for (const [page, radius] of [[one, 300], [other, 500]]) {
        await page.press('#editor [data-key="choose depot"]');
        await fill(page, 'meters', radius);
        await press(page, /^Review/);
        await page.until('the question', has('Send'));
        // Both have looked before one of them has sent: the page would see the other's set otherwise.
        await page.evaluate('odograph.desk.link.retained = async () => odograph.desk.geofences.draft.base');
    }
    await Promise.all([press(one, 'Send'), press(other, 'Send')]);
    const conflict = 'odograph.desk.geofences.mode === "conflict"';
    const loser = await until('one of them is told', async () => ((await one.evaluate(conflict)) ? one : (await other.evaluate(conflict)) ? other : null));
    const winner = loser === one ? other : one;
    await winner.until('the other has sent', `/^Sent/.test(${note})`);
    assert.match(await loser.text('.disputes'), loser === one ? /Yours: .*radius 300 m.*Of dashboard: .*radius 500 m/s : /Yours: .*radius 500 m.*Of dashboard: .*radius 300 m/s);
    // What it has sent is not lost if it decides later.
    await press(loser, 'Later');
    await loser.until('its change is there', 'odograph.desk.geofences.draft.changes === 1');
    for (const page of [one, other]) await desk.done(page);
});

test('geofences that were published one by one are named and not changed', async () => {
    await desk.publish('all/geofences/gate', JSON.stringify(circle('gate', 40)));
    const page = await opened();
    await page.until('its name', '/Published one by one.*Place gate/s.test(document.querySelector("#editor").textContent)');
    await desk.publish('all/geofences/gate', '');
    await desk.done(page);
});

test('vehicles are in the order of their names', async () => {
    for (const name of ['van-10', 'bus-2']) await desk.publish(`${name}/reported`, reported(since));
    const page = await opened();
    const names = `[...document.querySelectorAll('#editor optgroup[label="Vehicles"] option')].map(({ textContent }) => textContent).join()`;
    await page.until('the vehicles', `${names} === 'bus-2,van-1,van-2,van-3,van-4,van-5,van-6,van-10'`);
    for (const name of ['van-10', 'bus-2']) await desk.publish(`${name}/reported`, '');
    await desk.done(page);
});

test('on a phone the hint is short and lets the map be tapped', async () => {
    const page = await desk.open({ width: 320, height: 740, isPhone: true });
    await page.call('Emulation.setTouchEmulationEnabled', { enabled: true });
    await page.click('#geofences-button');
    await page.until('the editor', has('New area'));
    await press(page, 'New area');
    await page.until('the hint', 'document.querySelector(".pick-note").textContent === "Tap corner 1 of the area."');
    const { x, y } = await page.evaluate(`(() => {
        const { left, top, width, height } = document.querySelector('.pick-note').getBoundingClientRect();
        return { x: left + width / 2, y: top + height / 2 };
    })()`);
    await page.clickAt(x, y);
    await page.until('a corner under it', '/corner 2 of the area. Undo takes/.test(document.querySelector(".pick-note").textContent)');
    await page.screenshot('geofences-phone-corner');
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'), 0);
    await desk.done(page);
});

test('a phone’s width is enough for the editor', async () => {
    for (const width of [390, 320]) {
        for (const isDark of [false, true]) {
            await desk.publish('all/geofences', setOf(circle('depot', 150)));
            const page = await desk.open({ width, height: 740, isPhone: true, isDark });
            await page.click('#geofences-button');
            await page.until('the list', '!!document.querySelector(\'#editor [data-key="choose depot"]\')');
            await page.press('#editor [data-key="choose depot"]');
            await page.until('the fields', '!!document.querySelector(\'#editor [data-key="meters"]\')');
            await fill(page, 'meters', 200);
            assert.equal(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'), 0);
            assert.ok(await page.evaluate('document.querySelector("#editor").scrollWidth <= document.querySelector("#editor").clientWidth'));
            await page.screenshot(`geofences-phone-${width}${isDark ? '-dark' : ''}`);
            await desk.done(page);
        }
    }
});
