'use strict';
// A real mosquitto with a listener for vehicles and one for the page, both on the loopback.

const fs = require('node:fs');
const path = require('node:path');
const mqtt = require('mqtt');
const { Front } = require('./front.js');
const { temporaryFolder, freePort, isServed, start, stop, until } = require('./processes.js');

class Broker {
    /**
     * @param {string} page the folder of the dashboard
     * @param {string} more lines of configuration
     */
    static async start(page, more = 'allow_anonymous true') {
        const broker = new Broker();
        broker.folder = temporaryFolder();
        broker.file = path.join(broker.folder, 'mosquitto.conf');
        [broker.port, broker.webPort] = [await freePort(), await freePort()];
        fs.writeFileSync(broker.file, [
            `user ${require('node:os').userInfo().username}`, 'per_listener_settings false', more,
            `listener ${broker.port} 127.0.0.1`,
            `listener ${broker.webPort} lo`, 'protocol websockets', `http_dir ${page}`, '',
        ].join('\n'));
        await broker.run();
        broker.front = await Front.start(page, broker.webPort);
        return broker;
    }

    /** Runs it, or runs it again after `pull`. */
    async run() {
        this.process = start('mosquitto', ['-c', this.file]);
        await until('the broker listens', async () => {
            if (this.process.child.exitCode !== null) throw new Error(this.process.said());
            return await isServed(this.port) && isServed(this.webPort);
        });
    }

    /** Pulls its plug; `run` starts it again. */
    async pull() {
        await stop(this.process, 'SIGKILL');
    }

    async end() {
        await this.pull();
        await this.front.end();
    }

    /** Where the page is, with the broker behind it. */
    get address() { return `http://127.0.0.1:${this.front.port}/`; }

    /** Where the broker itself serves the page. */
    get ownAddress() { return `http://127.0.0.1:${this.webPort}/`; }

    /** @returns {Promise<object>} a client of MQTT.js */
    client(options = {}) {
        return new Promise((resolve, reject) => {
            const client = mqtt.connect(`mqtt://127.0.0.1:${this.port}`, { reconnectPeriod: 500, ...options });
            client.once('connect', () => resolve(client));
            client.once('error', reject);
        });
    }
}

module.exports = { Broker };
