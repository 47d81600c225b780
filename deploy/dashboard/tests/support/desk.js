'use strict';
// A broker with some vehicles, and a browser that looks at them.

const assert = require('node:assert/strict');
const zlib = require('node:zlib');
const { Broker } = require('./broker.js');
const { Chromium } = require('./chromium.js');
const { noon, location, reported, status } = require('../messages.js');

const since = Math.round((Date.now() - noon) / 1000);

class Desk {
    /** @param {number} vehicles from van-1 on, in the group vans @param {string} [more] lines of the broker's configuration */
    static async start(vehicles, more) {
        const desk = new Desk();
        desk.vehicles = vehicles;
        desk.broker = await Broker.start(process.env.ODOGRAPH_PAGE, more);
        desk.operator = await desk.broker.client({ protocolVersion: 5 });
        desk.browser = await Chromium.start();
        for (let index = 1; index <= vehicles; index += 1) {
            const coords = { latitude: 40.4 + index / 300, longitude: -3.7 + (index % 3) / 200, speed: 0 };
            await desk.publish(`van-${index}/location`, location(since, { is_moving: false, coords }));
            await desk.publish(`van-${index}/status`, status('online', 1));
            await desk.publish(`van-${index}/reported`, reported(since));
        }
        return desk;
    }

    /** Publishes below the fleet acme. @param {string} topic @param {string} payload @param {object} options of MQTT.js */
    publish(topic, payload, options = {}) {
        return new Promise((resolve) => {
            this.operator.publish(`fleet/acme/${topic}`, payload, { qos: 1, retain: true, ...options }, resolve);
        });
    }

    /** @returns {Promise<string>} the retained message of a topic below the fleet; empty if there is none */
    async retained(topic) {
        const client = await this.broker.client();
        let found = '';
        client.on('message', (_, payload) => { found = payload.toString(); });
        // A broker sends what it has retained before it answers the second question.
        for (const filter of [`fleet/acme/${topic}`, 'fleet/acme/nothing/else']) {
            await new Promise((resolve) => { client.subscribe(filter, { qos: 1 }, resolve); });
        }
        client.end(true);
        return found;
    }

    async open(options) {
        const page = await this.browser.open(this.broker.address, options);
        await page.until('the vehicles', `odograph.desk.fleet.vehicles.size >= ${this.vehicles} && document.querySelectorAll(".entry").length > 0`);
        return page;
    }

    /** Checks that nothing went wrong in a page and that it asked its broker only, and closes it. */
    async done(page) {
        assert.deepEqual(page.errors, []);
        assert.deepEqual([...new Set(page.requests.map((address) => new URL(address).host))], [new URL(this.broker.address).host]);
        await page.close();
    }

    /**
     * A recorder that answers as the test says, until the test ends.
     * @param {object} context of the test @param {(request: object) => object[] | Promise<object[]>} answer the parts
     */
    async answering(context, answer) {
        const client = await this.broker.client({ protocolVersion: 5 });
        context.after(() => client.end(true));
        const requests = [];
        client.on('message', async (topic, payload) => {
            const request = JSON.parse(payload);
            requests.push(request);
            const id = topic.split('/').at(-1);
            for (const [index, part] of (await answer(request)).entries()) {
                const text = JSON.stringify({ id, recorder: 'main', part: index + 1, is_last: true, status: 'ok', rows: [], ...part });
                const payload = request.encoding === 'deflate' ? zlib.deflateSync(text) : text;
                client.publish(topic.replace('/request/', '/answer/'), payload, { qos: 1 });
            }
        });
        await new Promise((resolve) => { client.subscribe('fleet/history:acme/+/request/+', { qos: 1 }, resolve); });
        return requests;
    }

    async end() {
        await this.browser?.end();
        this.operator?.end(true);
        await this.broker?.end();
    }
}

module.exports = { Desk, since };
