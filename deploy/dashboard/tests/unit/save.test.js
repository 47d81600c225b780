'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');

test('a table that is saved has a byte order mark, and another file has none', async (context) => {
    const saved = [];
    globalThis.document = { createElement: () => ({ setAttribute() {}, append() {}, click() {} }) };
    context.after(() => { delete globalThis.document; });
    context.mock.timers.enable({ apis: ['setTimeout'] });
    context.mock.method(URL, 'createObjectURL', (blob) => { saved.push(blob); return 'blob:x'; });
    require('../../page/view/dom.js');
    for (const [type, text] of [['text/csv', 'a,é\n'], ['application/gpx+xml', '<?xml version="1.0"?>']]) globalThis.odograph.dom.save('name', type, text);
    const bytes = await Promise.all(saved.map(async (blob) => Buffer.from(await blob.arrayBuffer())));
    assert.deepEqual(bytes.map((one) => one.toString('latin1').slice(0, 5)), ['\xef\xbb\xbfa,', '<?xml']);
});
