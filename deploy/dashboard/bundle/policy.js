'use strict';
// policy.js CONFIG: the content security policy of a page whose config.js is the file CONFIG.
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const page = vm.createContext({ URL, URLSearchParams });
for (const file of [path.join(__dirname, '../page/core/settings.js'), process.argv[2]]) {
    vm.runInContext(fs.readFileSync(file, 'utf8'), page, { filename: file });
}
const { readSettings, policy } = page.odograph.settings;
const { settings, faults } = readSettings(page.odograph.configured, '');
for (const fault of faults) process.stderr.write(`${process.argv[2]}: ${fault}\n`);
if (faults.length > 0) process.exit(1);
process.stdout.write(`${policy(settings)}\n`);
