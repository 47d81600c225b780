(function (odograph) {
    'use strict';

    const { isObject, number, place, time } = odograph.records;

    /** Rows of an answer that are kept: two days with a position each second. */
    const mostRows = 200000;
    /** Events that an agent gives in one answer. */
    const eventLimit = 1000;

    /**
     * The topics of a request to the recorders of a fleet.
     * @param {{root: string, fleet: string, person: string, id: string}} request
     */
    function historyTopics({ root, fleet, person, id }) {
        const base = `${root}/history:${fleet}/${person}`;
        return { request: `${base}/request/${id}`, answer: `${base}/answer/${id}` };
    }

    /** The answer of a recorder, in parts. Of several recorders the first one counts. */
    class Answer {
        #store = null;
        #parts = 0;

        constructor() {
            /** @type {object[]} */
            this.rows = [];
            /** The place at which the rows continue in a further answer. @type {?string} */
            this.next = null;
            /** @type {?string} */
            this.error = null;
        }

        /** @param {string} text a payload @returns {boolean} whether the answer is complete, or failed */
        take(text) {
            const part = odograph.records.parse(text);
            if (part === null || typeof part.store !== 'string') return false;
            this.#store ??= part.store;
            if (part.store !== this.#store) return false;
            if (part.status !== 'ok') return this.#fail(part.error);
            this.#parts += 1;
            if (part.part !== this.#parts) return this.#fail('a part of the answer is missing');
            for (const row of Array.isArray(part.rows) ? part.rows : []) if (isObject(row)) this.rows.push(row);
            if (this.rows.length > mostRows) return this.#fail('the answer is too long');
            if (part.is_last !== true) return false;
            this.next = typeof part.next === 'string' ? part.next : null;
            return true;
        }

        #fail(words) {
            this.error = typeof words === 'string' ? words : 'the recorder has no answer';
            return true;
        }
    }

    /**
     * A command that asks a vehicle for its own timeline.
     * @param {{id: string, address: string, from: number, to: number, expiresAt: number}} wish
     */
    function timelineCommand({ id, address, from, to, expiresAt }) {
        const iso = (at) => new Date(at).toISOString();
        return {
            id, address, action: 'get_timeline', from: iso(from), to: iso(to), limit: eventLimit, expires_at: iso(expiresAt),
        };
    }

    /**
     * Reads a vehicle's answer to a command.
     * @param {string} text @param {{id: string, address: string}} command
     * @returns {?{error: ?string, rows: object[], isPartial: boolean}} null: the answer to another command
     */
    function readCommandAnswer(text, { id, address }) {
        const answer = odograph.records.parse(text);
        if (answer === null || answer.id !== id) return null;
        if (answer.address !== undefined && answer.address !== address) return null;
        if (answer.status !== 'ok') {
            return { error: typeof answer.error === 'string' ? answer.error : 'no answer', rows: [], isPartial: false };
        }
        const rows = Array.isArray(answer.timeline_events) ? answer.timeline_events.filter(isObject) : [];
        return { error: null, rows, isPartial: answer.more === true };
    }

    /**
     * A position of a track.
     * @typedef {object} TrackPoint
     * @property {number} at milliseconds since 1970 @property {number} latitude @property {number} longitude
     * @property {?number} accuracy metres @property {?number} altitude metres @property {?number} speed metres a second
     * @property {?number} heading degrees @property {?boolean} isMoving @property {?number} odometer metres
     * @property {?string} event @property {?string} geofence @property {?string} action @property {boolean} isMock
     * @property {number} x @property {number} y on the map's square
     */

    /** @param {object} row of a track, or a waypoint of a trip @returns {?TrackPoint} */
    function readTrackPoint(row) {
        const at = time(row.timestamp);
        const where = place(row);
        if (at === null || where === null || row.clock_untrusted === true) return null;
        const word = (value) => (typeof value === 'string' ? value : null);
        const positive = (value) => (number(value) !== null && value >= 0 ? value : null);
        return {
            at, ...where, altitude: number(row.altitude), speed: positive(row.speed), heading: positive(row.heading),
            isMoving: typeof row.is_moving === 'boolean' ? row.is_moving : null, odometer: positive(row.odometer),
            event: word(row.event), geofence: word(row.geofence), action: word(row.action), isMock: row.mock === true,
            ...odograph.mercator.project(where.latitude, where.longitude),
        };
    }

    odograph.history = { historyTopics, Answer, timelineCommand, readCommandAnswer, readTrackPoint };
})(globalThis.odograph ??= {});
