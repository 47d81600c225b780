'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { execFileSync } = require('node:child_process');

const page = process.env.ODOGRAPH_PAGE;
const shipped = fs.readFileSync(path.join(page, 'licences.txt'), 'utf8');

/** The packages of Node.js whose files esbuild puts into the page, by the folder of each. */
function bundled() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'odograph-licences.'));
    try {
        const list = path.join(folder, 'list.json');
        const make = path.join(__dirname, '../../bundle/make');
        execFileSync(make, [path.join(folder, 'mqtt.js'), list]);
        const folders = new Set();
        for (const name of Object.keys(JSON.parse(fs.readFileSync(list, 'utf8')).inputs)) {
            const at = name.indexOf('/usr/share/');
            if (at < 0) continue;
            // A library of a package for browsers has no package.json: many packages share the folders above it.
            const own = path.dirname(fs.realpathSync(name.slice(at)));
            let place = own;
            while (!fs.existsSync(path.join(place, 'package.json')) && path.dirname(place) !== '/usr/share') place = path.dirname(place);
            folders.add(fs.existsSync(path.join(place, 'package.json')) ? place : own);
        }
        return [...folders];
    } finally {
        fs.rmSync(folder, { recursive: true });
    }
}

/** The Debian package that a file belongs to. */
const owner = (file) => execFileSync('dpkg-query', ['--search', file], { encoding: 'utf8' }).split(/[:,]/)[0];

test('the page carries the licence of every package that is in it', () => {
    const folders = bundled();
    assert.ok(folders.length >= 20, `${folders}`);
    const names = folders.map((folder) => path.basename(folder));
    for (const name of ['mqtt', 'mqtt-packet', 'buffer', 'readable-stream']) assert.ok(names.includes(name), name);
    for (const folder of [...folders, '/usr/share/javascript/leaflet']) {
        const text = fs.readFileSync(`/usr/share/doc/${owner(folder)}/copyright`, 'utf8');
        assert.ok(text.length > 500 && shipped.includes(text), `the licence of ${folder} is missing`);
    }
});

test('the page carries its own licence, and the texts that the others refer to', () => {
    assert.ok(shipped.includes(fs.readFileSync(path.join(__dirname, '../../../../LICENSE'), 'utf8')));
    const common = new Set(shipped.match(/\/usr\/share\/common-licenses\/[A-Za-z0-9.+-]*[A-Za-z0-9]/g));
    assert.ok(common.size > 0);
    for (const file of common) assert.ok(shipped.includes(fs.readFileSync(file, 'utf8')), file);
});

test('the page links to the licences', () => {
    assert.match(fs.readFileSync(path.join(page, 'index.html'), 'utf8'), /<a [^>]*href="licences\.txt"/);
});
