(function (odograph) {
    'use strict';

    /**
     * The greatest values that mean something. A greater one is not known, so that no view has to bear it: the page only
     * calculates with what this file has read.
     */
    const most = Object.freeze({
        meters: 1e10, metersPerSecond: 1000, degrees: 360, seconds: 1e9, gravities: 1000, share: 1, bytes: 1e15,
        count: Number.MAX_SAFE_INTEGER,
    });
    /** Times of which a calendar can show the day before and the day after: 1970 to 9998, milliseconds. */
    const [firstTime, lastTime] = [86400000, Date.parse('9999-01-01T00:00:00Z')];
    /** Elements of a list, and characters of a text, that are read: no agent sends more. */
    const mostElements = 5000;
    const mostExtras = 100;
    const mostCharacters = 10000;

    const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
    /** @param {*} value @param {number} limit of its magnitude @returns {?number} */
    const number = (value, limit) => (typeof value === 'number' && Math.abs(value) <= limit ? value : null);
    /** A number that the receiver may not know, which the wire says by −1. */
    const known = (value, limit) => (number(value, limit) !== null && value >= 0 ? value : null);
    const count = (value) => (Number.isSafeInteger(value) && value >= 0 ? value : null);
    const text = (value) => (typeof value === 'string' ? value.slice(0, mostCharacters) : null);
    const list = (value) => (Array.isArray(value) ? value.slice(0, mostElements).filter(isObject) : []);
    const texts = (value) => (Array.isArray(value)
        ? value.slice(0, mostElements).filter((element) => typeof element === 'string').map(text) : []);

    /** @param {*} value an ISO-8601 time @returns {?number} milliseconds since 1970 */
    function time(value) {
        if (typeof value !== 'string') return null;
        const milliseconds = Date.parse(value);
        return milliseconds >= firstTime && milliseconds <= lastTime ? milliseconds : null;
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
        const latitude = number(value.latitude, 90);
        const longitude = number(value.longitude, 180);
        if (latitude === null || longitude === null) return null;
        return { latitude, longitude, accuracy: known(value.accuracy, most.meters) };
    }

    /** @param {object} value of a trip's route @returns {?object} the place, with its time and speed as they came */
    function waypoint(value) {
        const where = place(value);
        return where === null ? null : { ...where, timestamp: text(value.timestamp), speed: known(value.speed, most.metersPerSecond) };
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
        return {
            kind: text(value.kind), peak: known(value.peak_g, most.gravities), duration: known(value.duration, most.seconds),
            startedAt: time(value.started_at),
        };
    }

    /**
     * A change of a beacon.
     * @typedef {object} Beacon
     * @property {string} identifier its name in the configuration @property {string} action as `ENTER`
     */

    /** @param {*} value the key `beacon` of a location record @returns {?Beacon} null where it has no name or no action */
    function beacon(value) {
        if (!isObject(value) || !text(value.identifier) || !text(value.action)) return null;
        return { identifier: text(value.identifier), action: text(value.action) };
    }

    /**
     * A geofence event.
     * @typedef {object} Crossing
     * @property {string} identifier @property {string} name empty if it has none @property {?string} action as `ENTER`
     * @property {?number} peak metres a second @property {?number} dwell seconds
     * @property {?number} occurredAt milliseconds since 1970 @property {boolean} isInitial the vehicle was already inside
     */

    /** @param {*} value the key `geofence` of a geofence record @returns {?Crossing} */
    function crossing(value) {
        if (!isObject(value)) return null;
        return {
            identifier: text(value.identifier) ?? '', name: text(value.name) ?? '', action: text(value.action),
            peak: known(value.peak_speed, most.metersPerSecond), dwell: known(value.dwell, most.seconds),
            occurredAt: time(value.occurred_at), isInitial: value.initial === true,
        };
    }

    /** What a program has added, as words. @returns {?Array<[string, string]>} */
    function extras(value) {
        if (!isObject(value)) return null;
        return Object.entries(value).slice(0, mostExtras).map(([key, inner]) => [text(key), wordsOf(inner)]);
    }

    /** Any value as a text. */
    function wordsOf(value) {
        return text(typeof value === 'object' ? JSON.stringify(value) : String(value));
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
     * @property {?string} event @property {?string} tag @property {?string} driver @property {?Crossing} geofence
     * @property {?Driving} driving @property {?Array<[string, string]>} extras
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
        const battery = isObject(location.battery) && known(location.battery.level, most.share) !== null
            ? { level: location.battery.level, isCharging: location.battery.is_charging === true }
            : null;
        return {
            at, ...where,
            epoch: count(location.epoch), seq: count(location.seq), uuid: text(location.uuid),
            speed: known(location.coords.speed, most.metersPerSecond), heading: known(location.coords.heading, most.degrees),
            isMoving: location.is_moving === true,
            odometer: known(location.odometer, most.meters), odometerError: known(location.odometer_error, most.meters),
            activity: isObject(location.activity) ? text(location.activity.type) : null,
            battery, event: text(location.event), tag: text(location.tag), driver: text(location.driver),
            extras: extras(location.extras), geofence: crossing(location.geofence),
            driving: driving(location.driving), beacon: beacon(location.beacon),
            beacons: texts(location.beacons),
            isMock: location.mock === true,
        };
    }

    /**
     * One revision of a stop, a trip, or a time without either.
     * @typedef {object} Stay
     * @property {string} id @property {string} type @property {number} start @property {?number} end null: it lasts
     * @property {number} updated decides between two revisions @property {boolean} isProvisional
     * @property {?string} mode @property {?number} distance metres @property {?object} place @property {?Venue} venue
     * @property {Array<{latitude: number, longitude: number}>} waypoints
     * @property {?string} reason @property {?string} tag @property {?string} driver
     * @property {boolean} isPrivate it is of private time
     * @property {boolean} isWithdrawn it turned out to be none
     * @property {?number} carried metres over which the vehicle was carried; null: it was not
     * @property {?number} harsh the number of harsh manoeuvres of a final trip; null: not reported
     */

    function harshCount(totals) {
        if (!isObject(totals)) return null;
        const sum = [totals.acceleration, totals.braking, totals.cornering].reduce((all, one) => all + (count(one) ?? 0), 0);
        return count(sum);
    }

    /** @typedef {{name: string, significance: ?string}} Venue the geofence of a stop */

    /** @returns {?Venue} null without a name */
    function venue(value) {
        if (!isObject(value)) return null;
        const name = text(value.name) || text(value.identifier) || '';
        return name === '' ? null : { name, significance: text(value.significance) };
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
            isProvisional: event.is_provisional === true,
            mode: text(event.transport_mode), distance: known(event.distance_in_meters, most.meters),
            place: place(event.location), venue: venue(event.venue),
            waypoints: list(event.waypoints).map(waypoint).filter((point) => point !== null),
            reason: text(event.reason), tag: text(event.tag), driver: text(event.driver),
            isPrivate: event.is_private === true,
            isWithdrawn: event.withdrawn === true,
            carried: known(event.carried_in_meters, most.meters),
            harsh: harshCount(event.driving),
        };
    }

    /** @param {object} message the payload of `status` @returns {?object} */
    function readStatus(message) {
        if (message.state !== 'online' && message.state !== 'offline') return null;
        return {
            isOnline: message.state === 'online', reason: text(message.reason), connection: count(message.connection),
            version: text(message.version), at: time(message.timestamp),
            problems: list(message.problems).map(({ code, text: words, since }) => (
                { code: text(code), text: text(words) || text(code) || '', since: time(since) })),
        };
    }

    /** The traffic budget of `reported`; null if there is none. */
    function budget(part) {
        if (!isObject(part)) return null;
        const [bytes, limit] = [known(part.bytes, most.bytes), known(part.limit, most.bytes)];
        return bytes === null || !(limit >= 1) ? null : { bytes, limit, step: text(part.step), until: time(part.until) };
    }

    /** A part of `reported` that was refused. */
    function refusal({ topic, identifier, path, value, message }) {
        return {
            topic: text(topic), identifier: text(identifier), path: text(path),
            value: value === undefined || value === null ? null : wordsOf(value), message: text(message) ?? '',
        };
    }

    /** An entry of the ledger. @returns {?object} null without a count */
    function given({ count: records, kind, reason, from, to }) {
        if (count(records) === null) return null;
        return { count: records, kind: text(kind), reason: text(reason) ?? '', from: count(from), to: count(to) };
    }

    function level({ level: name, version, version_in_force: inForce, hash, applied }) {
        return {
            level: text(name) ?? '', version: text(version), inForce: text(inForce), hash: text(hash), isApplied: applied !== false,
        };
    }

    /** @returns {?string[]} the expressions of a schedule: one text, or a list of them; null for none */
    function expressions(value) {
        const texts = (Array.isArray(value) ? value : [value]).map(text).filter((expression) => expression !== null);
        return texts.length === 0 ? null : texts;
    }

    /** The part of the configuration that the page reads; null where a report leaves it out, as it was before. */
    function configuration(value) {
        if (!isObject(value)) return null;
        const tracking = isObject(value.tracking) ? value.tracking : {};
        return {
            expressions: expressions(tracking.schedule), zone: text(tracking.time_zone),
            heartbeat: number(tracking.heartbeat_interval, most.seconds),
            maximumInterval: number(isObject(tracking.sampling) ? tracking.sampling.maximum_interval : null, most.seconds),
        };
    }

    /** @returns {Object<string, number>} when the certificates end that a vehicle uses, milliseconds since 1970 */
    function certificates(value) {
        const ends = ['vehicle', 'broker', 'authority'].map((whose) => [whose, time(isObject(value) ? value[whose] : null)]);
        return Object.fromEntries(ends.filter(([, end]) => end !== null));
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
            at, version: text(message.agent_version), levels: list(message.levels).map(level),
            errors: list(message.errors).map(refusal),
            configuration: configuration(message.configuration), configurationHash: text(message.configuration_hash),
            groups: texts(message.groups),
            timeZone: text(message.time_zone), within: message.within_schedule !== false, isTimeUnknown: message.time_unknown === true, changes,
            isEnabled: tracking.enabled !== false, offSchedule: text(tracking.off_schedule),
            geofences: {
                count: count(message.geofences?.count), errors: list(message.geofences?.errors).map(refusal),
                levels: list(message.geofences?.levels).map(level),
            },
            ledger: list(message.ledger).map(given).filter((entry) => entry !== null), budget: budget(message.budget),
            certificates: certificates(message.certificates),
        };
    }

    odograph.records = {
        most, parse, isObject, number, known, count, text, place, time, readLocation, readTimeline, readStatus, readReported, crossing,
    };
})(globalThis.odograph ??= {});
