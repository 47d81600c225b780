// What MQTT.js and the streams under it take for granted in Node.js, for a browser.
export { Buffer } from 'buffer';
export const process = {
    title: 'browser',
    browser: true,
    env: {},
    nextTick(task, ...values) {
        queueMicrotask(() => task(...values));
    },
};
