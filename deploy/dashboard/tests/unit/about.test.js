'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const path = require('node:path');
const odograph = require('../core.js');

const { about: { readAbout, writeAbout, shortWords, matches }, Fleet, settings: { defaults }, roster, condition } = odograph;
const ana = { driver: 'Ana Ruiz', plate: '1234 BCD', note: 'Cooling unit' };

test('a document about a vehicle is read, and what is no text is nothing', () => {
    assert.deepEqual(readAbout(JSON.stringify(ana)), ana);
    assert.deepEqual(readAbout('{"driver":7,"plate":[],"note":null}'), { driver: '', plate: '', note: '' });
    assert.deepEqual(readAbout(''), { driver: '', plate: '', note: '' });
    for (const text of ['[]', '{', '7', 'null']) assert.equal(readAbout(text), null);
    assert.equal(readAbout(JSON.stringify({ note: 'x'.repeat(9000) })).note.length, 2000);
});

test('what the page does not know is kept, and a document without anything is removed', () => {
    assert.deepEqual(JSON.parse(writeAbout('{"colour":"red","driver":"Bob"}', ana)), { colour: 'red', ...ana });
    assert.equal(writeAbout(JSON.stringify(ana), { driver: ' ', plate: '', note: '' }), '');
    assert.equal(writeAbout('{"colour":"red"}', { driver: '', plate: '', note: '' }), '{"colour":"red"}');
});

test('what the page writes fits the schema', () => {
    const payload = writeAbout('', { driver: 'd'.repeat(500), plate: 'p'.repeat(500), note: 'n'.repeat(5000) });
    const validator = path.join(__dirname, '../../../../Tests/Contract/validator');
    const answer = execFileSync(validator, { input: `${JSON.stringify({ schema: 'about-document', payload })}\n`, encoding: 'utf8' });
    assert.deepEqual(JSON.parse(answer), { errors: [] });
});

for (const [needle, isFound] of [['ana', true], ['1234b', true], ['1234-bcd', true], ['cooling', true], ['x', false], ['', false], ['- -', false]]) {
    test(`a search for "${needle}" ${isFound ? 'finds' : 'does not find'} the vehicle by what is written about it`, () => {
        assert.equal(matches(ana, needle), isFound);
    });
}

function fleetWith(payload, sender = 'bob') {
    const fleet = new Fleet({ ...defaults });
    fleet.receive('fleet/acme/van-7/about', payload, { now: 1000, isRetained: true, sender });
    return fleet;
}

test('the list finds a vehicle by its plate, and knows who has written it', () => {
    const fleet = fleetWith(JSON.stringify(ana));
    const vehicle = fleet.vehicles.get('acme/van-7');
    const entry = { vehicle, name: 'van-7', condition: condition.conditionOf(vehicle, { now: 1e12, documents: fleet.documents, lowBattery: 0.2 }) };
    const found = (search) => roster.rosterOf([entry], { filter: 'all', search, order: 'name' }).rows.length;
    assert.deepEqual([found('1234'), found('7'), found('9999')], [1, 1, 0]);
    assert.deepEqual([vehicle.aboutDocument.sender, shortWords(vehicle.about)], ['bob', '1234 BCD · Ana Ruiz']);
    assert.equal(entry.condition.kind, 'unknown', 'a vehicle that was never heard of is not silent');
});

test('a document makes no vehicle of a level, and its removal none at all', () => {
    const fleet = fleetWith('');
    for (const name of ['all', 'group:vans']) fleet.receive(`fleet/acme/${name}/about`, JSON.stringify(ana), { now: 1, isRetained: true });
    assert.equal(fleet.vehicles.size, 0);
    fleet.receive('fleet/acme/van-7/about', '[]', { now: 1, isRetained: true });
    assert.equal(fleet.counters.unreadable, 1);
});

test('a removed document leaves nothing', () => {
    const fleet = fleetWith(JSON.stringify(ana));
    fleet.receive('fleet/acme/van-7/about', '', { now: 1, isRetained: false });
    assert.equal(shortWords(fleet.vehicles.get('acme/van-7').about), '');
});
