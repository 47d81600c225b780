'use strict';
// Whatever a vehicle, a recorder or a document says in whichever field, each view stays whole: nothing throws, and no view
// says NaN, Infinity or undefined, or a number that nobody can read.
process.env.TZ = 'Europe/Madrid';
const test = require('node:test');
const assert = require('node:assert/strict');
const odograph = require('../core.js');
const { noon, iso, location, stay, trip, reported, status } = require('../messages.js');

const now = noon + 1800000;
const at = (seconds) => iso(noon + seconds * 1000);
const waypoint = (seconds) => ({ latitude: 40, longitude: -3, accuracy: 4, timestamp: at(seconds), speed: 3 });

/** A message of each channel with all that the page reads. */
const messages = {
    location: JSON.parse(location(1700, {
        battery: { level: 0.5, is_charging: false }, event: 'driving', tag: 'work', driver: '42', extras: { load: 7 },
        driving: { kind: 'braking', peak_g: 0.4, duration: 2, started_at: at(1699) }, beacons: ['trailer'],
    })),
    beacon: JSON.parse(location(1701, { event: 'beacon', beacon: { identifier: 'trailer', action: 'ENTER' } })),
    geofence: JSON.parse(location(1702, {
        event: 'geofence', geofence: { identifier: 'depot', name: 'Depot', action: 'OVERSPEED', peak_speed: 20, dwell: 60, initial: true,
            occurred_at: at(1700) },
    })),
    trip: JSON.parse(trip('t', 0, 600, {
        waypoints: [waypoint(0), waypoint(600)], driver: '42', tag: 'work', driving: { acceleration: 1, braking: 2, cornering: 3 },
    })),
    running: JSON.parse(trip('r', 900, null)),
    stay: JSON.parse(stay('s', 600, 900, { venue: { identifier: 'depot', name: 'Depot', significance: 'DEPOT' } })),
    away: JSON.parse(stay('a', -900, 0, { type: 'OFF_THE_GRID', location: undefined, reason: 'no_fix' })),
    status: { ...JSON.parse(status('online', 3)), problems: [{ code: 'no_fix', text: 'no position', since: at(0) }] },
    reported: JSON.parse(reported(0, {
        levels: [{ level: 'all', version: '1', version_in_force: '0', hash: 'h', applied: false }],
        errors: [{ topic: 't', path: 'tracking.x', value: '7', message: 'wrong' }], time_zone: 'Europe/Madrid',
        configuration: { tracking: { schedule: '* 8 * * *', time_zone: 'Europe/Madrid', heartbeat_interval: 60, sampling: { maximum_interval: 30 } } },
        within_schedule: false, next_schedule_changes: [{ at: at(3600), within_schedule: true }], tracking: { enabled: true, off_schedule: 'tag' },
        geofences: { count: 2, errors: [{ topic: 't', identifier: 'g', path: 'radius', value: -1, message: 'too small' }] },
        ledger: [{ epoch: 1, from: 1, to: 9, count: 9, kind: 'location', reason: 'age' }],
        budget: { bytes: 5e6, limit: 1e7, step: 'low', until: at(7200) },
    })),
    geofences: { type: 'FeatureCollection', features: [
        { type: 'Feature', id: 'depot', properties: { name: 'Depot', radius: 50 }, geometry: { type: 'Point', coordinates: [-3, 40] } },
        { type: 'Feature', id: 'ring', properties: { corridor: 9 }, geometry: { type: 'LineString', coordinates: [[-3, 40], [-3.1, 40]] } },
        { type: 'Feature', id: 'yard', properties: {}, geometry: { type: 'Polygon', coordinates: [[[-3, 40], [-3.1, 40], [-3, 41], [-3, 40]]] } },
        { type: 'Feature', id: 'two', properties: {}, geometry: { type: 'MultiPolygon', coordinates: [[[[-3, 40], [-3.1, 40], [-3, 41], [-3, 40]]]] } },
    ] },
    row: {
        timestamp: at(60), epoch: 1, seq: 1, latitude: 40, longitude: -3, accuracy: 4, altitude: 600, speed: 9, heading: 90, is_moving: true,
        odometer: 7, driver: '42', event: 'motionchange', geofence: 'depot', action: 'ENTER', mock: true,
    },
    event: JSON.parse(trip('e', 60, 120)).timeline_event,
    alert: { id: 'a', device: 'van-1', kind: 'overspeed', rule: 'r', time: at(0), end: at(9), text: 'van-1 of acme was fast', is_open: false,
        acknowledged_by: 'ann', acknowledged_at: at(60) },
    answer: { id: 'q', recorder: 'main', part: 1, is_last: true, status: 'ok', rows: [{ a: 1 }], count: 1, next: 'p' },
    command: { id: 'c', address: 'fleet/acme/van-1', status: 'ok', timeline_events: [{ a: 1 }], more: true },
};
const channels = {
    location: 'location', beacon: 'location', geofence: 'geofence', trip: 'timeline', running: 'timeline', stay: 'timeline', away: 'timeline',
    status: 'status', reported: 'reported',
};
const extremes = [
    2 ** 63 - 1, -(2 ** 63), 1e308, -1e308, 5e-324, 2 ** 53, -1, 0, '', 'x'.repeat(20000), '9999-12-31T23:59:59.999Z', '0000-01-01T00:00:00Z',
    '+275760-09-13T00:00:00.000Z', 'constructor', '__proto__', null, true, [], {}, [[]], [1e308], { toString: 1 },
];

/** Every place in a message, as the keys that lead to it. */
function placesIn(value, keys = []) {
    if (typeof value !== 'object' || value === null) return [keys];
    return [keys, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...keys, key]))];
}

function changed(value, [key, ...rest], replacement) {
    if (key === undefined) return replacement;
    const copy = Array.isArray(value) ? [...value] : { ...value };
    copy[key] = changed(copy[key], rest, replacement);
    return copy;
}

const settings = odograph.settings.readSettings({}, '').settings;

/** All words of all views of a fleet that has got these messages. */
function wordsOf(all) {
    const fleet = new odograph.Fleet(settings);
    for (const [kind, channel] of Object.entries(channels)) {
        fleet.receive(`fleet/acme/van-1/${channel}`, JSON.stringify(all[kind]), { now, isRetained: false });
    }
    fleet.receive('fleet/acme/all/geofences', JSON.stringify(all.geofences), { now, isRetained: false });
    const words = [];
    for (const fence of fleet.fences.all()) words.push(fence.meters, fence.box, fence.latitude, fence.name);
    const answer = new odograph.history.Answer();
    answer.take(JSON.stringify(all.answer));
    words.push(answer.best?.error ?? '');
    const told = odograph.history.readCommandAnswer(JSON.stringify(all.command), { id: 'c', address: 'fleet/acme/van-1' });
    words.push(told?.error ?? '');
    const fenceNames = new Map([['depot', 'Depot']]);
    const entries = [...fleet.vehicles.values()].map((vehicle) => {
        const condition = odograph.condition.conditionOf(vehicle, { now, documents: fleet.documents, lowBattery: 0.2 });
        return { vehicle, name: fleet.nameOf(vehicle), condition };
    });
    for (const order of ['name', 'state', 'speed', 'heard', 'battery']) odograph.roster.rosterOf(entries, { filter: 'all', search: '', order });
    const recorded = new odograph.RecordedAlerts();
    recorded.replace('acme', [all.alert]);
    words.push(recorded.all());
    const circumstances = { now, recorded: recorded.all(), chosenFences: new Set(['depot']), fenceNames, areBeaconsChosen: true };
    words.push(new odograph.Alerts().read(entries, circumstances).alerts.map((alert) => [alert.words, odograph.format.timeOrDay(alert.at, now)]));
    for (const entry of entries) words.push(viewsOf(entry, all, fleet.documents, fenceNames));
    return words;
}

function viewsOf(entry, all, documents, fenceNames) {
    const { vehicle } = entry;
    const words = [odograph.condition.levelsOf(vehicle)];
    const clock = odograph.clock.clockOf(odograph.zoneOf(vehicle));
    for (const day of [clock.dayOf(now), clock.dayOf(now, -1)]) {
        const past = new odograph.PastDay(vehicle, day);
        past.takeEvents([all.event]);
        const details = odograph.detailsOf(entry, { now, past, documents, privateTags: settings.privateTags, fenceNames });
        const { timeline } = details;
        const { from, to, ticks } = odograph.day.domainOf(timeline, now);
        const track = odograph.track.trackOfRows([all.row], timeline.parts);
        const routes = odograph.track.trackOfParts(timeline.parts);
        words.push(details, from, to, ticks, odograph.knowledge.knowledgeWords(timeline.knowledge, day, now, clock),
            odograph.format.distance(timeline.totals.distance), odograph.format.duration(timeline.totals.driving),
            ...timeline.parts.map(({ distance, duration }) => [odograph.format.distance(distance), odograph.format.duration(duration)]),
            odograph.exports.timelineCSV(timeline.parts, vehicle), odograph.exports.positionsCSV(track, vehicle),
            odograph.exports.gpx(track, vehicle), odograph.track.positionAt(track, now), odograph.track.positionAt(routes, now));
        assert.ok(ticks.length < 20, 'a bar has few ticks');
    }
    return words;
}

/** The first wrong word of the views. */
function wrongIn(value, key = '') {
    if (typeof value === 'number') return Number.isFinite(value) ? null : `${key} is ${value}`;
    if (value === undefined) return `${key} is undefined`;
    // What a program has added, and a value that was refused, are said as they are.
    if (typeof value === 'string') return /NaN|Infinity|undefined|\[object|function|\d{17}/.test(value) ? `${key}: ${value.slice(0, 200)}` : null;
    if (typeof value !== 'object' || value === null) return null;
    for (const [name, inner] of Object.entries(value)) {
        const wrong = wrongIn(inner, `${key}.${name}`);
        if (wrong !== null) return wrong;
    }
    return null;
}

test('the views of usual messages are right, and have each part', () => {
    const words = JSON.stringify(wordsOf(messages));
    assert.equal(wrongIn(wordsOf(messages)), null);
    for (const part of ['Too fast in Depot, up to 72 km/h', 'trailer came aboard', 'Harsh braking, 0.40 g', '9 locations given up', '50 % of 10 MB']) {
        assert.ok(words.includes(part), part);
    }
});

/** Each place gets so many of the values, chosen by a seed; with ODOGRAPH_ALL_EXTREMES all of them, which takes long. */
const most = process.env.ODOGRAPH_ALL_EXTREMES ? extremes.length : 4;
let state = 20261121;

function chosen() {
    const rest = [...extremes];
    return Array.from({ length: most }, () => {
        state = (state * 48271) % 2147483647;
        return rest.splice(state % rest.length, 1)[0];
    });
}

for (const [kind, message] of Object.entries(messages)) {
    test(`no value in any field of ${kind} breaks a view`, () => {
        for (const keys of placesIn(message)) {
            // The rows of an answer are objects.
            for (const extreme of kind === 'row' && keys.length === 0 ? [] : chosen()) {
                const where = `${kind}.${keys.join('.')} = ${JSON.stringify(extreme)?.slice(0, 40)}`;
                const all = { ...messages, [kind]: changed(message, keys, extreme) };
                let words;
                assert.doesNotThrow(() => { words = wordsOf(all); }, undefined, where);
                const isFree = /extras|value/.test(keys.join('.'));
                if (!isFree) assert.equal(wrongIn(words), null, where);
            }
        }
    });
}
