(function (odograph) {
    'use strict';

    /** After this time without an answer of a recorder, the vehicle is asked as well, milliseconds. */
    const patienceMilliseconds = 6000;
    /** A vehicle has a slow network. */
    const vehicleMilliseconds = 15000;
    /** A fleet without an answer of a recorder is not asked again for this time, milliseconds. */
    const restMilliseconds = 60000;
    /** Days that are kept. */
    const mostDays = 12;
    /** Answers that one question can need. */
    const mostAnswers = 40;

    const iso = (at) => new Date(at).toISOString();

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

        get isOnline() {
            return this.link.isOnline;
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

        /**
         * Asks for the stops and trips of a day: the recorders, and if they do not tell, the vehicle. Meant to be called
         * again and again while somebody looks at a day that is not known completely: it asks when it is time to.
         * @param {PastDay} past @param {number} now
         */
        want(past, now) {
            const { asked: { recorder, vehicle }, day } = past;
            if (now <= day.start || !this.link.isOnline) return;
            const times = { from: day.start, to: Math.min(day.end, now) };
            if (this.#isDue(recorder, past, now)) this.#askRecorder(past, times, now);
            const isPatient = recorder.state === 'told'
                || (recorder.state === 'asking' && now - recorder.askedAt < patienceMilliseconds);
            if (!isPatient && (vehicle.state === 'unasked' || vehicle.state === 'absent')) this.#askVehicle(past, times, now);
        }

        /** Whether to ask a recorder now. One that did not answer is asked again after a rest. */
        #isDue(question, { vehicle: { fleet } }, now) {
            if (question.state !== 'unasked' && question.state !== 'silent') return false;
            const isResting = now - (this.#unansweredAt.get(fleet) ?? -Infinity) < restMilliseconds;
            if (isResting) question.end('silent');
            return !isResting;
        }

        /**
         * Asks the recorders for the positions of a day.
         * @param {PastDay} past @param {number} now
         * @returns {Promise<?object[]>} null: no recorder tells
         */
        async track(past, now) {
            // A day that has ended does not change any more.
            if (past.trackRows !== null && past.day.end < now) return past.trackRows;
            Object.assign(past, { isAskingForTrack: true, wasTrackAsked: true });
            this.onChange();
            const { rows, error } = await this.#rows(past.vehicle, 'track', { from: past.day.start, to: Math.min(past.day.end, now) });
            Object.assign(past, { isAskingForTrack: false, trackError: error });
            if (rows !== null) past.trackRows = rows;
            this.onChange();
            return rows;
        }

        /**
         * Asks the recorders for the positions of a trip that lasts, once.
         * @param {PastDay} past of today @param {number} from the start of the trip @param {number} now
         * @returns {Promise<?object[]>} null: they were asked before, or no recorder tells
         */
        async way(past, from, now) {
            const { wayAsked } = past;
            if (!this.link.isOnline || !this.#isDue(wayAsked, past, now)) return null;
            wayAsked.begin(now);
            const { rows, error } = await this.#rows(past.vehicle, 'track', { from, to: now });
            wayAsked.end(rows !== null ? 'told' : error !== null ? 'refused' : this.#unheard(), error);
            return rows;
        }

        /** Permits to ask again for a day. @param {PastDay} past */
        retry(past) {
            past.reopen();
            this.#unansweredAt.clear();
        }

        /** The page has missed a time: days are asked for again, since a vehicle can have delivered what belongs to them. */
        forgetAnswers() {
            for (const past of this.#days.values()) past.reopen();
        }

        async #askRecorder(past, times, now) {
            const { recorder } = past.asked;
            recorder.begin(now);
            const { rows, error } = await this.#rows(past.vehicle, 'timeline', times);
            if (rows !== null) past.takeEvents(rows);
            recorder.end(rows !== null ? 'told' : error !== null ? 'refused' : this.#unheard(), error);
            this.onChange();
        }

        /** How a question stands that got no answer: one whose connection was lost was not asked. */
        #unheard() {
            return this.link.isOnline ? 'silent' : 'unasked';
        }

        /**
         * Asks the recorders of a fleet about a vehicle, as often as the rows need.
         * @returns {Promise<{rows: ?object[], error: ?string}>} without rows and without an error nobody has answered
         */
        async #rows({ fleet, name }, kind, { from, to }) {
            return this.rows(fleet, { kind, device: name, from: iso(from), to: iso(to) });
        }

        /**
         * Asks the recorders of a fleet, as often as the rows need, up to the limit of the request.
         * @param {string} fleet @param {object} request
         * @param {Map<string, Set<string>>} company the recorders of each fleet, as far as earlier questions have told them:
         *     nobody else is waited for
         * @returns {Promise<{rows: ?object[], error: ?string, code?: ?string}>} without rows and without an error nobody has answered
         */
        async rows(fleet, request, company = new Map()) {
            const rows = [];
            // The recorder whose answer goes on is asked for the rest.
            let rest = {};
            for (let count = 0; count < mostAnswers; count += 1) {
                const answer = new odograph.history.Answer(company.get(fleet));
                const topics = odograph.history.historyTopics({
                    root: this.settings.root, fleet, person: this.link.person, id: this.#identifier(),
                });
                await this.link.exchange({
                    ...topics, payload: JSON.stringify({ ...request, ...rest, encoding: 'deflate' }), take: (text) => answer.take(text),
                    milliseconds: odograph.history.answerMilliseconds,
                });
                const { best } = answer;
                if (best === null) {
                    if (this.link.isOnline) this.#unansweredAt.set(fleet, Date.now());
                    return { rows: null, error: null };
                }
                // Who has not answered in the wait for others is not there.
                if (count === 0 && best.rows.length === 0) company.set(fleet, answer.recorders);
                if (best.error !== null) return { rows: null, error: best.error, code: best.code };
                for (const row of best.rows) rows.push(row);
                if (best.next === null || rows.length >= request.limit) return { rows, error: null };
                rest = { after: best.next, recorder: best.recorder };
            }
            return { rows: null, error: 'the answer is too long' };
        }

        async #askVehicle(past, times, now) {
            const { vehicle, asked } = past;
            if (!this.settings.askVehicles) return;
            if (vehicle.status?.isOnline !== true) {
                asked.vehicle.end('absent');
                return;
            }
            asked.vehicle.begin(now);
            this.onChange();
            const error = await this.#tellOfVehicle(past, times, now);
            if (error === null) asked.vehicle.end('told');
            else if (error === '') asked.vehicle.end(this.#unheard());
            else asked.vehicle.end('refused', error);
            this.onChange();
        }

        /** Takes a vehicle's own timeline. @returns {Promise<?string>} null: all of it; empty: there was no answer; else why not */
        async #tellOfVehicle(past, { from, to }, now) {
            const base = `${this.settings.root}/${past.vehicle.key}`;
            let start = from;
            for (let count = 0; count < mostAnswers; count += 1) {
                const command = odograph.history.timelineCommand({
                    id: this.#identifier(), address: base, from: start, to, expiresAt: now + vehicleMilliseconds * 2,
                });
                const answer = await this.#answerOf(base, command);
                if (answer === null) return '';
                if (answer.error !== null) return answer.error;
                past.takeEvents(answer.rows);
                const last = odograph.records.time(answer.rows.at(-1)?.end_date);
                if (!answer.isPartial) return null;
                if (last === null || last <= start) return 'its answer does not go on';
                start = last;
            }
            return 'its answer is too long';
        }

        async #answerOf(base, command) {
            const until = Date.now() + vehicleMilliseconds;
            let answer = null;
            await this.link.exchange({
                request: `${base}/command`, answer: `${base}/response`, payload: JSON.stringify(command),
                take: (text) => {
                    answer = odograph.history.readCommandAnswer(text, command);
                    // Answers to others use the same topic.
                    return answer === null ? Math.max(0, until - Date.now()) : 0;
                },
                milliseconds: vehicleMilliseconds,
            });
            return answer;
        }

        #identifier() {
            this.#count += 1;
            return `${this.link.clientID.slice(-24)}-${Date.now().toString(36)}-${this.#count}`;
        }
    }

    odograph.Past = Past;
})(globalThis.odograph ??= {});
