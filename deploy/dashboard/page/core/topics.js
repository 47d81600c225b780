(function (odograph) {
    'use strict';

    /**
     * @typedef {object} Address what a topic says
     * @property {string} fleet
     * @property {string} name a device's, `all`, or `group:<name>`
     * @property {string} channel `location`, `timeline`, `geofence`, `batch`, `status`, `reported`, `about`, `config` or
     *     `geofences`
     * @property {boolean} isBacklog whether it is of the topic for records that are not live
     * @property {?string} item the identifier of a single geofence
     */

    /** Channels that a vehicle publishes on, and whether each has a backlog beside it. */
    const up = { location: true, geofence: true, timeline: true, batch: false, status: false, reported: false };

    /**
     * @param {string} topic
     * @param {string} root the first part that it has to have
     * @returns {?Address} null where the page has no use for it
     */
    function parseTopic(topic, root) {
        const parts = topic.split('/');
        if (parts[0] !== root || parts.length < 4) return null;
        const [, fleet, name, channel] = parts;
        const address = { fleet, name, channel, isBacklog: false, item: null };
        if (Object.hasOwn(up, channel)) {
            if (name === 'all' || name.includes(':')) return null;
            if (parts.length === 4) return address;
            if (up[channel] && parts.length === 5 && parts[4] === 'backlog') return { ...address, isBacklog: true };
            return null;
        }
        if (channel === 'about' && parts.length === 4) return name === 'all' || name.includes(':') ? null : address;
        if (channel === 'config' && parts.length === 4) return address;
        if (channel === 'geofences' && parts.length === 4) return address;
        if (channel === 'geofences' && parts.length > 4) return { ...address, item: parts.slice(4).join('/') };
        return null;
    }

    /**
     * What to subscribe to. Positions come every second and the next one mends a lost one: QoS 0. What is said once
     * comes at QoS 1, which the broker also keeps while the page is away for a moment.
     * @param {{root: string, fleet: string}} settings
     * @returns {Object<string, {qos: 0 | 1}>} by filter
     */
    function subscriptions({ root, fleet }) {
        const filters = {};
        const every = `${root}/${fleet}/+`;
        filters[`${every}/location`] = { qos: 0 };
        const once = ['location/backlog', 'timeline/#', 'geofence/#', 'batch', 'status', 'reported', 'about', 'config', 'geofences/#'];
        for (const rest of once) filters[`${every}/${rest}`] = { qos: 1 };
        return filters;
    }

    odograph.topics = { parseTopic, subscriptions };
})(globalThis.odograph ??= {});
