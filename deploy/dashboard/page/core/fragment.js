(function (odograph) {
    'use strict';

    /**
     * What the page's address says behind its path: `#acme/van-7`, or with a day `#acme/van-7/2026-11-21`.
     * @param {string} text
     * @returns {{key: string, date: ?string}} the vehicle, as `fleet/name`; empty for none
     */
    function read(text) {
        let parts;
        try {
            parts = text.replace(/^#/, '').split('/').map(decodeURIComponent);
        } catch {
            return { key: '', date: null };
        }
        const date = parts.length === 3 && odograph.clock.isDate(parts[2]) ? parts.pop() : null;
        return { key: parts.join('/'), date };
    }

    /** @param {string} key of a vehicle @param {?string} date null: today @returns {string} */
    function write(key, date) {
        return `#${[...key.split('/'), ...(date === null ? [] : [date])].map(encodeURIComponent).join('/')}`;
    }

    odograph.fragment = { read, write };
})(globalThis.odograph ??= {});
