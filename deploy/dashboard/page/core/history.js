(function (odograph) {
    'use strict';

    const { most, isObject, number, known, text, place, time } = odograph.records;

    /** Rows of an answer that are kept: two days with a position each second. */
    const mostRows = 200000;
    /** Recorders of a fleet that are listened to. */
    const mostRecorders = 10;
    /** A recorder that is busy answers later than usual, and its next part comes sooner than this, milliseconds. */
    const answerMilliseconds = 30000;
    /** After an answer without rows, others are waited for, milliseconds. */
    const othersMilliseconds = 2000;
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

    /** The answer of one recorder, in parts. */
    class RecorderAnswer {
        /** @type {object[]} */
        rows = [];
        /** The place at which the rows continue in a further answer. @type {?string} */
        next = null;
        /** @type {?string} */
        error = null;
        /** The kind of error, as `too_many`. @type {?string} */
        code = null;
        isWhole = false;
        #parts = 0;

        constructor(recorder) {
            this.recorder = recorder;
        }

        take(part) {
            if (this.isWhole) return;
            if (part.status !== 'ok') return this.#fail(text(part.error) ?? 'it has no answer', text(part.code));
            this.#parts += 1;
            if (part.part !== this.#parts) return this.#fail('a part of the answer is missing');
            for (const row of Array.isArray(part.rows) ? part.rows : []) if (isObject(row)) this.rows.push(row);
            if (this.rows.length > mostRows) return this.#fail('the answer is too long');
            this.isWhole = part.is_last === true;
            if (this.isWhole) this.next = typeof part.next === 'string' ? part.next : null;
        }

        #fail(words, code = null) {
            Object.assign(this, { error: words, code, isWhole: true, rows: [] });
        }
    }

    /**
     * The answers of the recorders of a fleet to one question. The first one with rows counts. One that has nothing, or
     * refuses, closes the question to no other one: the page waits a little for those.
     */
    class Answer {
        /** @type {Map<string, RecorderAnswer>} */
        #recorders = new Map();

        /** @param {?Set<string>} company the recorders that there are; null: it is not known */
        constructor(company = null) {
            this.company = company;
        }

        /** @param {string} payload @returns {number} how long to wait for more, milliseconds; 0: not at all */
        take(payload) {
            const part = odograph.records.parse(payload);
            const isKnown = part !== null && typeof part.recorder === 'string'
                && (this.#recorders.has(part.recorder) || this.#recorders.size < mostRecorders);
            if (isKnown) {
                if (!this.#recorders.has(part.recorder)) this.#recorders.set(part.recorder, new RecorderAnswer(part.recorder));
                this.#recorders.get(part.recorder).take(part);
            }
            const all = [...this.#recorders.values()];
            if (all.some(({ isWhole, rows }) => isWhole && rows.length > 0)) return 0;
            if (all.some(({ isWhole }) => !isWhole) || all.length === 0) return answerMilliseconds;
            const isComplete = this.company !== null && [...this.company].every((name) => this.#recorders.has(name));
            return isComplete ? 0 : othersMilliseconds;
        }

        /** @returns {Set<string>} the names of those that have answered */
        get recorders() {
            return new Set(this.#recorders.keys());
        }

        /** What counts, after the wait; null: no recorder has answered. @returns {?RecorderAnswer} */
        get best() {
            const whole = [...this.#recorders.values()].filter(({ isWhole }) => isWhole);
            return whole.find(({ rows }) => rows.length > 0) ?? whole.find(({ error }) => error === null) ?? whole[0] ?? null;
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
     * @property {?string} event @property {?string} geofence @property {?string} action
     * @property {?Crossing} crossing what else the record tells of the geofence @property {boolean} isMock
     * @property {number} x @property {number} y on the map's square
     */

    /** @param {object} row of a track, or a waypoint of a trip @returns {?TrackPoint} */
    function readTrackPoint(row) {
        const at = time(row.timestamp);
        const where = place(row);
        // The event that says so can arrive later than a position of private use.
        if (at === null || where === null || row.clock_untrusted === true || row.private === true) return null;
        return {
            at, ...where, altitude: number(row.altitude, most.meters), speed: known(row.speed, most.metersPerSecond),
            heading: known(row.heading, most.degrees), odometer: known(row.odometer, most.meters),
            isMoving: typeof row.is_moving === 'boolean' ? row.is_moving : null,
            event: text(row.event), geofence: text(row.geofence), action: text(row.action), crossing: odograph.records.crossing(row.crossing),
            driver: text(row.driver), isMock: row.mock === true,
            ...odograph.mercator.project(where.latitude, where.longitude),
        };
    }

    odograph.history = { answerMilliseconds, historyTopics, Answer, timelineCommand, readCommandAnswer, readTrackPoint };
})(globalThis.odograph ??= {});
