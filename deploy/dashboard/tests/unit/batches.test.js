'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const zlib = require('node:zlib');
const odograph = require('../core.js');
const { batches: { decode }, Fleet, settings: { readSettings } } = odograph;

const recordings = path.join(__dirname, '../../../../Tests/Recorded');
const contract = path.join(__dirname, '../../../../Tests/Contract');
const { message, document, records } = JSON.parse(fs.readFileSync(path.join(recordings, 'batch.json'), 'utf8'));
const deflated = (text) => new Uint8Array(zlib.deflateSync(Buffer.from(text)));

test('the records of the recorded batch come back in the order of their numbers', async () => {
    const found = await decode(new Uint8Array(Buffer.from(message, 'base64')));
    const plain = (rows) => rows.map(([channel, seq, text]) => [channel, seq, JSON.parse(text)]);
    assert.deepEqual(plain(found.map((one) => [one.channel, one.seq, one.payload])), plain(records));
    assert.deepEqual(await decode(deflated(document)), found);
});

for (const [what, bytes] of [
    ['no zlib stream', new Uint8Array([1, 2, 3])],
    ['a cut one', new Uint8Array(Buffer.from(message, 'base64')).slice(0, 50)],
    ['no JSON', deflated('{"device_id":"v","epoch":1,')],
    ['a second value', deflated('{"device_id":"v","epoch":1} 1')],
]) {
    test(`what is no batch is refused: ${what}`, () => assert.rejects(decode(bytes)));
}

/** What JSON.parse does not tell: a key that is there twice, and how a number was written. */
const untold = ['a key is there twice', 'the form of a column is 1.0', 'a difference is a fraction', 'a value is 1e999', 'a value is -1e999'];

for (const { name, document: text, message: encoded } of JSON.parse(fs.readFileSync(path.join(contract, 'hostile-batches.json'), 'utf8'))) {
    if (untold.includes(name)) continue;
    const bytes = text === undefined ? new Uint8Array(Buffer.from(encoded, 'base64')) : deflated(text);
    test(`a hostile batch of ${bytes.length} bytes is refused: ${name}`, () => assert.rejects(decode(bytes)));
}

test('the limits are those of the recorder’s decoder', () => {
    const source = fs.readFileSync(path.join(recordings, '../../Sources/Batches/BatchBounds.swift'), 'utf8');
    const stated = (name) => {
        const [, number, shift] = source.match(new RegExp(`static let ${name} = ([0-9_]+)(?: << ([0-9]+))?\\n`));
        return Number(number.replaceAll('_', '')) * 2 ** Number(shift ?? 0);
    };
    const [most, bytes, recordBytes] = ['records', 'bytes', 'recordBytes'].map(stated);
    assert.match(source, /documentBytes = 2 \* recordBytes \+ bytes\n/);
    const { depth, ...limits } = odograph.batches.limits;
    assert.deepEqual(limits, { records: most, bytes, recordBytes, documentBytes: 2 * recordBytes + bytes });
    assert.ok(depth > 0);
});

test('a batch that nobody has opened is no record', () => {
    const fleet = new Fleet(readSettings({}, '').settings);
    fleet.receive('fleet/acme/van-1/batch', '{}', { now: 0, isRetained: false });
    assert.equal(fleet.counters.unreadable, 1);
});
