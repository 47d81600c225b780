'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const zlib = require('node:zlib');
const { batches: { decode }, Fleet, settings: { readSettings } } = require('../core.js');

const recorded = path.join(__dirname, '..', '..', '..', '..', 'Tests', 'Recorded', 'batch.json');
const { message, document, records } = JSON.parse(fs.readFileSync(recorded, 'utf8'));
const deflated = (text) => new Uint8Array(zlib.deflateSync(Buffer.from(text)));

test('the records of the recorded batch come back in the order of their numbers', async () => {
    const found = await decode(new Uint8Array(Buffer.from(message, 'base64')));
    assert.deepEqual(found.map((one) => [one.channel, one.seq, one.message]),
        records.map(([channel, seq, text]) => [channel, seq, JSON.parse(text)]));
    assert.deepEqual(await decode(deflated(document)), found);
});

for (const [what, bytes] of [
    ['no zlib stream', new Uint8Array([1, 2, 3])],
    ['a cut one', new Uint8Array(Buffer.from(message, 'base64')).slice(0, 50)],
    ['more than 4 MiB', deflated(' '.repeat((4 << 20) + 1))],
    ['more than 10000 records', deflated(JSON.stringify({ tables: [{ count: 10001, records: {} }] }))],
    ['a count that is no number', deflated(JSON.stringify({ tables: [{ count: 'x', records: {} }] }))],
]) {
    test(`what is no batch is refused: ${what}`, () => assert.rejects(decode(bytes)));
}

test('a batch that nobody has opened is no record', () => {
    const fleet = new Fleet(readSettings({}, '').settings);
    fleet.receive('fleet/acme/van-1/batch', '{}', { now: 0, isRetained: false });
    assert.equal(fleet.counters.unreadable, 1);
});
