(function (odograph) {
    'use strict';

    /** Seconds; the broker is asked whether it is there after so long a silence. */
    const keepAlive = 15;
    /** A connection that stayed so long was a good one, milliseconds. */
    const stayed = 10000;
    const timeoutMilliseconds = 10000;
    /** The first retained message comes sooner than this, milliseconds. */
    const retainedMilliseconds = 1000;
    /**
     * A retained message that does not come in this time is not there, milliseconds. Nothing says it sooner: a broker may send
     * what it retains after the SUBACK, and no role may write to a topic that it hears without others hearing it, too.
     */
    const absentMilliseconds = 2000;
    /** Seconds in which vehicles answer a roll call. */
    const rollCallSeconds = 10;
    /** Seconds that the broker keeps what was said once for a page that has lost its connection. */
    const sessionSeconds = 600;
    /** Seconds before the first and the later attempts: pages are few, and somebody is looking at them. */
    const waits = [1, 8];
    /** MQTT 5, section 3.2.2.2: wrong user or password; not authorized. */
    const notAuthorized = 135;
    const refusals = [134, notAuthorized];
    /** The name in the topics of requests if nobody has signed in. */
    const anonymous = 'dashboard';

    /** What a compressed part of an answer may expand to, bytes: it has at most 128,000. */
    const mostAnswerBytes = 1 << 20;

    /**
     * The connection to the broker: it reads, and comes back by itself. It writes questions (a roll call, if the broker
     * gives it no retained messages, and requests about the past), and the documents that a person sends.
     */
    class Link {
        #connection = null;
        #timer = null;
        #rollTimer = null;
        #hasRetained = false;
        #lostAt = null;
        #connectedAt = null;
        #credentials;
        /** Who waits for messages of a topic. @type {Map<string, Set<(text: ?string) => void>>} */
        #waiting = new Map();
        #expanding = Promise.resolve();

        /**
         * @param {Settings} settings @param {string} address
         * @param {{onMessage: (topic: string, payload: string | Uint8Array, isRetained: boolean, sender: ?string) => void,
         *     onState: (state: object) => void, onRefused: (isRejected: boolean) => void,
         *     onSession: (isResumed: boolean) => void}} wishes `onSession`: the broker has kept the session, or not;
         *     `onRefused`: it wants a login, or has rejected one
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
            const connection = new odograph.Connection(this.address, {
                ...this.#credentials, clientId: this.clientID, keepalive: keepAlive, protocolVersion: 5, clean: false,
                properties: { sessionExpiryInterval: sessionSeconds }, reconnectPeriod: 0, resubscribe: false,
                connectTimeout: timeoutMilliseconds,
            }, {
                connected: (isResumed) => this.#connected(connection, isResumed),
                messages: (messages) => this.#take(messages),
                failed: (code) => this.#failed(code),
                closed: () => this.#lose(),
            });
            this.#connection = connection;
        }

        #take(messages) {
            for (const { topic, payload, isRetained, sender } of messages) {
                if (isRetained) this.#hasRetained = true;
                const hear = (text) => { for (const take of [...(this.#waiting.get(topic) ?? [])]) take(text); };
                if (typeof payload !== 'string' && !topic.endsWith('/batch')) {
                    // Expanding takes a while: the parts of an answer stay in order.
                    this.#expanding = this.#expanding.then(() => odograph.batches.expand(payload, mostAnswerBytes)).catch(() => '').then(hear);
                    continue;
                }
                hear(payload);
                this.wishes.onMessage(topic, payload, isRetained, sender);
            }
        }

        /** @param {string} username @param {string} password */
        signIn(username, password) {
            this.#credentials = { username, password };
            this.retry();
        }

        /** The login, as in the topics of requests about the past. */
        get person() {
            return this.#credentials.username ?? anonymous;
        }

        get isOnline() {
            return this.#connectedAt !== null;
        }

        /**
         * Publishes a question, and gives the messages of the topic of its answer to `take`.
         * @param {{request?: string, answer: string, payload?: string, take: (text: string) => number,
         *     milliseconds: number}} exchange without a request it only listens; `take` returns how long to wait for a further message, 0 if for none;
         *     `milliseconds` is how long to wait for the first
         * @returns {Promise<boolean>} after the wait, or without a connection: whether somebody has got the question
         */
        async exchange({ request, answer, payload, take, milliseconds }) {
            const connection = this.#connection;
            if (connection === null || !this.isOnline) return false;
            const waiting = this.#waiting.get(answer) ?? new Set();
            this.#waiting.set(answer, waiting);
            let hear;
            let wasAsked = true;
            await new Promise((resolve) => {
                let timer = setTimeout(resolve, milliseconds);
                hear = (text) => {
                    clearTimeout(timer);
                    // null: the connection is lost.
                    const wait = text === null ? 0 : take(text);
                    if (wait > 0) timer = setTimeout(resolve, wait);
                    else resolve();
                };
                waiting.add(hear);
                this.#ask(connection, { request, answer, payload }).then((isAsked) => {
                    wasAsked = isAsked;
                    if (!isAsked) resolve();
                });
            });
            waiting.delete(hear);
            if (waiting.size === 0) {
                this.#waiting.delete(answer);
                if (this.#connection === connection && this.isOnline) connection.unsubscribe(answer);
            }
            return wasAsked;
        }

        /**
         * The message that the broker retains for a topic.
         * @param {string} topic @param {boolean} isExpected whether there was one a moment ago
         * @returns {Promise<?string>} empty: there is none; null: it is not known
         */
        async retained(topic, isExpected) {
            const connection = this.#connection;
            let found = '';
            // A subscription makes the broker send it, also to whoever has got it by another one.
            const isAsked = await this.exchange({
                answer: topic, take: (text) => { found = text; return 0; }, milliseconds: isExpected ? timeoutMilliseconds : absentMilliseconds,
            });
            return isAsked && this.#connection === connection && this.isOnline ? found : null;
        }

        /**
         * Publishes a document for a person.
         * @param {string} topic @param {string} payload @param {boolean} isRetained
         * @returns {Promise<'done' | 'refused' | 'unknown'>} refused: the login may not; unknown: there is no word of the broker
         */
        async write(topic, payload, isRetained = true) {
            const connection = this.#connection;
            if (connection === null || !this.isOnline) return 'unknown';
            const written = connection.write(topic, payload, {
                qos: 1, retain: isRetained, properties: { userProperties: { sender: this.person } },
            });
            const code = await Promise.race([written, new Promise((resolve) => { setTimeout(resolve, timeoutMilliseconds, null); })]);
            return code === 0 ? 'done' : code === notAuthorized ? 'refused' : 'unknown';
        }

        /** @returns {Promise<boolean>} whether somebody has got the question */
        async #ask(connection, { request, answer, payload }) {
            if (!await connection.subscribe(answer, { qos: 1 })) return false;
            return request === undefined || connection.publish(request, payload, { qos: 1 });
        }

        #connected(connection, isResumed) {
            this.#connectedAt = Date.now();
            this.wishes.onSession(isResumed);
            connection.subscribe(odograph.topics.subscriptions(this.settings)).then((isAccepted) => {
                if (!isAccepted && this.#connection === connection) this.#lose();
            });
            this.#lostAt = null;
            this.#hasRetained = false;
            this.#rollTimer = setTimeout(() => this.#callRoll(connection), retainedMilliseconds);
            this.#say({ kind: 'online' });
        }

        /** Asks all vehicles for their state: some brokers give no retained messages to a subscription with a wildcard. */
        #callRoll(connection) {
            const { root, fleet } = this.settings;
            if (this.#connection !== connection || this.#hasRetained || fleet === '+') return;
            const expiry = new Date(Date.now() + rollCallSeconds * 1000).toISOString();
            const command = { id: `${this.clientID}-${Date.now()}`, action: 'roll_call', expires_at: expiry };
            // QoS 0: a broker whose rules forbid it drops it without an error.
            connection.publish(`${root}/${fleet}/all/command`, JSON.stringify(command), { qos: 0 });
        }

        #failed(code) {
            if (!refusals.includes(code)) return;
            this.#drop();
            // Who has not said a name yet was not refused: the broker wants to know it.
            const isAsked = this.#credentials.username === undefined;
            this.#say(isAsked ? { kind: 'asked', words: 'The broker requires a login.' }
                : { kind: 'refused', words: 'The broker rejects this user name or password.' });
            this.wishes.onRefused(!isAsked);
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
            clearTimeout(this.#rollTimer);
            for (const waiting of this.#waiting.values()) for (const hear of [...waiting]) hear(null);
            this.#connection?.end();
            this.#connection = null;
        }

        #say(state) {
            this.wishes.onState(this.#lostAt === null ? state : { ...state, since: this.#lostAt });
        }
    }

    odograph.Link = Link;
})(globalThis.odograph ??= {});
