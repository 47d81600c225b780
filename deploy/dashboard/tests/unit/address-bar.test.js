'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const odograph = require('../core.js');
const { noon, location, reported, status } = require('../messages.js');
const { read, write } = odograph.fragment;

for (const [text, key, date] of [['', '', null], ['#', '', null], ['#acme/van-7', 'acme/van-7', null], ['#acme/van-7/2026-10-25', 'acme/van-7', '2026-10-25'],
    ['#acme/van-7/0026-10-25', 'acme/van-7/0026-10-25', null], ['#acme/van%207', 'acme/van 7', null], ['#acme/%', '', null]]) {
    test(`the address "${text}" names ${key || 'no vehicle'}${date === null ? '' : ` on ${date}`}`, () => {
        assert.deepEqual(read(text), { key, date });
        if (text.length > 1 && key !== '' && key.split('/').length === 2) assert.equal(write(key, date), text);
    });
}

test('the page says what somebody waits for: a vehicle of the address, a fleet, and states that the broker has dropped', () => {
    const fleet = new odograph.Fleet(odograph.settings.readSettings({}, '').settings);
    const notes = (more) => odograph.notesOf({ wanted: null, isSettled: true, lacksFleet: false, vehicles: fleet.vehicles.values(), ...more });
    const hear = (name, channel, payload) => fleet.receive(`fleet/acme/${name}/${channel}`, payload, { now: noon, isRetained: false });
    assert.equal(notes({}), '');
    assert.match(notes({ wanted: 'acme/van-9' }), /^The address names acme\/van-9, and no vehicle of this name is known\.$/);
    assert.equal(notes({ wanted: 'acme/van-9', isSettled: false }), '');
    assert.match(notes({ lacksFleet: true }), /^No fleet is known yet/);
    for (const name of ['a', 'b', 'c']) hear(name, 'location', location(0));
    hear('b', 'status', status('online', 1));
    hear('c', 'reported', reported(0));
    assert.match(notes({}), /^1 vehicle has a position and no status\. .*max_queued_messages/);
    assert.equal(notes({ isSettled: false }), '');
});
