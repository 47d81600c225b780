'use strict';
process.env.TZ = 'Europe/Madrid';
const test = require('node:test');
const assert = require('node:assert/strict');
const odograph = require('../core.js');
const { noon, iso, location, reported, status } = require('../messages.js');

const fenceNames = new Map([['depot', 'Depot North']]);

class Scene {
    constructor() {
        this.fleet = new odograph.Fleet({ ...odograph.settings.defaults });
        this.alerts = new odograph.Alerts();
        this.chosen = [];
        this.areBeaconsChosen = false;
    }

    hear(name, channel, payload, seconds = 0) {
        this.fleet.receive(`fleet/acme/${name}/${channel}`, payload, { now: noon + seconds * 1000, isRetained: false });
        return this;
    }

    read(seconds = 0, alerts = this.alerts) {
        const now = noon + seconds * 1000;
        const entries = [...this.fleet.vehicles.values()].map((vehicle) => ({
            vehicle, name: vehicle.name,
            condition: odograph.condition.conditionOf(vehicle, { now, documents: new Map(), lowBattery: 0.2 }),
        }));
        const { areBeaconsChosen } = this;
        return alerts.read(entries, { now, fenceNames, chosenFences: new Set(this.chosen), areBeaconsChosen });
    }

    words(seconds) {
        return this.read(seconds).alerts.map(({ name, words }) => `${name}: ${words}`);
    }
}

const fenceEvent = (seconds, geofence) => location(seconds, { event: 'geofence', geofence: { occurred_at: iso(noon + seconds * 1000), ...geofence } });
const harsh = (kind, peak_g) => ({ kind, peak_g, duration: 2.4, started_at: iso(noon - 3000) });
const low = (level, isCharging = false) => ({ battery: { level, is_charging: isCharging } });

for (const [words, messages, expected] of [
    ['a fleet in order', [['location', location(0)], ['status', status('online', 1)], ['reported', reported(0)]], []],
    ['a lost connection', [['location', location(0)], ['status', status('offline', 1)]], ['van: Silent: no connection']],
    ['a vehicle that was switched off', [['location', location(0)], ['status', status('offline', 1, 'stopped')]], []],
    ['a refused configuration', [['reported', reported(0, { errors: [{ topic: 't', path: 'tracking.x', message: 'is wrong' }] })]],
        ['van: Refused tracking.x: is wrong']],
    ['refused geofences', [['reported', reported(0, { geofences: { count: 1, errors: [{ identifier: 'depot', path: 'p', message: 'is small' }, {}] } })]],
        ['van: Refused depot p: is small (and 1 more)']],
    ['a low battery', [['location', location(0, low(0.1))]], ['van: Low battery: 10 %']],
    ['a low battery that is charged', [['location', location(0, low(0.1, true))]], []],
    ['an overspeed', [['geofence', fenceEvent(0, { identifier: 'depot', action: 'OVERSPEED', peak_speed: 20 })]],
        ['van: Too fast in Depot North, up to 72 km/h']],
    ['a geofence that nobody has chosen', [['geofence', fenceEvent(0, { identifier: 'depot', action: 'ENTER' })]], []],
    ['harsh braking', [['location', location(0, { event: 'driving', driving: harsh('braking', 0.52) })]], ['van: Harsh braking, 0.52 g']],
    ['long idling', [['location', location(0, { event: 'driving', driving: { ...harsh('idling'), duration: 420 } })]],
        ['van: Idling for 7 min']],
    ['harsh driving of a kind that is not known', [['location', location(0, { event: 'driving', driving: harsh('lane_change', 0.6) })]],
        ['van: Harsh lane change, 0.60 g']],
    ['an event of the driving style without its content', [['location', location(0, { event: 'driving' })]], []],
    ['harsh driving in private time', [['location', location(0, { event: 'driving', tag: 'private', driving: harsh('braking', 0.5) })]], []],
    ['an event of a kind that is not known', [['location', location(0, { event: 'landing', landing: { evil: 1 } })]], []],
]) {
    test(`${words} gives ${expected.length === 0 ? 'no alert' : expected}`, () => {
        const scene = new Scene();
        for (const [channel, payload] of messages) scene.hear('van', channel, payload);
        assert.deepEqual(scene.words(), expected);
    });
}

const troubled = (state, since) => JSON.stringify({ ...JSON.parse(status(state, 1)),
    problems: [{ code: 'store_failed', text: 'the disk is full', ...(since === null ? {} : { since: iso(since) }) }] });

test('a problem that lasts is an alert, however long ago it began, also without a recorder; it ends with the problem', () => {
    const scene = new Scene();
    scene.hear('van', 'status', troubled('online', noon - 9 * 86400000));
    const [alert] = scene.read().alerts;
    assert.deepEqual([alert.kind, alert.words, alert.at], ['problem', 'The disk is full', noon - 9 * 86400000]);
    scene.hear('van', 'status', troubled('online', null));
    assert.equal(scene.read().alerts[0].at, noon);
    scene.hear('van', 'status', troubled('offline', noon));
    assert.deepEqual(scene.words(), ['van: Silent: no connection']);
    scene.hear('van', 'status', status('online', 1));
    assert.deepEqual(scene.words(), []);
});

test('a problem that a recorder keeps too is one alert, with its acknowledgement; another one is not hidden by it', () => {
    const scene = new Scene();
    const since = noon - 3600000;
    const two = JSON.parse(troubled('online', since));
    two.problems.push({ code: 'source_lost', text: 'gpsd is lost', since: iso(since + 1000) });
    scene.hear('van', 'status', JSON.stringify(two));
    const entries = [...scene.fleet.vehicles.values()].map((vehicle) => ({
        vehicle, name: 'van', condition: odograph.condition.conditionOf(vehicle, { now: noon, documents: new Map(), lowBattery: 0.2 }),
    }));
    const recorded = new odograph.RecordedAlerts();
    recorded.replace('acme', [{ id: '1', device: 'van', kind: 'problem', time: iso(since), is_open: true, text: 'the disk is full',
        acknowledged_by: 'ann', acknowledged_at: iso(noon) }]);
    const { alerts } = scene.alerts.read(entries, { now: noon, chosenFences: new Set(), fenceNames, areBeaconsChosen: false, recorded: recorded.all() });
    assert.deepEqual(alerts.map(({ words, isAcknowledged }) => [words, isAcknowledged]), [['Gpsd is lost', false], ['The disk is full', true]]);
    assert.deepEqual(entries[0].condition.problems.map(({ code }) => code), ['store_failed', 'source_lost']);
});

test('the newest is the first, and a chosen geofence alerts', () => {
    const scene = new Scene();
    scene.chosen = ['depot'];
    scene.hear('a', 'geofence', fenceEvent(10, { identifier: 'depot', action: 'ENTER' }), 10)
        .hear('b', 'location', location(5, low(0.1)), 5)
        .hear('c', 'geofence', fenceEvent(20, { identifier: 'depot', action: 'EXIT' }), 20)
        .hear('c', 'geofence', fenceEvent(21, { identifier: 'park', action: 'EXIT' }), 21);
    assert.deepEqual(scene.words(30), ['c: Left Depot North', 'a: Entered Depot North', 'b: Low battery: 10 %']);
});

test('beacons alert if they are chosen, each change once, and not in private time', () => {
    const scene = new Scene();
    const change = (seconds, action, rest = {}) => location(seconds, { event: 'beacon', beacon: { identifier: 'trailer-7', action }, ...rest });
    const entered = change(10, 'ENTER');
    scene.hear('a', 'location', entered, 10).hear('a', 'location', entered, 11).hear('a', 'location', change(20, 'EXIT'), 20)
        .hear('a', 'location', change(30, 'LOW_BATTERY'), 30).hear('a', 'location', change(40, 'ENTER', { tag: 'private' }), 40)
        .hear('a', 'location', location(50, { event: 'beacon', beacon: { identifier: 7, action: 'ENTER' } }), 50)
        .hear('a', 'location', location(60, { event: 'beacon' }), 60);
    assert.deepEqual(scene.words(60), []);
    scene.areBeaconsChosen = true;
    assert.deepEqual(scene.words(60), ['a: trailer-7: low battery', 'a: trailer-7 left', 'a: trailer-7 came aboard']);
});

test('what lasts keeps its time and its key, and a new one is fresh once', () => {
    const scene = new Scene();
    assert.deepEqual(scene.read().fresh, []);
    scene.hear('a', 'location', location(10, low(0.19)), 10);
    const [first] = scene.read(10).fresh;
    scene.hear('a', 'location', location(20, low(0.18)), 20);
    const { alerts: [second], fresh } = scene.read(20);
    assert.deepEqual(fresh, []);
    assert.deepEqual([second.key, second.at, second.words], [first.key, noon + 10000, 'Low battery: 18 %']);
});

test('an acknowledged alert stays acknowledged, also after a reload, until it comes again', () => {
    const scene = new Scene();
    scene.hear('a', 'location', location(10, low(0.1)), 10).hear('b', 'location', location(10), 10)
        .hear('b', 'status', status('offline', 7), 10);
    scene.alerts.acknowledge(scene.read(10).alerts.map(({ key }) => key), noon);
    const marks = (alerts) => alerts.map(({ name, isAcknowledged }) => `${name} ${isAcknowledged}`).sort();
    assert.deepEqual(marks(scene.read(11).alerts), ['a true', 'b true']);
    const reloaded = new odograph.Alerts(JSON.parse(JSON.stringify(scene.alerts.toSave(10))));
    assert.deepEqual(marks(scene.read(12, reloaded).alerts), ['a true', 'b true']);
    scene.hear('a', 'location', location(20, low(0.9)), 20).hear('b', 'status', status('online', 8), 20);
    assert.deepEqual(scene.words(20), []);
    scene.hear('a', 'location', location(30, low(0.1)), 30).hear('b', 'status', status('offline', 8), 30);
    assert.deepEqual(marks(scene.read(31).alerts), ['a false', 'b false']);
    assert.equal(scene.alerts.toSave(1).length, 1);
});

test('a recorder’s alert takes the place of the same one of the page, and its acknowledgement is shared', () => {
    const geofence = { identifier: 'school', name: 'School', action: 'OVERSPEED', peak_speed: 20, occurred_at: iso(noon) };
    const fleet = new odograph.Fleet(odograph.settings.readSettings({}, '').settings);
    const receive = (channel, payload) => fleet.receive(`fleet/acme/van-1/${channel}`, payload, { now: noon, isRetained: false });
    receive('geofence', location(1, { event: 'geofence', geofence }));
    receive('status', status('offline', 1));
    const entries = [...fleet.vehicles.values()].map((vehicle) => ({
        vehicle, name: 'van-1', condition: odograph.condition.conditionOf(vehicle, { now: noon, documents: new Map(), lowBattery: 0.2 }),
    }));
    const read = (rows) => {
        const recorded = new odograph.RecordedAlerts();
        recorded.replace('acme', rows);
        return new odograph.Alerts().read(entries, { now: noon, chosenFences: new Set(), fenceNames: new Map(), areBeaconsChosen: false,
            recorded: recorded.all() }).alerts.map(({ kind, words, isAcknowledged }) => [kind, words, isAcknowledged]);
    };
    assert.deepEqual(read([]).map(([kind]) => kind).sort(), ['overspeed', 'silent']);
    const row = { device: 'van-1', time: iso(noon), is_open: false };
    const found = read([
        { ...row, id: '1', kind: 'overspeed', text: 'van-1 of acme was too fast in School', acknowledged_by: 'ann', acknowledged_at: iso(noon) },
        { ...row, id: '2', kind: 'silent', text: 'van-1 of acme has been silent', is_open: true },
        { ...row, id: '3', kind: 'new', text: 'Something' }, { ...row, id: '4', kind: 'gap', device: 'unknown' },
        { id: '5' }, 7, null,
    ]);
    assert.deepEqual(found.sort(), [
        ['overspeed', 'Was too fast in School', true], ['problem', 'Something', false], ['silent', 'Has been silent', false],
    ]);
});
