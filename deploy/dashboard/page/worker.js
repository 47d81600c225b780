/* global mqtt */
// The MQTT client, in a worker of the page: see connection.js. The build puts it behind MQTT.js.
(function () {
    'use strict';

    /** Messages are given to the page together, so often at most, milliseconds: one by one they would cost it more time. */
    const pauseMilliseconds = 50;
    /** MQTT 5, section 3.4.2.1: nobody has subscribed to the topic of a message. */
    const noSubscribers = 16;

    const decoder = new TextDecoder();
    const isBatch = (topic) => /^[^/]+\/[^/]+\/[^/]+\/batch$/.test(topic);
    /** The answer of a recorder, compressed: JSON begins with another byte. */
    const isCompressedAnswer = (topic, payload) => payload[0] === 0x78 && /^[^/]+\/history:[^/]+\/[^/]+\/answer\//.test(topic);
    /** All other payloads are text. */
    const isBytes = (topic, payload) => isBatch(topic) || isCompressedAnswer(topic, payload);

    let client = null;
    let messages = [];
    let timer = null;
    let toldAt = -Infinity;
    /** The newest message of this page that the broker gave to nobody: its number. @type {?number} */
    let unheard = null;

    const isUnheard = (packet) => unheard !== null && packet?.messageId === unheard;

    function tellMessages() {
        clearTimeout(timer);
        timer = null;
        if (messages.length === 0) return;
        toldAt = performance.now();
        postMessage({ event: 'messages', messages });
        messages = [];
    }

    /** Messages that came before an event are told before it. */
    function tell(event) {
        tellMessages();
        postMessage(event);
    }

    /** Who a document is from, as it calls itself. */
    function senderOf({ properties }) {
        const sender = properties?.userProperties?.sender;
        return (Array.isArray(sender) ? sender[0] : sender) ?? null;
    }

    function take(topic, payload, packet) {
        messages.push({
            topic, payload: isBytes(topic, payload) ? Uint8Array.from(payload) : decoder.decode(payload), isRetained: packet.retain,
            sender: senderOf(packet),
        });
        timer ??= setTimeout(tellMessages, Math.max(0, toldAt + pauseMilliseconds - performance.now()));
    }

    const acts = {
        connect({ address, options }) {
            client = mqtt.connect(address, options);
            client.on('connect', ({ sessionPresent }) => tell({ event: 'connected', isResumed: sessionPresent === true }));
            client.on('message', take);
            // The broker says it in the acknowledgement, which MQTT.js does not give to the publisher.
            client.on('packetreceive', ({ cmd, reasonCode, messageId }) => {
                if (cmd === 'puback') unheard = reasonCode === noSubscribers ? messageId : null;
            });
            client.on('error', ({ code }) => tell({ event: 'failed', code }));
            client.on('close', () => tell({ event: 'closed' }));
        },
        subscribe({ filters, options, call }) {
            client.subscribe(filters, options, (error) => tell({ event: 'done', call, isDone: !error }));
        },
        unsubscribe({ filter }) {
            client.unsubscribe(filter);
        },
        /** The broker does not send again what the client has acknowledged, so the page still gets it. */
        end() {
            client.end(true);
            tellMessages();
            close();
        },
        publish({ topic, payload, options, call }) {
            client.publish(topic, payload, options, (error, packet) => {
                tell({ event: 'done', call, isDone: !error && !isUnheard(packet) });
            });
        },
        write({ topic, payload, options, call }) {
            // An error has the reason code of the broker, or none if the connection was lost.
            client.publish(topic, payload, options, (error) => tell({ event: 'done', call, isDone: error ? error.code ?? null : 0 }));
        },
    };

    globalThis.onmessage = ({ data }) => acts[data.act](data);
})();
