(function (odograph) {
    'use strict';

    /**
     * What can be set; `config.js` says it for all viewers, the address's query for one.
     * @typedef {object} Settings
     * @property {string} root the first part of every topic
     * @property {string} fleet the fleet to show; `+` is all that the broker lets the page read
     * @property {?string} broker the broker's websockets address; null: the host that the page came from
     * @property {?string} tiles a tile address with `{z}`, `{x}`, `{y}`; null: a plain ground, and no request outside
     * @property {string} attribution what the tiles' owner wants to be said, plain text
     * @property {number} maximumZoom the closest zoom that the tiles have
     * @property {?string} user whom to sign in as without asking; null: nobody, until the broker asks
     * @property {?string} password of that user
     * @property {string[]} privateTags tags whose records are shown without a place
     * @property {number} lowBattery charge, 0 to 1, below which a battery counts as low
     */

    /** @type {Settings} */
    const defaults = Object.freeze({
        root: 'fleet', fleet: '+', broker: null, tiles: null, attribution: '', maximumZoom: 19,
        user: null, password: null, privateTags: Object.freeze(['private']), lowBattery: 0.2,
    });

    const name = /^[A-Za-z0-9_-]{1,64}$/;

    /** @param {string} text @returns {boolean} whether it is the address of map tiles */
    function isTileAddress(text) {
        return /^(https?:\/\/|\/)[^\s]+$/.test(text) && ['{z}', '{x}', '{y}'].every((part) => text.includes(part));
    }

    /**
     * The settings in force.
     *
     * The query may choose what to look at, never where a password goes: the broker's address is `config.js`'s alone.
     * @param {Partial<Settings>} configured by `config.js`
     * @param {string} query of the page's address, such as `?fleet=acme`
     * @returns {{settings: Settings, faults: string[]}} and what was wrong with them, in sentences
     */
    function readSettings(configured, query) {
        const settings = { ...defaults };
        const faults = [];
        for (const [key, value] of Object.entries(configured || {})) {
            if (key in defaults) settings[key] = value;
            else faults.push(`config.js: there is no setting "${key}"`);
        }
        const asked = new URLSearchParams(query);
        for (const key of ['root', 'fleet']) {
            const value = asked.get(key);
            if (value === null) continue;
            if (name.test(value) || (key === 'fleet' && value === '+')) settings[key] = value;
            else faults.push(`${key} in the address is not a name: letters, digits, "_" and "-"`);
        }
        if (asked.has('tiles')) settings.tiles = asked.get('tiles') || null;
        if (settings.tiles !== null && !isTileAddress(settings.tiles)) {
            faults.push('tiles is not an address with {z}, {x} and {y}, such as https://tiles.example/{z}/{x}/{y}.png');
            settings.tiles = null;
        }
        return { settings: Object.freeze(settings), faults };
    }

    /**
     * Where the broker is.
     * @param {Settings} settings
     * @param {{protocol: string, host: string}} place the page's own, as `window.location`
     * @returns {string} a ws:// or wss:// address
     */
    function brokerAddress(settings, place) {
        if (settings.broker) return settings.broker;
        return `${place.protocol === 'https:' ? 'wss' : 'ws'}://${place.host}/`;
    }

    odograph.settings = { defaults, readSettings, brokerAddress };
})(globalThis.odograph ??= {});
