'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const { topics: { parseTopic }, settings: { readSettings, brokerAddress, policy }, Trail, sha256, Backoff } = require('../core.js');
const { createHash } = require('node:crypto');

const address = (name, channel, rest = {}) => ({ fleet: 'acme', name, channel, isBacklog: false, item: null, ...rest });
for (const [topic, expected] of [
    ['fleet/acme/van-7/location', address('van-7', 'location')],
    ['fleet/acme/van-7/location/backlog', address('van-7', 'location', { isBacklog: true })],
    ['fleet/acme/van-7/status', address('van-7', 'status')],
    ['fleet/acme/all/geofences', address('all', 'geofences')],
    ['fleet/acme/group:vans/geofences/depot', address('group:vans', 'geofences', { item: 'depot' })],
    ['fleet/acme/van-7/config', address('van-7', 'config')],
    ['fleet/acme/van-7/location/other', null],
    ['fleet/acme/van-7/status/backlog', null],
    ['fleet/acme/all/location', null],
    ['fleet/acme/group:vans/location', null],
    ['fleet/acme/van-7/command', null],
    ['fleet/acme/van-7', null],
    ['other/acme/van-7/location', null],
]) {
    test(`${topic} is ${expected === null ? 'none of ours' : `${expected.channel} of ${expected.name}`}`, () => {
        assert.deepEqual(parseTopic(topic, 'fleet'), expected);
    });
}

test('the address may choose the fleet, and neither the broker, nor the tiles, nor whom to sign in as', () => {
    const tiles = 'https://tiles.example/{z}/{x}/{y}.png';
    for (const configured of [{ fleet: 'one' }, { fleet: 'one', tiles, broker: 'wss://broker.example/' }]) {
        const link = '?fleet=two&broker=ws://elsewhere/&user=x&password=y&tiles=https://elsewhere/{z}/{x}/{y}';
        const { settings, faults } = readSettings(configured, link);
        const { fleet, broker, user, password } = settings;
        assert.deepEqual([fleet, broker, settings.tiles, user, password],
            ['two', configured.broker ?? null, configured.tiles ?? null, null, null]);
        assert.equal(faults.length, 4);
    }
    assert.deepEqual(readSettings({}, '?fleet=two&root=r&utm_source=mail').faults, []);
});

const directive = (configured, name) => policy(readSettings(configured, '').settings).split('; ')
    .find((text) => text.startsWith(`${name} `)).slice(name.length + 1);
for (const [configured, images, connections] of [
    [{}, "'self' data:", "'self'"],
    [{ tiles: '/tiles/{z}/{x}/{y}.png' }, "'self' data:", "'self'"],
    [{ tiles: 'https://tiles.example:8443/{z}/{x}/{y}.png?key=1' }, "'self' data: https://tiles.example:8443", "'self'"],
    [{ tiles: 'https://{s}.tiles.example/{z}/{x}/{y}{r}.png' },
        "'self' data: https://a.tiles.example https://b.tiles.example https://c.tiles.example", "'self'"],
    [{ broker: 'wss://broker.example:9001/mqtt' }, "'self' data:", "'self' wss://broker.example:9001"],
]) {
    test(`the page may ask whom config.js names, and nobody else: ${JSON.stringify(configured)}`, () => {
        assert.equal(directive(configured, 'img-src'), images);
        assert.equal(directive(configured, 'connect-src'), connections);
        assert.equal(directive(configured, 'default-src'), "'none'");
        assert.equal(directive(configured, 'worker-src'), 'blob:');
    });
}

for (const [configured, query] of [[{}, '?fleet=a/b'], [{}, '?root=%23'], [{}, '?tiles=javascript:alert(1)'],
    [{ tiles: 'https://tiles.example/' }, ''], [{ broker: 'https://broker.example/' }, ''], [{ colour: 1 }, ''],
    // A content security policy has no form for it.
    [{ broker: 'ws://[::1]:9001/' }, ''], [{ tiles: 'http://[::1]/{z}/{x}/{y}.png' }, '']]) {
    test(`a wrong setting is told and left out: ${JSON.stringify(configured)} ${query}`, () => {
        const { settings, faults } = readSettings(configured, query);
        assert.equal(faults.length, 1);
        assert.deepEqual([settings.fleet, settings.root, settings.tiles, settings.broker], ['+', 'fleet', null, null]);
    });
}

test('the broker is where the page came from', () => {
    const { settings } = readSettings({}, '');
    assert.equal(brokerAddress(settings, { protocol: 'https:', host: 'desk.example:9443' }), 'wss://desk.example:9443/');
    assert.equal(brokerAddress(settings, { protocol: 'http:', host: '127.0.0.1:80' }), 'ws://127.0.0.1:80/');
});

test('a trail of every insertion order is in order, and bounded', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
        const trail = new Trail(8);
        const times = Array.from({ length: 12 }, (_, i) => (i * seed * 7) % 13);
        for (const at of times) trail.add(at, at, -at);
        const kept = Array.from(trail.times.subarray(0, trail.length));
        assert.deepEqual(kept, [...kept].sort((a, b) => a - b));
        assert.equal(new Set(kept).size, kept.length);
        assert.ok(trail.length <= 8);
        kept.forEach((at, i) => assert.deepEqual([trail.xs[i], trail.ys[i]], [at, -at]));
        assert.equal(kept.at(-1), Math.max(...times));
    }
});

for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
    test(`sha256 of ${length} letters is the one of the library`, () => {
        const text = 'aé'.repeat(length).slice(0, length);
        assert.equal(sha256(text), createHash('sha256').update(text).digest('hex'));
    });
}

test('waiting doubles up to a bound, is random, and begins anew after a connection that stayed', () => {
    const most = new Backoff(1, 30, () => 1);
    assert.deepEqual(Array.from({ length: 7 }, () => most.next() / 1000), [1, 2, 4, 8, 16, 30, 30]);
    most.reset();
    assert.equal(most.next(), 1000);
    assert.equal(new Backoff(1, 30, () => 0).next(), 500);
});
