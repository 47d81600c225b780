(function (odograph) {
    'use strict';

    const prefix = 'odograph ';

    /** What the browser keeps for this page. It can refuse, as in a private window: then nothing is kept. */
    const memory = {
        /** @param {string} name @param {*} missing @returns {*} what was kept, as JSON has it */
        read(name, missing) {
            try {
                return JSON.parse(localStorage.getItem(prefix + name)) ?? missing;
            } catch {
                return missing;
            }
        },

        /** @param {string} name @param {*} value */
        write(name, value) {
            try {
                localStorage.setItem(prefix + name, JSON.stringify(value));
            } catch {
                // The page works without it until it is closed.
            }
        },
    };

    odograph.memory = memory;
})(globalThis.odograph ??= {});
