'use strict';
// How the page bears a large fleet: `node load.js VEHICLES SECONDS`. Every vehicle tells its position once a second,
// through a real broker; every ten seconds the page is asked for its busy time, its memory, and what it has understood.

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
    // The time since the page's address was opened, seconds: both are found by asking, so they are upper bounds.
    const sinceOpening = async () => ((await page.evaluate('performance.now()')) / 1000).toFixed(1);
    await page.until('a vehicle is there', 'globalThis.odograph?.desk?.fleet.vehicles.size > 0');
    const first = await sinceOpening();
    await page.until('all vehicles are there', `odograph.desk.fleet.vehicles.size === ${vehicles}`);
    console.log(`first vehicle after ${first} s, all after ${await sinceOpening()} s`);
    await page.evaluate(`(() => {
        globalThis.longest_ = 0;
        // The browser reports tasks that are longer than 50 ms.
        new PerformanceObserver((list) => {
            for (const { duration } of list.getEntries()) longest_ = Math.max(longest_, duration);
        }).observe({ type: 'longtask' });
    })()`);
    console.log('heap after a collection:');
    const samples = await report(page, traffic);
    summarize(samples);
    await page.screenshot(`load-${vehicles}`);
    console.log(`errors: ${page.errors.length}`);
    await browser.end();
    await broker.end();
    process.exit(page.errors.length === 0 ? 0 : 1);
}

async function report(page, traffic) {
    // Not the time in which other programs had the processor.
    await page.call('Performance.enable', { timeDomain: 'threadTicks' });
    console.log('  second   longest task ms   sent/s   read/s   busy ms/s   heap MB');
    const samples = [];
    for (let second = pause; second <= seconds; second += pause) {
        const before = await read(page, traffic);
        await sleep(pause * 1000);
        const after = await read(page, traffic);
        const time = (after.at - before.at) / 1000;
        const rate = (key) => ((after[key] - before[key]) / time).toFixed(0).padStart(7);
        await page.call('HeapProfiler.collectGarbage');
        const { usedSize } = await page.call('Runtime.getHeapUsage');
        console.log(`${String(second).padStart(8)}     ${after.longest === 0 ? '  below 50' : after.longest.toFixed(0).padStart(10)}`
            + `        ${rate('sent')}  ${rate('messages')}     ${rate('busy')}   ${(usedSize / 1e6).toFixed(1).padStart(7)}`);
        samples.push({ second, busy: (after.busy - before.busy) / time, heap: usedSize / 1e6 });
    }
    return samples;
}

/** The median of the busy time, and how the heap grows: the slope of a line through all samples (least squares). */
function summarize(samples) {
    const busy = samples.map((sample) => sample.busy).sort((one, other) => one - other)[samples.length >> 1];
    const mean = (key) => samples.reduce((sum, sample) => sum + sample[key], 0) / samples.length;
    const [second, heap] = [mean('second'), mean('heap')];
    const spread = samples.reduce((sum, sample) => sum + (sample.second - second) ** 2, 0);
    const slope = samples.reduce((sum, sample) => sum + (sample.second - second) * (sample.heap - heap), 0) / spread;
    console.log(`main thread busy: ${busy.toFixed(0)} ms a second (median); heap: ${heap.toFixed(1)} MB, `
        + `${samples.length > 1 ? (slope * 60).toFixed(3) : '–'} MB a minute`);
}

async function read(page, traffic) {
    const state = await page.evaluate(`(() => {
        const longest = longest_;
        longest_ = 0;
        return { at: performance.now(), longest, messages: odograph.desk.fleet.counters.messages };
    })()`);
    // All tasks of the page's main thread: messages, scripts, layout and painting, milliseconds of its processor time.
    const { metrics } = await page.call('Performance.getMetrics');
    const busy = metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
    return { ...state, busy, sent: traffic.sent };
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
