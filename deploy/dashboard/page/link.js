(function (odograph) {
    'use strict';

    /** Seconds; the broker is asked whether it is there after so long a silence. */
    const keepAlive = 15;
    /** A connection that stayed so long was a good one, milliseconds. */
    const stayed = 10000;
    const timeoutMilliseconds = 10000;
    /** Seconds that the broker keeps what was said once for a page that has lost its connection. */
    const sessionSeconds = 600;
    /** Seconds before the first and the later attempts: pages are few, and somebody is looking at them. */
    const waits = [1, 8];
    /** MQTT 5, section 3.2.2.2: wrong user or password; not authorized. */
    const refusals = [134, 135];

    /** The connection to the broker: it reads, never writes, and comes back by itself. */
    class Link {
        #client = null;
        #timer = null;
        #lostAt = null;
        #connectedAt = null;
        #credentials;

        /**
         * @param {Settings} settings @param {string} address
         * @param {{onMessage: (topic: string, payload: Uint8Array, isRetained: boolean) => void,
         *     onState: (state: object) => void, onRefused: () => void}} wishes
         */
        constructor(settings, address, wishes) {
            Object.assign(this, { settings, address, wishes });
            this.backoff = new odograph.Backoff(...waits);
            this.#credentials = { username: settings.user ?? undefined, password: settings.password ?? undefined };
            // A session of this page's own, which a reload begins anew. A broker gives a session to whoever names it, so
            // the name is one that nobody can guess: 120 bits.
            const bytes = crypto.getRandomValues(new Uint8Array(15));
            this.clientID = `odograph-dashboard-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
            window.addEventListener('online', () => this.retry());
            window.addEventListener('offline', () => this.#lose());
        }

        /** Connects now, whatever was planned. */
        retry() {
            clearTimeout(this.#timer);
            this.#drop();
            this.#say({ kind: 'connecting' });
            const client = mqtt.connect(this.address, {
                ...this.#credentials, clientId: this.clientID, keepalive: keepAlive, protocolVersion: 5, clean: false,
                properties: { sessionExpiryInterval: sessionSeconds }, reconnectPeriod: 0, resubscribe: false,
                connectTimeout: timeoutMilliseconds,
            });
            this.#client = client;
            const ours = (act) => (...values) => {
                if (this.#client === client) act(...values);
            };
            client.on('connect', ours(() => this.#connected(client)));
            client.on('message', ours((topic, payload, { retain }) => this.wishes.onMessage(topic, payload, retain)));
            client.on('error', ours((error) => this.#failed(error)));
            client.on('close', ours(() => this.#lose()));
        }

        /** @param {string} username @param {string} password */
        signIn(username, password) {
            this.#credentials = { username, password };
            this.retry();
        }

        #connected(client) {
            this.#connectedAt = Date.now();
            client.subscribe(odograph.topics.subscriptions(this.settings), (error) => {
                if (error && this.#client === client) this.#lose();
            });
            this.#lostAt = null;
            this.#say({ kind: 'online' });
        }

        #failed(error) {
            if (!refusals.includes(error.code)) return;
            this.#drop();
            this.#say({ kind: 'refused', words: 'The broker refuses the connection of this page.' });
            this.wishes.onRefused();
        }

        #lose() {
            this.#drop();
            if (this.#connectedAt !== null) {
                if (Date.now() - this.#connectedAt >= stayed) this.backoff.reset();
                this.#lostAt = Date.now();
                this.#connectedAt = null;
            }
            clearTimeout(this.#timer);
            const wait = this.backoff.next();
            this.#timer = setTimeout(() => this.retry(), wait);
            this.#say({ kind: 'lost', retryAt: Date.now() + wait });
        }

        #drop() {
            const client = this.#client;
            this.#client = null;
            // Its last errors are of no interest any more, and without a listener they would be thrown.
            client?.removeAllListeners('error').on('error', () => {});
            client?.end(true);
        }

        #say(state) {
            this.wishes.onState(this.#lostAt === null ? state : { ...state, since: this.#lostAt });
        }
    }

    odograph.Link = Link;
})(globalThis.odograph ??= {});
