'use strict';
// Messages as the agent sends them, short to write.

const noon = Date.parse('2026-11-21T12:00:00.000Z');
const iso = (at) => new Date(at).toISOString();
let made = 0;

/** @param {number} seconds after noon */
function location(seconds, { seq = seconds, epoch = 1, coords = {}, ...rest } = {}) {
    made += 1;
    return JSON.stringify({
        device_id: 'van-1',
        location: {
            uuid: `u-${made}`, epoch, seq, timestamp: iso(noon + seconds * 1000), age: 0, is_moving: true, sample: false,
            mock: false, odometer: 10 * seconds, odometer_error: 1,
            // Within a degree, however long after noon.
            coords: { latitude: 40 + (seconds % 3600) / 1e4, longitude: -3, accuracy: 5, speed: 10, heading: 90, ...coords },
            activity: { type: 'in_vehicle', confidence: 90 }, ...rest,
        },
    });
}

function stay(id, start, end, { updated = end ?? start, ...rest } = {}) {
    return JSON.stringify({
        device_id: 'van-1',
        timeline_event: {
            event_id: id, uuid: `t-${id}-${updated}`, epoch: 1, seq: 1, revision: 1, is_provisional: end === null,
            type: 'STATIONARY', start_date: iso(noon + start * 1000), end_date: end === null ? null : iso(noon + end * 1000),
            last_update_date: iso(noon + updated * 1000), duration: (end ?? updated) - start,
            location: { latitude: 40, longitude: -3, accuracy: 5 }, ...rest,
        },
    });
}

function trip(id, start, end, rest = {}) {
    return stay(id, start, end, {
        type: 'IN_TRANSPORT', location: undefined, transport_mode: 'CAR', distance_in_meters: (end ?? start) - start,
        waypoints: end === null ? undefined : [{ latitude: 40, longitude: -3 }, { latitude: 40.1, longitude: -3 }], ...rest,
    });
}

function reported(seconds, rest = {}) {
    return JSON.stringify({
        device_id: 'van-1', timestamp: iso(noon + seconds * 1000), agent_version: '1.0.0', groups: ['vans'], levels: [],
        errors: [], configuration: { tracking: {} }, configuration_hash: 'a', within_schedule: true,
        next_schedule_changes: [], tracking: { enabled: true }, geofences: { count: 0, hash: '', levels: [], errors: [] }, ledger: [],
        queue: { depth: 0 }, features: [], ...rest,
    });
}

function status(state, connection, reason = state === 'online' ? 'connected' : 'connection_lost') {
    return JSON.stringify({
        device_id: 'van-1', state, reason, connection, boot_id: 'b', run_id: 'r', version: '1.0.0', timestamp: iso(noon),
    });
}

/** A zone in which it is about noon, so that a test never meets midnight. The sign in these names is the opposite one. */
function noonZone() {
    // Not 0, which browsers call UTC.
    const hours = 12 - new Date().getUTCHours() || 1;
    return `Etc/GMT${hours < 0 ? '+' : '-'}${Math.abs(hours)}`;
}

module.exports = { noon, noonZone, iso, location, stay, trip, reported, status };
