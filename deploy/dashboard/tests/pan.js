'use strict';
// What a large background costs: `node pan.js WAYS PANS`. An extract that is made up has so many ways; the page loads what
// deploy/dashboard/background makes of it, and the map is moved.

const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { Broker } = require('./support/broker.js');
const { Chromium } = require('./support/chromium.js');
const { extractOf } = require('./support/extract.js');
const { temporaryFolder } = require('./support/processes.js');
const { location } = require('./messages.js');

const [ways, pans] = process.argv.slice(2).map(Number);
/** Zooms at which the map is moved: a city, a quarter, streets. */
const zooms = [13, 14, 15, 17];
/** Pixels of a move. */
const step = [90, 40];

const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1];

async function main() {
    const folder = temporaryFolder();
    fs.cpSync(process.env.ODOGRAPH_PAGE, folder, { recursive: true });
    fs.appendFileSync(path.join(folder, 'config.js'), "globalThis.odograph.configured.background = 'background.json';\n");
    const file = path.join(folder, 'extract.geojson');
    fs.writeFileSync(file, JSON.stringify(extractOf(ways)));
    console.log(execFileSync(path.join(__dirname, '../background'), [folder, file], { encoding: 'utf8' }).trim());
    const broker = await Broker.start(folder);
    const client = await broker.client();
    await new Promise((resolve) => {
        client.publish('fleet/acme/van-1/location', location(0, { coords: { latitude: 40.35, longitude: -3.85 } }), { qos: 1, retain: true }, resolve);
    });
    const browser = await Chromium.start();
    const page = await browser.open(broker.address, { width: 1440, height: 900 });
    await page.until('the vehicle', 'odograph.desk.fleet.vehicles.size === 1');
    await page.until('the background', 'odograph.desk.map.ground[1].background !== null', 120);
    await page.call('Performance.enable', { timeDomain: 'threadTicks' });
    const busy = async () => (await page.call('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
    console.log('zoom   median ms a pan   longest ms   pictures drawn');
    for (const zoom of zooms) {
        await page.evaluate(`(odograph.desk.map.map.setView([40.35, -3.85], ${zoom}, { animate: false }), true)`);
        const drawn = await page.evaluate('odograph.desk.map.ground[1].count');
        const times = [];
        for (let index = 0; index < pans; index += 1) {
            const before = await busy();
            await page.evaluate(`(odograph.desk.map.map.panBy([${index % 20 < 10 ? step : step.map((part) => -part)}], { animate: false }),
                new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))`);
            times.push(await busy() - before);
        }
        const count = await page.evaluate('odograph.desk.map.ground[1].count') - drawn;
        console.log(`${String(zoom).padStart(4)}   ${median(times).toFixed(1).padStart(15)}   ${Math.max(...times).toFixed(0).padStart(10)}   ${String(count).padStart(14)}`);
        await page.screenshot(`pan-${zoom}`);
    }
    const { usedSize } = await page.call('Runtime.getHeapUsage');
    console.log(`heap ${(usedSize / 1e6).toFixed(0)} MB; errors: ${page.errors.length}`);
    client.end(true);
    await browser.end();
    await broker.end();
    process.exit(page.errors.length === 0 ? 0 : 1);
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
