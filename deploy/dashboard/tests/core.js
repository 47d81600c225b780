'use strict';
// The page's pure scripts, loaded as the page loads them: in its order, into one namespace.

const fs = require('node:fs');
const path = require('node:path');

const page = path.join(__dirname, '..', 'page');
const html = fs.readFileSync(path.join(page, 'index.html'), 'utf8');

for (const [, script] of html.matchAll(/<script src="(core\/[^"]+)"/g)) require(path.join(page, script));

module.exports = globalThis.odograph;
