(function (odograph) {
    'use strict';

    /**
     * What can be set in `config.js`. The address's query may choose `root` and `fleet` for one viewer.
     * @typedef {object} Settings
     * @property {string} root the first part of every topic
     * @property {string} fleet the fleet to show; `+` is all that the broker lets the page read
     * @property {?string} broker the broker's websockets address; null: the host that the page came from
     * @property {?string} tiles a tile address with `{z}`, `{x}`, `{y}`; null: a plain ground, and no request outside
     * @property {?string} background a file of deploy/dashboard/background beside the page, drawn without tiles; null: none
     * @property {string} attribution what the owner of the tiles or of the background wants to be said, plain text
     * @property {number} maximumZoom the closest zoom that the tiles have
     * @property {?string} user whom to sign in as without asking; null: nobody, until the broker asks
     * @property {?string} password of that user
     * @property {boolean} askVehicles whether the page asks a vehicle for the day if no recorder answers
     * @property {string[]} privateTags tags whose records are shown without a place
     * @property {number} lowBattery charge, 0 to 1, below which a battery counts as low
     */

    /** @type {Settings} */
    const defaults = Object.freeze({
        root: 'fleet', fleet: '+', broker: null, tiles: null, background: null, attribution: '', maximumZoom: 19,
        user: null, password: null, askVehicles: true, privateTags: Object.freeze(['private']), lowBattery: 0.2,
    });

    const name = /^[A-Za-z0-9_-]{1,64}$/;

    /** @param {string} text @returns {boolean} whether it is the address of map tiles */
    function isTileAddress(text) {
        return /^(https?:\/\/|\/)[^\s]+$/.test(text) && ['{z}', '{x}', '{y}'].every((part) => text.includes(part));
    }

    /** @param {*} text @returns {boolean} whether it is a file of the server of the page */
    function isBackgroundFile(text) {
        return typeof text === 'string' && /^\/?[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*\.json$/.test(text);
    }

    /** @param {?string} text @returns {boolean} whether it names its host by an IPv6 address, which no policy can */
    const hasNoName = (text) => /^\w+:\/\/([^/@]*@)?\[/.test(text ?? '');

    /** @param {string} text @returns {boolean} whether it is the address of a broker's websockets listener */
    function isBrokerAddress(text) {
        return /^wss?:\/\/[^\s]+$/.test(text) && URL.canParse(text);
    }

    /**
     * The settings in force.
     *
     * Everybody can send somebody a link. So the query chooses what to look at, and never where the page sends a password
     * or asks for pictures of where the vehicles are: those are `config.js`'s alone.
     * @param {Partial<Settings>} configured by `config.js`
     * @param {string} query of the page's address, such as `?fleet=acme`
     * @returns {{settings: Settings, faults: string[]}} and what was wrong with them, in sentences
     */
    function readSettings(configured, query) {
        const settings = { ...defaults };
        const faults = [];
        for (const [key, value] of Object.entries(configured || {})) {
            if (key in defaults) settings[key] = value;
            else faults.push(`config.js: unknown setting "${key}"`);
        }
        const asked = new URLSearchParams(query);
        for (const key of ['root', 'fleet']) {
            const value = asked.get(key);
            if (value === null) continue;
            if (name.test(value) || (key === 'fleet' && value === '+')) settings[key] = value;
            else faults.push(`${key} in the address is not a name; use letters, digits, "_" and "-"`);
        }
        for (const key of asked.keys()) {
            if (key in defaults && key !== 'root' && key !== 'fleet') {
                faults.push(`the address cannot set ${key}, because config.js sets it`);
            }
        }
        if (settings.broker !== null && !isBrokerAddress(settings.broker)) {
            faults.push('broker is not the address of a websockets listener; write it like wss://broker.example/');
            settings.broker = null;
        }
        if (settings.tiles !== null && !isTileAddress(settings.tiles)) {
            faults.push('tiles is not an address with {z}, {x} and {y}; write it like https://tiles.example/{z}/{x}/{y}.png');
            settings.tiles = null;
        }
        for (const key of ['broker', 'tiles'].filter((one) => hasNoName(settings[one]))) {
            faults.push(`${key} names its host by an IPv6 address, which a browser does not permit in a policy; use a host name`);
            settings[key] = null;
        }
        if (settings.background !== null && !isBackgroundFile(settings.background)) {
            faults.push("background is not a file beside the page; write it like 'background.json'");
            settings.background = null;
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

    /**
     * What the page may load and whom it may ask, as a content security policy: itself, and what `config.js` names.
     * @param {Settings} settings
     * @returns {string} without a quotation mark
     */
    function policy(settings) {
        const origin = (address) => new URL(address).origin;
        // Leaflet spreads its requests over three hosts, where the address says so.
        const tiles = settings.tiles === null || settings.tiles.startsWith('/') ? []
            : ['a', 'b', 'c'].map((letter) => origin(settings.tiles.replaceAll('{s}', letter).replace(/[{}]/g, '')));
        const broker = settings.broker === null ? [] : [settings.broker.replace(/^(wss?:\/\/[^/?#]*).*$/, '$1')];
        return [
            "default-src 'none'", "script-src 'self'", "style-src 'self'",
            ["connect-src 'self'", ...broker].join(' '), ["img-src 'self' data:", ...new Set(tiles)].join(' '),
            // The connection's worker, which comes with the page's script.
            'worker-src blob:', "base-uri 'none'", "form-action 'none'",
        ].join('; ');
    }

    odograph.settings = { defaults, readSettings, brokerAddress, policy };
})(globalThis.odograph ??= {});
