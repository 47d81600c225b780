(function (odograph) {
    'use strict';

    /**
     * One connection to the broker. MQTT.js has a worker of its own, so that thousands of messages a second do not take
     * the time of the page's main thread, and the pings of a page that is not visible are not delayed.
     *
     * The worker's script comes with the page's own: a worker that is made of a `blob:` has the content security policy of
     * the page, and can contact no other server.
     */
    class Connection {
        #worker;
        #calls = new Map();
        #count = 0;
        #isEnded = false;

        /**
         * @param {string} address @param {object} options of MQTT.js
         * @param {{connected: (isResumed: boolean) => void,
         *     messages: (messages: Array<{topic: string, payload: string | Uint8Array, isRetained: boolean, sender: ?string}>) => void,
         *     failed: (code: ?number) => void, closed: () => void}} events `payload` is bytes for batches and compressed answers; `code` is
         *     the reason code of MQTT 5, if the broker gave one. After `end`, only messages come that were on their way
         */
        constructor(address, options, events) {
            const script = URL.createObjectURL(new Blob([`(${odograph.connectionScript})()`], { type: 'text/javascript' }));
            this.#worker = new Worker(script);
            URL.revokeObjectURL(script);
            this.#worker.onerror = () => events.closed();
            this.#worker.onmessage = ({ data }) => this.#receive(data, events);
            this.#worker.postMessage({ act: 'connect', address, options });
        }

        /**
         * @param {string | Object<string, object>} filters @param {object} options of MQTT.js
         * @returns {Promise<boolean>} whether the broker has accepted it
         */
        subscribe(filters, options = {}) {
            return this.#ask({ act: 'subscribe', filters, options });
        }

        /** @param {string} filter */
        unsubscribe(filter) {
            this.#worker.postMessage({ act: 'unsubscribe', filter });
        }

        /**
         * @param {string} topic @param {string} payload @param {{qos: 0 | 1}} options
         * @returns {Promise<boolean>} with QoS 1, whether the broker has taken it and somebody has subscribed to its topic
         */
        publish(topic, payload, options) {
            return this.#ask({ act: 'publish', topic, payload, options });
        }

        /**
         * Publishes a document.
         * @param {string} topic @param {string} payload @param {object} options of MQTT.js, with QoS 1
         * @returns {Promise<?number>} 0: the broker has taken it; else its reason code; null: it is not known
         */
        write(topic, payload, options) {
            return this.#ask({ act: 'write', topic, payload, options });
        }

        /** Ends the connection without a word to the broker. What was asked gets no answer. */
        end() {
            this.#isEnded = true;
            this.#worker.onerror = null;
            this.#worker.postMessage({ act: 'end' });
        }

        #receive(data, events) {
            if (data.event === 'messages') events.messages(data.messages);
            else if (this.#isEnded) return;
            else if (data.event === 'connected') events.connected(data.isResumed);
            else if (data.event === 'failed') events.failed(data.code);
            else if (data.event === 'closed') events.closed();
            else if (data.event === 'done') this.#answer(data);
        }

        #ask(wish) {
            this.#count += 1;
            const call = this.#count;
            this.#worker.postMessage({ ...wish, call });
            return new Promise((resolve) => { this.#calls.set(call, resolve); });
        }

        /** MQTT.js can tell of one call twice: with the acknowledgement, and as the connection ends. The first counts. */
        #answer({ call, isDone }) {
            this.#calls.get(call)?.(isDone);
            this.#calls.delete(call);
        }
    }

    odograph.Connection = Connection;
})(globalThis.odograph ??= {});
