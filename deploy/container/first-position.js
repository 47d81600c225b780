'use strict';
// Signs in at the page of the demonstration in headless Chromium, and waits for the positions of all its vehicles.
// Usage: first-position.js PROGRAM ARGUMENT…: the program prints the log of the broker's container.

const { execFileSync } = require('node:child_process');
const { isDeepStrictEqual } = require('node:util');
const { Chromium } = require('../dashboard/tests/support/chromium.js');
const { isServed, until } = require('../dashboard/tests/support/processes.js');

const [program, ...words] = process.argv.slice(2);
const vehicles = ['van-1', 'van-2', 'van-3'];

async function main() {
    const browser = await Chromium.start();
    console.log('the browser is ready');
    // What starts the demonstration waits for this line.
    const password = await until('the broker says the password', () =>
        execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
            .match(/sign in as ann with the password (\S+)/)?.[1], 120);
    await until('the page is served', () => isServed(8080), 120);
    const page = await browser.open('http://127.0.0.1:8080/');
    await page.until('the question', 'document.querySelector("#sign-in").open', 120);
    await page.evaluate(`document.querySelector('#user').value = 'ann';
        document.querySelector('#password').value = ${JSON.stringify(password)}`);
    await page.click('#sign-in button');
    await page.until('a position', '[...odograph.desk.fleet.vehicles.values()].some(({ fix }) => fix)', 120);
    console.log('the first position is on the page');
    const names = await page.until('all positions', `(() => {
        const found = [...odograph.desk.fleet.vehicles].filter(([, { fix }]) => fix).map(([name]) => name).sort();
        return found.length === ${vehicles.length} ? found : null;
    })()`, 120);
    if (!isDeepStrictEqual(names, vehicles.map((name) => `demo/${name}`))) throw new Error(`other vehicles: ${names}`);
    if (page.errors.length > 0) throw new Error(`errors of the page: ${page.errors}`);
    await page.screenshot('page-containers');
    await browser.end();
}

main().then(() => process.exit(0), (error) => {
    console.error(error.message);
    process.exit(1);
});
