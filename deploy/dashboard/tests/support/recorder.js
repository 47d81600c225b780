'use strict';
// A real recorder that answers requests about the past.

const fs = require('node:fs');
const path = require('node:path');
const { temporaryFolder, start, stop, until } = require('./processes.js');

/** The programs are in one folder. */
const program = path.join(path.dirname(process.env.ODOGRAPH_AGENT), 'odograph-recorder');

class Recorder {
    /** @param {{port: number}} broker @param {string} fleet @returns {Promise<Recorder>} connected */
    static async start(broker, fleet = 'demo') {
        const recorder = new Recorder();
        const file = path.join(temporaryFolder(), 'recorder.json5');
        fs.writeFileSync(file, JSON.stringify({
            fleets: [fleet], broker: { url: `mqtt://127.0.0.1:${broker.port}`, reconnect: { maximum: 1 } },
            database: { path: 'recorder.db' }, history: { answer: true },
        }));
        recorder.process = start(program, ['run', '--config', file]);
        await until('the recorder is connected', () => {
            if (recorder.process.child.exitCode !== null) throw new Error(recorder.process.said());
            return /connected to the broker/.test(recorder.process.said());
        });
        return recorder;
    }

    end(signal = 'SIGTERM') {
        return stop(this.process, signal);
    }
}

module.exports = { Recorder };
