'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');

const css = fs.readFileSync(path.join(__dirname, '..', '..', 'page', 'style.css'), 'utf8');
const [light, dark] = css.split('@media (prefers-color-scheme: dark)').map((part) => (
    Object.fromEntries([...part.matchAll(/--([a-z-]+): (#[0-9a-f]{6})/g)].map(([, name, color]) => [name, color]))));

/** Relative luminance, WCAG 2.2. */
function luminance(color) {
    const [red, green, blue] = [1, 3, 5].map((at) => {
        const value = parseInt(color.slice(at, at + 2), 16) / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
}

const text = ['ink', 'soft', 'accent', 'silent', 'private', 'fence', 'moving'];
const pairs = [
    ...['paper', 'raised', 'chosen'].flatMap((ground) => text.slice(0, 4).map((name) => [name, ground])),
    ...text.map((name) => [name, 'paper']), ['fence', 'ground'], ['fence-group', 'ground'], ['fence-device', 'ground'],
    ['parked', 'paper'], ['off', 'paper'], ['ink', 'ground'], ['on-accent', 'accent'], ['on-alert', 'alert'], ['fence', 'chosen'],
];

for (const [scheme, colors] of [['light', light], ['dark', { ...light, ...dark }]]) {
    for (const [name, ground] of pairs) {
        test(`${name} on ${ground}, ${scheme}, has the contrast of WCAG AA`, () => {
            const found = contrast(colors[name], colors[ground]);
            assert.ok(found >= 4.5, `${found.toFixed(2)} to 1, and 4.5 is wanted`);
        });
    }
}
