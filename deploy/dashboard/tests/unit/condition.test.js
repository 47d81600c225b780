'use strict';
process.env.TZ = 'Europe/Madrid';
const test = require('node:test');
const assert = require('node:assert/strict');
const odograph = require('../core.js');
const { noon, iso, location, stay, trip, reported, status } = require('../messages.js');
const { conditionOf, scheduleAt, levelsBehind } = odograph.condition;

const settings = odograph.settings.readSettings({}, '').settings;

/** A vehicle that was heard at noon. */
function vehicleOf(...messages) {
    const fleet = new odograph.Fleet(settings);
    for (const [channel, payload] of messages) {
        fleet.receive(`fleet/acme/van-1/${channel}`, payload, { now: noon, isRetained: false });
    }
    return fleet.vehicles.get('acme/van-1');
}

function condition(messages, seconds = 0, documents = new Map()) {
    return conditionOf(vehicleOf(...messages), { now: noon + seconds * 1000, documents, lowBattery: 0.2, privateTags: settings.privateTags });
}

const online = ['status', status('online', 1)];
const lost = ['status', JSON.stringify({
    ...JSON.parse(status('online', 1)), problems: [{ code: 'position_lost', text: 'no position', since: iso(noon) }],
})];
const moving = ['location', location(0)];
const parked = ['location', location(0, { is_moving: false })];
const offSchedule = (mode) => ['reported', reported(0, {
    within_schedule: false, tracking: { enabled: true, off_schedule: mode },
    next_schedule_changes: [{ at: iso(noon + 3600000), within_schedule: true }],
})];

for (const [words, messages, seconds, kind] of [
    ['moves', [online, moving], 0, 'moving'],
    ['is parked', [online, parked], 0, 'parked'],
    ['has not said where it is', [online], 0, 'unknown'],
    ['has lost its position', [lost, moving], 0, 'unknown'],
    ['has lost its connection', [online, moving, ['status', status('offline', 1)]], 0, 'silent'],
    ['was stopped', [online, parked, ['status', status('offline', 1, 'stopped')]], 0, 'stopped'],
    ['was stopped on a trip', [online, moving, ['status', status('offline', 1, 'stopped')]], 0, 'stopped'],
    ['was stopped days ago', [online, parked, ['status', status('offline', 1, 'stopped')]], 1e6, 'stopped'],
    ['was stopped and is off schedule', [online, parked, offSchedule('stop'), ['status', status('offline', 1, 'stopped')]], 0, 'stopped'],
    ['was stopped in private time', [online, moving, offSchedule('private'), ['status', status('offline', 1, 'stopped')]], 0, 'private'],
    ['has lost its connection after an earlier stop', [['status', status('offline', 1, 'stopped')], ['status', status('online', 2)], parked,
        ['status', status('offline', 2)]], 0, 'silent'],
    ['moves and says nothing for less than two intervals', [online, moving], 599, 'moving'],
    ['moves and says nothing for longer', [online, moving], 601, 'silent'],
    ['is parked and says nothing for less than two heartbeats', [online, parked], 7199, 'parked'],
    ['is parked and says nothing for longer', [online, parked], 7201, 'silent'],
    ['is off schedule and not tracked', [online, parked, offSchedule('stop')], 0, 'off'],
    ['is off schedule and tracked with a tag', [online, moving, offSchedule('tag')], 0, 'moving'],
    ['is off schedule and private', [online, moving, offSchedule('private')], 0, 'private'],
    ['was private until the schedule opened', [online, moving, offSchedule('private')], 3600, 'silent'],
    ['has a tag for private times', [online, moving, ['location', location(5, { tag: 'private' })]], 0, 'private'],
    ['is parked in private use', [online, parked, ['timeline', stay('u9', 60, null, { tag: 'private' })]], 90, 'private'],
    ['has driven off publicly after private use', [online, ['timeline', stay('u9', -60, null, { tag: 'private' })],
        ['location', location(30)]], 40, 'moving'],
    ['is told to track nothing', [online, parked, ['reported', reported(0, { tracking: { enabled: false } })]], 0, 'off'],
]) {
    test(`a vehicle that ${words} is ${kind}`, () => assert.equal(condition(messages, seconds).kind, kind));
}

for (const [words, vehicle, seconds, expected] of [
    ['that drives', [online, moving], 0, 'Moving, 36 km/h'],
    ['at a traffic light', [online, ['location', location(0, { coords: { speed: 0.3 } })]], 0, 'In traffic'],
    ['whose speed is old', [online, moving], 60, 'Moving'],
    ['that has stood at a traffic light for minutes', [online, ['location', location(0, { coords: { speed: 0 } })]], 200, 'In traffic'],
    ['that was stopped', [online, parked, ['status', status('offline', 1, 'stopped')]], 600, 'Off since 13:00'],
    ['without a position', [lost, moving], 120, 'No position for 2 min'],
    ['without a word', [online, moving, ['status', status('offline', 1)]], 0, 'Silent: no connection'],
]) {
    test(`the list says of a vehicle ${words}: ${expected}`, () => {
        const made = vehicleOf(...vehicle);
        const now = noon + seconds * 1000;
        const found = conditionOf(made, { now, documents: new Map(), lowBattery: 0.2 });
        assert.equal(odograph.roster.conditionWords(made, found, now), expected);
    });
}

test('a vehicle that does not drive has no speed in its panel, and its position can be copied', () => {
    const lines = (...messages) => shown(vehicleOf(...messages)).now;
    assert.ok(lines(online, moving).some(({ term }) => term === 'Speed'));
    const off = lines(online, moving, offSchedule('stop'));
    assert.ok(!off.some(({ term }) => term === 'Speed' || term === 'Heading'));
    assert.equal(off.find(({ term }) => term === 'Position').place, '40.00000,-3.00000');
});

test('the panel tells the position from the last message', () => {
    const vehicle = vehicleOf(online, moving);
    vehicle.heardAt = noon + 57000;
    const terms = Object.fromEntries(shown(vehicle, 60).now.map(({ term, words }) => [term, words]));
    assert.match(terms['As of'], /, 60 s ago$|, 1 min ago$/);
    assert.equal(terms['Last message'], '3 s ago');
    assert.equal(terms.Speed, undefined);
});

test('a vehicle with its own pauses is waited for as long as they say', () => {
    const configured = (tracking) => ['reported', reported(0, { configuration: { tracking } })];
    const fast = [online, moving, configured({ sampling: { maximum_interval: 20 } })];
    assert.equal(condition(fast, 39).isSilent, false);
    assert.equal(condition(fast, 41).isSilent, true);
    assert.equal(condition([online, parked, configured({ heartbeat_interval: 0 })], 1e6).isSilent, false);
});

test('a speed is the present one for half a minute', () => {
    const speeds = [0, 30, 31].map((seconds) => condition([online, moving], seconds).speed);
    assert.deepEqual(speeds, [10, 10, null]);
    assert.equal(condition([online, parked]).speed, null);
});

test('the schedule goes on while nothing is reported', () => {
    const changes = [10, 20, 30].map((at, index) => ({ at, within: index % 2 === 0 }));
    const steps = [5, 15, 25, 35].map((now) => scheduleAt({ within: false, changes }, now));
    assert.deepEqual(steps.map(({ within }) => within), [false, true, false, true]);
    assert.deepEqual(steps.map(({ next }) => next?.at ?? null), [10, 20, 30, null]);
});

for (const [level, isCharging, isLow] of [[0.19, false, true], [0.2, false, false], [0.05, true, false]]) {
    test(`a battery at ${level}${isCharging ? ', charging,' : ''} is ${isLow ? '' : 'not '}low`, () => {
        const fix = location(0, { battery: { level, is_charging: isCharging } });
        assert.equal(condition([['location', fix]]).hasLowBattery, isLow);
    });
}

test('a configuration is behind where the newest document of a level is not in force', () => {
    const known = (hash, applied = true) => [{ level: 'all', version: '1', hash, applied }];
    const documents = new Map([['acme/all', 'new'], ['acme/group:cars', 'cars'], ['other/all', 'else']]);
    const behind = (levels) => levelsBehind(vehicleOf(['reported', reported(0, { levels })]), documents);
    assert.deepEqual(behind(known('new')), []);
    assert.deepEqual(behind(known('old')), [{ level: 'all', isRefused: false }]);
    assert.deepEqual(behind([]), [{ level: 'all', isRefused: false }]);
    assert.deepEqual(behind(known('new', false)), [{ level: 'all', isRefused: true }]);
    documents.set('acme/group:vans', 'vans');
    assert.deepEqual(behind(known('new')), [{ level: 'group:vans', isRefused: false }]);
    assert.deepEqual(levelsBehind(vehicleOf(online), documents), []);
});

test('the list is narrowed, searched and ordered', () => {
    const entry = (name, kind, speed, rest = {}) => ({
        vehicle: { key: `acme/${name}`, heardAt: speed }, name,
        condition: { kind, battery: null, speed: kind === 'moving' ? speed : null, ...rest },
    });
    const entries = [entry('van-10', 'moving', 5), entry('van-2', 'moving', 9), entry('car-1', 'parked', 0),
        entry('van-3', 'silent', 2, { isSilent: true })];
    const names = (wish) => odograph.roster.rosterOf(entries, { filter: 'all', search: '', order: 'name', ...wish })
        .rows.map((row) => row.name);
    assert.deepEqual(names({}), ['car-1', 'van-2', 'van-3', 'van-10']);
    assert.deepEqual(names({ filter: 'moving' }), ['van-2', 'van-10']);
    assert.deepEqual(names({ filter: 'silent' }), ['van-3']);
    assert.deepEqual(names({ search: ' VAN ' }), ['van-2', 'van-3', 'van-10']);
    assert.deepEqual(names({ order: 'speed' }), ['van-2', 'van-10', 'car-1', 'van-3']);
    assert.deepEqual(names({ order: 'state' }), ['van-3', 'van-2', 'van-10', 'car-1']);
    entries[0].vehicle.reported = { groups: ['vans', 'north'] };
    entries[1].vehicle.reported = { groups: ['vans'] };
    assert.deepEqual(names({ group: 'vans' }), ['van-2', 'van-10']);
    assert.deepEqual(names({ group: 'north', filter: 'parked' }), []);
    assert.deepEqual(odograph.roster.groupNames(entries.map(({ vehicle }) => vehicle)), ['north', 'vans']);
    const { counts: ofGroup } = odograph.roster.rosterOf(entries, { filter: 'all', search: '', order: 'name', group: 'vans' });
    assert.deepEqual([ofGroup.all, ofGroup.parked], [2, 0]);
    const { counts } = odograph.roster.rosterOf(entries, { filter: 'moving', search: 'x', order: 'name' });
    assert.deepEqual([counts.all, counts.moving, counts.parked, counts.silent], [4, 2, 1, 1]);
});

const shown = (vehicle, seconds = 0) => odograph.detailsOf({ vehicle, name: vehicle.name, condition: conditionOf(vehicle, {
    now: noon + seconds * 1000, documents: new Map(), lowBattery: 0.2,
}) }, {
    now: noon + seconds * 1000, past: new odograph.PastDay(vehicle, odograph.clock.clockOf(null).dayOf(noon)),
    documents: new Map(), privateTags: ['private'],
    fenceNames: new Map([['depot', 'Depot North']]),
});

test('a panel says the odometer with its error, and the schedule with its next change', () => {
    const vehicle = vehicleOf(['location', location(0, { odometer: 120345, odometer_error: 18.1 })],
        ['reported', reported(0, {
            configuration: { tracking: { schedule: '* 8-20 * * *', time_zone: 'Europe/Madrid' } },
            next_schedule_changes: [{ at: iso(noon + 7500000), within_schedule: false }],
        })]);
    const details = shown(vehicle);
    assert.equal(details.now.find(({ term }) => term === 'Odometer').words, '120.3 km ± 18 m');
    assert.match(details.schedule.words, /^Within schedule until .*, in 2 h 05 min\.$/);
    assert.equal(details.schedule.zone, 'Europe/Madrid');
});

for (const [schedule, expressions] of [
    ['* 8-20 * * *', ['* 8-20 * * *']], [['* 22-23 * * 1-5', '* 0-5 * * 2-6'], ['* 22-23 * * 1-5', '* 0-5 * * 2-6']],
    [null, null], [[], null], [7, null], [[7, '* 8 * * *'], ['* 8 * * *']],
]) {
    test(`a panel shows the schedule ${JSON.stringify(schedule)} as it is reported`, () => {
        const changes = [{ at: iso(noon + 7500000), within_schedule: false }];
        const report = reported(0, { configuration: { tracking: { schedule } }, next_schedule_changes: changes });
        assert.deepEqual(shown(vehicleOf(['reported', report])).schedule.expressions, expressions);
    });
}

test('a vehicle that reports another zone has the days of that zone', () => {
    const zones = (...names) => odograph.zoneOf(vehicleOf(...names.map((name, second) => (
        ['reported', reported(second, { time_zone: name })]))));
    assert.equal(zones('Asia/Almaty'), 'Asia/Almaty');
    assert.equal(zones('Asia/Almaty', 'Asia/Qostanay'), 'Asia/Qostanay');
});

test('a panel shows the traffic budget of a vehicle that has one', () => {
    const words = (budget) => shown(vehicleOf(moving, ['reported', reported(0, { budget })])).reported.budget;
    const budget = { bytes: 41_000_000, limit: 50_000_000, overshoot: 0, step: 'normal' };
    assert.equal(words(undefined), null);
    assert.equal(words({ bytes: 1 }), null);
    assert.equal(words(budget), '82 % of 50 MB used');
    assert.equal(words({ ...budget, step: 'low' }), '82 % of 50 MB used, positions come every ten minutes');
    assert.match(words({ ...budget, step: 'exhausted', until: iso(noon) }),
        /^82 % of 50 MB used, positions wait in the vehicle until /);
});

test('a panel of a private vehicle has no place in it', () => {
    const vehicle = vehicleOf(moving, offSchedule('private'), ['timeline', trip('a', -600, null)],
        ['timeline', stay('b', -900, -600, { location: undefined })]);
    const details = JSON.stringify(shown(vehicle));
    assert.match(details, /Private trip/);
    assert.match(details, /Private stop/);
    assert.doesNotMatch(details, /latitude|40\.0/);
});

test('a panel names geofences, and says what was refused and given up', () => {
    const event = location(65, { event: 'geofence', geofence: { identifier: 'depot', action: 'OVERSPEED', peak_speed: 20,
        occurred_at: iso(noon) } });
    const vehicle = vehicleOf(['geofence', event], ['reported', reported(0, {
        errors: [{ topic: 't', path: 'a.b', value: '1', message: 'is wrong' }],
        geofences: { count: 2, errors: [{ topic: 'g', identifier: 'depot', path: 'p', line: 3, message: 'is small' }] },
        ledger: [{ epoch: 1, from: 3, to: 9, count: 5, kind: 'location', reason: 'quota', at: iso(noon) },
            { epoch: 1, from: 10, to: 99, count: 90, reason: 'never_assigned', at: iso(noon) },
            { epoch: 1, from: 100, to: 102, count: 3, reason: 'possibly_lost', at: iso(noon) }],
    })]);
    const details = shown(vehicle, 100);
    assert.equal(details.fenceEvents[0].words, 'too fast in Depot North');
    assert.equal(details.fenceEvents[0].notes, 'up to 72 km/h, known 1 min later');
    assert.deepEqual(details.reported.errors, [{ where: 't a.b', value: '1', message: 'is wrong' },
        { where: 'g depot p', value: null, message: 'is small' }]);
    assert.equal(details.reported.fences, 2);
    assert.deepEqual(details.reported.ledger, ['up to 3 records possibly lost: 100–102',
        '5 locations given up (quota): 3–9']);
});
