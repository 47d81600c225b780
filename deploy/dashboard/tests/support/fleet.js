'use strict';
// A broker as deploy/mosquitto sets it up, with TLS around its page by nginx: both files as they are but for ports and
// folders.

const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const mqtt = require('mqtt');
const { temporaryFolder, freePort, isServed, start, stop, until } = require('./processes.js');

const deploy = path.join(__dirname, '../../../mosquitto');
const host = '127.0.0.1';

/** A text with words in the place of others, all of which must be there. */
function replaced(text, words) {
    for (const [old, now] of words) {
        if (!text.includes(old)) throw new Error(`there is no "${old.trim()}"`);
        text = text.replaceAll(old, now);
    }
    return text;
}

class Fleet {
    /**
     * @param {string} page the folder of the dashboard
     * @param {{vehicle: string, people: Array<{person: string, role: string, password: string}>}} who one vehicle, and who
     *     looks at the page
     */
    static async start(page, { vehicle, people }) {
        const fleet = new Fleet();
        fleet.folder = temporaryFolder();
        fleet.made = path.join(fleet.folder, 'made');
        const provision = (words, input = '') => execFileSync(path.join(deploy, 'provision'),
            ['--folder', fleet.made, ...words], { input, stdio: ['pipe', 'ignore', 'pipe'] });
        provision(['init', '--fleet', 'acme', '--name', host]);
        provision(['vehicle', vehicle]);
        for (const { person, role, password } of people) provision(['person', person, '--role', role, '--password-stdin'], `${password}\n`);
        fs.cpSync(page, path.join(fleet.made, 'dashboard'), { recursive: true });
        [fleet.port, fleet.peoplePort, fleet.webPort, fleet.securePort] =
            [await freePort(), await freePort(), await freePort(), await freePort()];
        await Promise.all([fleet.#runBroker(), fleet.#runProxy()]);
        return fleet;
    }

    async #run(command, file, text, values, ports) {
        fs.writeFileSync(file, text);
        const process = start(command, values);
        (this.processes ??= []).push(process);
        await until(`${command} listens`, async () => {
            if (process.child.exitCode !== null) throw new Error(process.said());
            return (await Promise.all(ports.map(isServed))).every(Boolean);
        });
    }

    #runBroker() {
        const text = fs.readFileSync(path.join(this.made, 'broker/odograph.conf'), 'utf8');
        const file = path.join(this.folder, 'mosquitto.conf');
        return this.#run('mosquitto', file, `user ${require('node:os').userInfo().username}\n${replaced(text, [
            ['listener 8883\n', `listener ${this.port} ${host}\n`],
            ['listener 8884\n', `listener ${this.peoplePort} ${host}\n`],
            ['listener 8080 lo\n', `listener ${this.webPort} lo\n`],
        ])}`, ['-c', file], [this.port, this.peoplePort, this.webPort]);
    }

    #runProxy() {
        const site = replaced(fs.readFileSync(path.join(deploy, 'nginx.conf'), 'utf8'), [
            ['    listen 443 ssl;\n', `    listen ${host}:${this.securePort} ssl;\n`],
            ['    listen [::]:443 ssl;\n', ''],
            ['/etc/ssl/certs/fleet.example.crt', path.join(this.made, 'broker/broker.crt')],
            ['/etc/ssl/private/fleet.example.key', path.join(this.made, 'broker/broker.key')],
            ['"" 8080;', `"" ${this.webPort};`],
            ['default 8080;', `default ${this.webPort};`],
        ]);
        const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${this.folder}/${name};`);
        const file = path.join(this.folder, 'nginx.conf');
        return this.#run('nginx', file, [
            'daemon off; master_process off; error_log stderr;', `pid ${this.folder}/nginx.pid;`,
            'events {}', `http { access_log off; ${kept.join(' ')}`, site, '}', '',
        ].join('\n'), ['-p', this.folder, '-c', file, '-e', 'stderr'], [this.securePort]);
    }

    get address() { return `https://${host}:${this.securePort}/`; }

    /** The certificate that the page comes with. */
    get certificate() { return fs.readFileSync(path.join(this.made, 'broker/broker.crt')); }

    /** @returns {Promise<object>} a client of MQTT.js with a vehicle's certificate */
    vehicle(name) {
        const folder = path.join(this.made, 'vehicles', name);
        return new Promise((resolve, reject) => {
            const client = mqtt.connect(`mqtts://${host}:${this.port}`, {
                ca: fs.readFileSync(path.join(this.made, 'broker/ca.crt')),
                cert: fs.readFileSync(path.join(folder, `${name}.crt`)),
                key: fs.readFileSync(path.join(folder, `credentials/${name}.key`)),
            });
            client.once('connect', () => resolve(client));
            client.once('error', reject);
        });
    }

    async end() {
        await Promise.all((this.processes ?? []).map((process) => stop(process)));
    }
}

module.exports = { Fleet };
