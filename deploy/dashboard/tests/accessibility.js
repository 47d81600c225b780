'use strict';
// Every view of the page, looked at by axe-core: `node accessibility.js AXE_FILE`. It ends with 1 if there is a fault.

const fs = require('node:fs');
const { Broker } = require('./support/broker.js');
const { Chromium } = require('./support/chromium.js');
const { noon, location, reported, status, trip } = require('./messages.js');

const axe = fs.readFileSync(process.argv[2], 'utf8');
const since = Math.round((Date.now() - noon) / 1000);
const vehicles = 30;

const screens = {
    light: {}, dark: { isDark: true }, phone: { width: 390, height: 740, isPhone: true }, 'small phone': { width: 320, height: 700, isPhone: true, isDark: true },
};
const press = (selector) => `document.querySelector('${selector}').click()`;
/** Views in the order in which they are opened, each over the one before. */
const views = [
    ['list', ''],
    ['no match', `(() => {
        const search = document.querySelector('#search');
        search.value = 'nothing';
        search.dispatchEvent(new Event('input'));
    })()`],
    ['nearest', press('#nearest-button')],
    ['geofences', `${press('#geofences-button')}; setTimeout(() => document.querySelector('#editor [data-key="choose area"]').click(), 300)`],
    ['geofences, review', `odograph.desk.geofences.draft.rename('Yard'); odograph.desk.geofences.editor.wishes.onReview()`],
    ['geofences, conflict', `(async () => {
        odograph.desk.link.retained = async () => JSON.stringify({ type: 'FeatureCollection', features: [] });
        odograph.desk.geofences.editor.wishes.onSend();
    })()`],
    ['question', 'odograph.desk.geofences.close()'],
    ['panel', `document.querySelector('#ask .choices button:last-child').click(); odograph.desk.select(odograph.desk.fleet.vehicles.get("acme/van-2"), false)`],
    ['form', press('[aria-labelledby="title-about"] .title .minor')],
    ['playback', press('.actions button')],
    ['legend', press('#legend-button')],
    ['alerts', `${press('#legend-button')}; ${press('#alerts-button')}; document.querySelector('.alerts details').open = true`],
    ['report', `${press('#alerts-button')}; odograph.desk.past.rows = async () => ({ rows: [{ day: '2026-11-21', trips: 2, stops: 1, distance_in_meters: 9000 }], error: null });
        document.querySelector('#reports-button').click(); document.querySelector('#reports .main').click()`],
    ['sign-in', 'document.querySelector("#sign-in").showModal()'],
];

async function fill(broker) {
    const client = await broker.client();
    const publish = (topic, payload) => new Promise((resolve) => {
        client.publish(`fleet/acme/${topic}`, payload, { qos: 1, retain: true }, resolve);
    });
    for (let index = 1; index <= vehicles; index += 1) {
        const coords = { latitude: 40.4 + index / 300, longitude: -3.7 + (index % 5) / 100 };
        await publish(`van-${index}/location`, location(since, { coords, battery: { level: index / vehicles, is_charging: false } }));
        await publish(`van-${index}/status`, status(index % 7 === 0 ? 'offline' : 'online', 1, index % 14 === 0 ? 'stopped' : undefined));
        await publish(`van-${index}/reported`, reported(since, index === 2 ? {
            errors: [{ topic: 't', path: 'tracking.x', message: 'is wrong' }], levels: [{ level: 'all', version: '1', hash: 'x', applied: false }],
        } : {}));
    }
    const at = (seconds) => new Date(noon + seconds * 1000).toISOString();
    const waypoints = [[40.4, -1800], [40.41, -1]].map(([latitude, seconds]) => ({ latitude, longitude: -3.7, timestamp: at(since + seconds) }));
    await publish('van-2/timeline', trip('a', since - 1800, since, { waypoints }));
    await publish('all/geofences', JSON.stringify({ type: 'FeatureCollection', features: [
        { type: 'Feature', id: 'depot', properties: { name: 'Depot', radius: 200 }, geometry: { type: 'Point', coordinates: [-3.7, 40.42] } },
        { type: 'Feature', id: 'area', properties: { name: 'Area' }, geometry: { type: 'Polygon', coordinates: [[[-3.71, 40.41], [-3.7, 40.41], [-3.7, 40.42], [-3.71, 40.41]]] } }] }));
    client.end(true);
}

async function main() {
    const broker = await Broker.start(process.env.ODOGRAPH_PAGE);
    await fill(broker);
    const browser = await Chromium.start();
    let faults = 0;
    for (const [screen, options] of Object.entries(screens)) {
        const page = await browser.open(broker.address, options);
        await page.until('the vehicles', `odograph.desk.fleet.vehicles.size === ${vehicles}`);
        await page.evaluate(`${axe}; 0`);
        for (const [view, open] of views) {
            if (view === 'playback') await page.until('the actions', '!!document.querySelector(".actions button:enabled")');
            if (open !== '') await page.evaluate(`${open}; 0`);
            await page.evaluate('new Promise((resolve) => setTimeout(resolve, 700))');
            const found = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(
                ({ id, impact, nodes }) => impact + ' ' + id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' ; ')))`);
            console.log(`${screen}, ${view}: ${found.length === 0 ? 'no fault' : found.join('\n    ')}`);
            faults += found.length;
            await page.screenshot(`accessibility-${screen}-${view}`.replace(/[ ,]+/g, '-'));
        }
        await page.close();
    }
    await browser.end();
    await broker.end();
    process.exit(faults === 0 ? 0 : 1);
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
