'use strict';
// A real agent with a simulated vehicle.

const fs = require('node:fs');
const path = require('node:path');
const { temporaryFolder, start, stop } = require('./processes.js');

const program = process.env.ODOGRAPH_AGENT;

class Agent {
    /**
     * @param {{port: number}} broker @param {string} device
     * @param {{simulator?: object, groups?: string[]}} wishes
     */
    static start(broker, device, { simulator = {}, groups = [] } = {}) {
        const agent = new Agent();
        agent.device = device;
        const folder = temporaryFolder();
        agent.file = path.join(folder, 'agent.json5');
        fs.writeFileSync(agent.file, JSON.stringify({
            fleet: 'demo', device, groups,
            broker: { url: `mqtt://127.0.0.1:${broker.port}`, reconnect: { minimum: 0.2, maximum: 1 } },
            source: { simulator: { parked: 2, ...simulator } },
            store: { path: 'agent.db' },
            tracking: { sampling: { minimum_interval: 1, distance: 10, maximum_interval: 2 } },
        }));
        agent.process = start(program, ['run', '--config', agent.file]);
        return agent;
    }

    said() {
        return this.process.said();
    }

    signal(name) {
        this.process.child.kill(name);
    }

    async end(signal = 'SIGTERM') {
        await stop(this.process, signal);
    }
}

module.exports = { Agent };
