(function (odograph) {
    'use strict';

    /** A recorder answers sooner than this, milliseconds; a vehicle has a slower network. */
    const recorderMilliseconds = 6000;
    const vehicleMilliseconds = 15000;
    /** A fleet without an answer of a recorder is not asked again for this time, milliseconds. */
    const restMilliseconds = 60000;
    /** Days that are kept. */
    const mostDays = 12;
    /** Answers that one question can need. */
    const mostAnswers = 40;

    /** Asks for the past: the recorders of the fleet, and if none answers, the vehicle itself. */
    class Past {
        #days = new Map();
        #unansweredAt = new Map();
        #count = 0;

        /**
         * @param {Settings} settings @param {Link} link
         * @param {() => void} onChange
         */
        constructor(settings, link, onChange) {
            Object.assign(this, { settings, link, onChange });
        }

        /** @param {Vehicle} vehicle @param {{date: string, start: number, end: number}} day @returns {PastDay} */
        dayOf(vehicle, day) {
            const key = `${vehicle.key} ${day.start}`;
            let past = this.#days.get(key) ?? new odograph.PastDay(vehicle, day);
            if (past.vehicle !== vehicle) past = new odograph.PastDay(vehicle, day);
            // The most recently used one is the last one.
            this.#days.delete(key);
            this.#days.set(key, past);
            if (this.#days.size > mostDays) this.#days.delete(this.#days.keys().next().value);
            return past;
        }

        /** Asks for the stops and trips of a day, once. @param {PastDay} past @param {number} now */
        async want(past, now) {
            if (past.state !== 'unasked' || now <= past.day.start || !this.link.isOnline) return;
            const [from, to] = [past.day.start, Math.min(past.day.end, now)];
            past.state = 'asking';
            const isTold = await this.#askRecorder(past, from, to, now) || await this.#askVehicle(past, from, to, now);
            past.state = isTold ? 'done' : 'failed';
            this.onChange();
        }

        /**
         * Asks the recorders for the positions of a day.
         * @param {PastDay} past @param {number} now
         * @returns {Promise<?object[]>} null: no recorder answers
         */
        async track(past, now) {
            // A day that has ended does not change any more.
            if (past.trackRows !== null && past.day.end < now) return past.trackRows;
            past.isAskingForTrack = true;
            this.onChange();
            const iso = (at) => new Date(at).toISOString();
            const rows = await this.rows(past.vehicle.fleet, {
                kind: 'track', device: past.vehicle.name, from: iso(past.day.start), to: iso(Math.min(past.day.end, now)),
            }, past);
            past.isAskingForTrack = false;
            if (rows !== null) past.trackRows = rows;
            this.onChange();
            return rows;
        }

        /** Permits to ask again for a day without an answer. @param {PastDay} past */
        retry(past) {
            if (past.state === 'failed') past.state = 'unasked';
            this.#unansweredAt.clear();
        }

        /** The page has missed a time: days that last are asked for again. @param {number} now */
        forgetPresent(now) {
            for (const past of this.#days.values()) if (past.day.end > now && past.state !== 'asking') past.state = 'unasked';
        }

        async #askRecorder(past, from, to, now) {
            const { fleet, name } = past.vehicle;
            if (now - (this.#unansweredAt.get(fleet) ?? -Infinity) < restMilliseconds) return false;
            past.source = 'recorder';
            const iso = (at) => new Date(at).toISOString();
            const rows = await this.rows(fleet, { kind: 'timeline', device: name, from: iso(from), to: iso(to) }, past);
            if (rows === null) return false;
            past.takeEvents(rows);
            return true;
        }

        /**
         * Asks the recorders of a fleet, as often as the rows need.
         * @param {string} fleet @param {object} request @param {{error: ?string}} past takes the error
         * @returns {Promise<?object[]>} null: there is no complete answer
         */
        async rows(fleet, request, past) {
            const rows = [];
            let after = null;
            for (let count = 0; count < mostAnswers; count += 1) {
                const answer = new odograph.history.Answer();
                const topics = odograph.history.historyTopics({
                    root: this.settings.root, fleet, person: this.link.person, id: this.#identifier(),
                });
                const payload = JSON.stringify(after === null ? request : { ...request, after });
                const isWhole = await this.link.exchange({
                    ...topics, payload, take: (text) => answer.take(text), milliseconds: recorderMilliseconds,
                });
                if (!isWhole) {
                    this.#unansweredAt.set(fleet, Date.now());
                    return null;
                }
                past.error = answer.error;
                if (answer.error !== null) return null;
                rows.push(...answer.rows);
                if (answer.next === null) return rows;
                after = answer.next;
            }
            past.error = 'the answer is too long';
            return null;
        }

        async #askVehicle(past, from, to, now) {
            const { vehicle } = past;
            if (!this.settings.askVehicles || vehicle.status?.isOnline !== true) return false;
            past.source = 'vehicle';
            this.onChange();
            const base = `${this.settings.root}/${vehicle.key}`;
            let start = from;
            for (let count = 0; count < mostAnswers; count += 1) {
                const command = odograph.history.timelineCommand({
                    id: this.#identifier(), address: base, from: start, to, expiresAt: now + vehicleMilliseconds * 2,
                });
                let answer = null;
                await this.link.exchange({
                    request: `${base}/command`, answer: `${base}/response`, payload: JSON.stringify(command),
                    take: (text) => {
                        answer = odograph.history.readCommandAnswer(text, command);
                        return answer !== null;
                    },
                    milliseconds: vehicleMilliseconds,
                });
                if (answer === null) return false;
                past.error = answer.error;
                if (answer.error !== null) return false;
                const last = odograph.records.time(answer.rows.at(-1)?.end_date);
                const isMore = answer.isPartial && last !== null && last > start;
                past.takeEvents(answer.rows);
                if (!isMore) return true;
                start = last;
            }
            return true;
        }

        #identifier() {
            this.#count += 1;
            return `${this.link.clientID.slice(-24)}-${Date.now().toString(36)}-${this.#count}`;
        }
    }

    odograph.Past = Past;
})(globalThis.odograph ??= {});
