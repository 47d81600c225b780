(function (odograph) {
    'use strict';

    const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
    const number = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : null);
    /** A number that the receiver may not know, which the wire says by −1. */
    const known = (value) => (number(value) !== null && value >= 0 ? value : null);
    const text = (value) => (typeof value === 'string' ? value : null);
    const list = (value) => (Array.isArray(value) ? value.filter(isObject) : []);

    /** @param {*} value an ISO-8601 time @returns {?number} milliseconds since 1970 */
    function time(value) {
        if (typeof value !== 'string') return null;
        const milliseconds = Date.parse(value);
        return Number.isNaN(milliseconds) ? null : milliseconds;
    }

    /**
     * @param {string} payload
     * @returns {?object} the document; null where it is no JSON object
     */
    function parse(payload) {
        try {
            const value = JSON.parse(payload);
            return isObject(value) ? value : null;
        } catch {
            return null;
        }
    }

    /** @param {*} value @returns {?{latitude: number, longitude: number}} null where it is no place on earth */
    function place(value) {
        if (!isObject(value)) return null;
        const latitude = number(value.latitude);
        const longitude = number(value.longitude);
        if (latitude === null || longitude === null) return null;
        if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return null;
        return { latitude, longitude, accuracy: known(value.accuracy) };
    }

    /** @param {object} value of a trip's route @returns {?object} the place, with its time and speed as they came */
    function waypoint(value) {
        const where = place(value);
        return where === null ? null : { ...where, timestamp: text(value.timestamp), speed: known(value.speed) };
    }

    /**
     * An event of the driving style.
     * @typedef {object} Driving
     * @property {string} kind as `braking` @property {?number} peak units of standard gravity
     * @property {?number} duration seconds @property {?number} startedAt milliseconds since 1970
     */

    /** @param {*} value the key `driving` of a location record @returns {?Driving} null where it has no kind */
    function driving(value) {
        if (!isObject(value) || text(value.kind) === null || value.kind === '') return null;
        return { kind: value.kind, peak: known(value.peak_g), duration: known(value.duration), startedAt: time(value.started_at) };
    }

    /**
     * A change of a beacon.
     * @typedef {object} Beacon
     * @property {string} identifier its name in the configuration @property {string} action as `ENTER`
     */

    /** @param {*} value the key `beacon` of a location record @returns {?Beacon} null where it has no name or no action */
    function beacon(value) {
        if (!isObject(value) || !text(value.identifier) || !text(value.action)) return null;
        return { identifier: value.identifier, action: value.action };
    }

    /**
     * A position record.
     * @typedef {object} Fix
     * @property {number} at the receiver's time, milliseconds since 1970
     * @property {?number} epoch @property {?number} seq @property {?string} uuid who the record is
     * @property {number} latitude @property {number} longitude @property {?number} accuracy metres, 95 %
     * @property {?number} speed metres a second @property {?number} heading degrees from north
     * @property {boolean} isMoving @property {?number} odometer metres @property {?number} odometerError metres
     * @property {?{level: number, isCharging: boolean}} battery
     * @property {?string} event @property {?string} tag @property {?string} driver @property {?object} geofence @property {?Driving} driving
     * @property {?Beacon} beacon a change @property {string[]} beacons the names of the beacons that are aboard
     * @property {boolean} isMock
     */

    /** @param {object} message the payload of `location` or `geofence` @returns {?Fix} */
    function readLocation(message) {
        const location = message.location;
        if (!isObject(location)) return null;
        const at = time(location.timestamp);
        const where = place(location.coords);
        if (at === null || where === null || location.sample === true) return null;
        const battery = isObject(location.battery) && known(location.battery.level) !== null
            ? { level: location.battery.level, isCharging: location.battery.is_charging === true }
            : null;
        return {
            at, ...where,
            epoch: number(location.epoch), seq: number(location.seq), uuid: text(location.uuid),
            speed: known(location.coords.speed), heading: known(location.coords.heading),
            isMoving: location.is_moving === true,
            odometer: number(location.odometer), odometerError: known(location.odometer_error),
            activity: isObject(location.activity) ? text(location.activity.type) : null,
            battery, event: text(location.event), tag: text(location.tag), driver: text(location.driver),
            extras: isObject(location.extras) ? location.extras : null,
            geofence: isObject(location.geofence) ? location.geofence : null,
            driving: driving(location.driving), beacon: beacon(location.beacon),
            beacons: Array.isArray(location.beacons) ? location.beacons.filter((name) => typeof name === 'string') : [],
            isMock: location.mock === true,
        };
    }

    /**
     * One revision of a stop, a trip, or a time without either.
     * @typedef {object} Stay
     * @property {string} id @property {string} type @property {number} start @property {?number} end null: it lasts
     * @property {number} updated decides between two revisions @property {boolean} isProvisional
     * @property {?string} mode @property {?number} distance metres @property {?object} place @property {?object} venue
     * @property {Array<{latitude: number, longitude: number}>} waypoints
     * @property {?string} reason @property {?string} tag @property {boolean} isWithdrawn it turned out to be none
     * @property {?number} harsh the number of harsh manoeuvres of a final trip; null: not reported
     */

    function harshCount(totals) {
        if (!isObject(totals)) return null;
        return [totals.acceleration, totals.braking, totals.cornering].reduce((sum, count) => sum + (known(count) ?? 0), 0);
    }

    /** @param {object} message the payload of `timeline` @returns {?Stay} */
    function readTimeline(message) {
        const event = message.timeline_event;
        if (!isObject(event)) return null;
        const start = time(event.start_date);
        const updated = time(event.last_update_date);
        const id = text(event.event_id);
        if (start === null || updated === null || id === null) return null;
        return {
            id, start, updated, end: time(event.end_date), type: text(event.type) || 'UNKNOWN',
            revision: number(event.revision), isProvisional: event.is_provisional === true,
            mode: text(event.transport_mode), distance: known(event.distance_in_meters),
            place: place(event.location), venue: isObject(event.venue) ? event.venue : null,
            waypoints: list(event.waypoints).map(waypoint).filter((point) => point !== null),
            reason: text(event.reason), tag: text(event.tag), isWithdrawn: event.withdrawn === true,
            harsh: harshCount(event.driving),
        };
    }

    /** @param {object} message the payload of `status` @returns {?object} */
    function readStatus(message) {
        if (message.state !== 'online' && message.state !== 'offline') return null;
        const problems = Array.isArray(message.problems) ? message.problems.filter(isObject) : [];
        return {
            isOnline: message.state === 'online', reason: text(message.reason), session: number(message.session),
            bootID: text(message.boot_id), version: text(message.version), at: time(message.timestamp),
            problems: problems.map(({ code, text: words, since }) => (
                { code: text(code), text: text(words) || text(code) || '', since: time(since) })),
        };
    }

    /** The traffic budget of `reported`; null if there is none. */
    function budget(part) {
        if (!isObject(part)) return null;
        const [bytes, limit] = [number(part.bytes), number(part.limit)];
        return bytes === null || !(limit > 0) ? null : { bytes, limit, step: text(part.step), until: time(part.until) };
    }

    /** @param {object} message the payload of `reported` @returns {?object} */
    function readReported(message) {
        const at = time(message.timestamp);
        if (at === null) return null;
        const tracking = isObject(message.tracking) ? message.tracking : {};
        const changes = list(message.next_schedule_changes)
            .map((change) => ({ at: time(change.at), within: change.within_schedule === true }))
            .filter((change) => change.at !== null);
        return {
            at, version: text(message.agent_version), levels: list(message.levels), errors: list(message.errors),
            // Left out where it is the one of the report before.
            configuration: isObject(message.configuration) ? message.configuration : null,
            configurationHash: text(message.configuration_hash),
            groups: Array.isArray(message.groups) ? message.groups.filter((group) => typeof group === 'string') : [],
            timeZone: text(message.time_zone), within: message.within_schedule !== false, isTimeUnknown: message.time_unknown === true, changes,
            isEnabled: tracking.enabled !== false, offSchedule: text(tracking.off_schedule),
            geofences: { count: number(message.geofences?.count), errors: list(message.geofences?.errors) },
            ledger: list(message.ledger), budget: budget(message.budget),
        };
    }

    odograph.records = { parse, isObject, number, place, time, readLocation, readTimeline, readStatus, readReported };
})(globalThis.odograph ??= {});
