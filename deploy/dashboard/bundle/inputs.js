'use strict';
// inputs.js METAFILE: the files that esbuild put together, one a line, but for those of this folder.
const fs = require('node:fs');
const path = require('node:path');

const { inputs } = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
// What stands for a part of Node.js that browsers do not have is empty and no file.
const names = Object.keys(inputs).filter((name) => !name.startsWith('(disabled):'));
const files = names.map((name) => fs.realpathSync(path.resolve(__dirname, name)));
const others = files.filter((file) => !file.startsWith(__dirname + path.sep));
process.stdout.write(others.map((file) => `${file}\n`).join(''));
