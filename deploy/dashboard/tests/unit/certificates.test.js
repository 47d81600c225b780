'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const odograph = require('../core.js');
const { noon, iso, reported } = require('../messages.js');

const { Alerts, Fleet, settings: { defaults }, condition, readAlert } = odograph;
const day = 86400;

/** The alerts of a fleet whose vehicles report these certificates, by their days after noon. */
function alertsOf(certificates, { vehicles = ['van-1'], recorded = [] } = {}) {
    const fleet = new Fleet({ ...defaults });
    for (const name of vehicles) {
        const ends = Object.fromEntries(Object.entries(certificates).map(([whose, days]) => [whose, iso(noon + days * day * 1000)]));
        fleet.receive(`fleet/acme/${name}/reported`, reported(0, { certificates: ends }), { now: noon, isRetained: false });
    }
    const entries = [...fleet.vehicles.values()].map((vehicle) => ({
        vehicle, name: vehicle.name, condition: condition.conditionOf(vehicle, { now: noon, documents: fleet.documents, lowBattery: 0.2 }),
    }));
    const circumstances = { now: noon, chosenFences: new Set(), fenceNames: new Map(), areBeaconsChosen: false, recorded };
    return new Alerts([]).read(entries, circumstances).alerts;
}

for (const [days, words] of [
    [46, null], [45, /^The certificate of the vehicle ends on 2027-01-05, in 45 days$/], [1, /ends on 2026-11-22, in 1 day$/], [-1, /has ended on 2026-11-20$/],
]) {
    test(`a certificate that ends in ${days} days is ${words === null ? 'no alert' : 'an alert'}`, () => {
        const alerts = alertsOf({ vehicle: days });
        assert.equal(alerts.length, words === null ? 0 : 1);
        if (words !== null) assert.match(alerts[0].words, words);
    });
}

test('the certificate of the broker and of the authority are one alert for all vehicles of a fleet', () => {
    const alerts = alertsOf({ vehicle: 400, broker: 10, authority: 20 }, { vehicles: ['van-1', 'van-2', 'van-3'] });
    assert.deepEqual(alerts.map(({ name, words }) => `${name}: ${words.replace(/ ends.*/, '')}`).sort(),
        ['van-1 and 2 more: The authority’s certificate', 'van-1 and 2 more: The certificate of the broker']);
});

test('a report without certificates, or with texts that are no times, is no alert', () => {
    const fleet = new Fleet({ ...defaults });
    for (const certificates of [undefined, null, 7, [], { vehicle: 'soon', broker: null, other: iso(noon) }]) {
        fleet.receive('fleet/acme/van-1/reported', reported(0, { certificates }), { now: noon, isRetained: false });
        assert.deepEqual(fleet.vehicles.get('acme/van-1').reported.certificates, {});
    }
});

const row = (kind, text, rest = {}) => readAlert('acme', { id: kind, device: 'van-1', kind, time: iso(noon), text, is_open: true, ...rest });

/** A vehicle may have any name. @param {string} whose @param {string} device */
const kept = (whose, device) => row('certificate', `${device} of acme, words for people`, { device, certificate: whose });
/** What the page itself tells, beside the alerts of a recorder. */
const ownWords = (recorded, vehicles) => alertsOf({ vehicle: 10, broker: 12, authority: 14 }, { vehicles, recorded })
    .filter((alert) => alert.recorded === null).map(({ name, words }) => `${name}: ${words.replace(/ ends.*/, '')}`).sort();

for (const [whose, words] of [
    ['vehicle', ['broker-1 and 1 more: The authority’s certificate', 'broker-1 and 1 more: The certificate of the broker', 'van-2: The certificate of the vehicle']],
    ['broker', ['broker-1 and 1 more: The authority’s certificate', 'broker-1: The certificate of the vehicle', 'van-2: The certificate of the vehicle']],
    ['authority', ['broker-1 and 1 more: The certificate of the broker', 'broker-1: The certificate of the vehicle', 'van-2: The certificate of the vehicle']],
]) {
    test(`what a recorder keeps of the certificate of the ${whose} is not told twice, and others are`, () => {
        assert.deepEqual(ownWords([kept(whose, 'broker-1')], ['broker-1', 'van-2']), words);
    });
}

for (const [kind, words] of [['certificate', 'Certificate'], ['no_position', 'No position'], ['tow', 'Towed'], ['service', 'Service due'], ['new_kind', 'Problem']]) {
    test(`an alert of a recorder of the kind ${kind} is called "${words}"`, () => {
        assert.equal(odograph.alertWords.kindWords[row(kind, 'x').kind], words);
    });
}
