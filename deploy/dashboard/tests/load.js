'use strict';
// How the page bears a large fleet: `node load.js VEHICLES SECONDS`. Every vehicle tells its position once a second,
// through a real broker; once a while the page is asked for its frames, its memory, and what it has understood.

const { Broker } = require('./support/broker.js');
const { Chromium } = require('./support/chromium.js');
const { sleep } = require('./support/processes.js');
const { drive } = require('./support/traffic.js');

const [vehicles, seconds] = process.argv.slice(2).map(Number);
/** Seconds between two lines of the report. */
const pause = 10;

async function main() {
    const broker = await Broker.start(process.env.ODOGRAPH_PAGE);
    const traffic = await drive(await broker.client(), vehicles);
    const browser = await Chromium.start();
    const page = await browser.open(broker.address, { width: 1440, height: 900 });
    await page.until('all vehicles are there', `odograph.desk.fleet.vehicles.size === ${vehicles}`);
    await page.evaluate(`(() => {
        const frames = globalThis.frames_ = { count: 0, longest: 0, last: performance.now() };
        const tick = (time) => {
            frames.count += 1;
            frames.longest = Math.max(frames.longest, time - frames.last);
            frames.last = time;
            requestAnimationFrame(tick);
        };
        requestAnimationFrame(tick);
    })()`);
    const { timeOrigin } = await page.evaluate('({ timeOrigin: performance.timeOrigin })');
    console.log(`page opened ${Math.round((Date.now() - timeOrigin) / 1000)} s ago; heap after a collection`);
    await report(page, traffic);
    await page.screenshot(`load-${vehicles}`);
    console.log(`errors: ${page.errors.length}`);
    await browser.end();
    await broker.end();
    process.exit(page.errors.length === 0 ? 0 : 1);
}

async function report(page, traffic) {
    console.log('  second   frames/s   longest ms   sent/s   read/s   heap MB');
    for (let second = pause; second <= seconds; second += pause) {
        const before = await read(page, traffic);
        await sleep(pause * 1000);
        const after = await read(page, traffic);
        const time = (after.at - before.at) / 1000;
        const rate = (key) => ((after[key] - before[key]) / time).toFixed(0).padStart(7);
        await page.call('HeapProfiler.collectGarbage');
        const { usedSize } = await page.call('Runtime.getHeapUsage');
        console.log(`${String(second).padStart(8)}    ${rate('frames')}      ${after.longest.toFixed(0).padStart(7)}`
            + `  ${rate('sent')}  ${rate('messages')}   ${(usedSize / 1e6).toFixed(1).padStart(7)}`);
    }
}

async function read(page, traffic) {
    const state = await page.evaluate(`(() => {
        const { count: frames, longest } = frames_;
        frames_.longest = 0;
        return { at: performance.now(), frames, longest, messages: odograph.desk.fleet.counters.messages };
    })()`);
    return { ...state, sent: traffic.sent };
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
