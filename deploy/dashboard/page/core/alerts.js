(function (odograph) {
    'use strict';

    const { format } = odograph;

    /**
     * Something that needs attention.
     * @typedef {object} Alert
     * @property {string} key the same for the same thing, also after a reload of the page
     * @property {'silent' | 'refused' | 'battery' | 'overspeed' | 'geofence' | 'driving' | 'beacon' | 'tow' | 'gap' |
     *     'problem' | 'certificate' | 'no-position' | 'service'} kind
     * @property {number} at when it began or happened, milliseconds since 1970
     * @property {Vehicle} vehicle @property {string} name of the vehicle @property {string} words
     * @property {?RecordedAlert} recorded of a recorder; null: this page has found it
     */

    /** What a reader of the list is told of a kind. */
    const kindWords = {
        silent: 'Silent', refused: 'Refused', battery: 'Low battery', overspeed: 'Too fast', geofence: 'Geofence', driving: 'Harsh driving',
        beacon: 'Beacon', tow: 'Towed', gap: 'Gap', problem: 'Problem', certificate: 'Certificate', 'no-position': 'No position', service: 'Service due',
    };

    /** An end of a certificate is an alert so long before, milliseconds. */
    const certificateMilliseconds = 45 * 86400000;
    const owners = { vehicle: 'The certificate of the vehicle', broker: 'The certificate of the broker', authority: 'The authority’s certificate' };

    /** @param {string} whose @param {number} end @param {number} now @param {Clock} clock @returns {string} */
    function certificateWords(whose, end, now, clock = odograph.clock.clockOf(null)) {
        const date = clock.date(end);
        if (end <= now) return `${owners[whose]} has ended on ${date}`;
        const days = Math.ceil((end - now) / 86400000);
        return `${owners[whose]} ends on ${date}, in ${days} day${days === 1 ? '' : 's'}`;
    }

    /** The newest alerts that a list has at most. */
    const mostAlerts = 300;

    function drivingWords({ kind, peak, duration }) {
        if (kind === 'idling') return `Idling${duration === null ? '' : ` for ${format.duration(duration * 1000)}`}`;
        return `Harsh ${kind.replaceAll('_', ' ')}${peak === null ? '' : `, ${peak.toFixed(2)} g`}`;
    }

    function beaconWords({ identifier, action }) {
        if (action === 'ENTER') return `${identifier} came aboard`;
        return action === 'EXIT' ? `${identifier} left` : `${identifier}: ${action.toLowerCase().replaceAll('_', ' ')}`;
    }

    function refusals({ reported }) {
        return reported === null ? [] : [...reported.errors, ...reported.geofences.errors];
    }

    function refusalWords(errors) {
        const [{ identifier, path, message }] = errors;
        const where = [identifier, path].filter(Boolean).join(' ');
        const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
        return `Refused${where === '' ? '' : ` ${where}`}: ${message || 'no reason'}${more}`;
    }

    /** What lasts, as far as a vehicle's condition says it. */
    function states({ vehicle, condition }, now) {
        const found = [];
        if (condition.isSilent && !condition.isPrivate) {
            const connection = vehicle.status?.connection ?? 0;
            found.push({ kind: 'silent', at: vehicle.heardAt, id: `${condition.silence} ${connection} ${vehicle.fix?.at ?? ''}`,
                words: `Silent: ${condition.silence}` });
        }
        const errors = refusals(vehicle);
        if (errors.length > 0) {
            found.push({ kind: 'refused', at: vehicle.reported.at, id: odograph.sha256(JSON.stringify(errors)).slice(0, 16),
                words: refusalWords(errors) });
        }
        if (condition.hasLowBattery) {
            found.push({ kind: 'battery', at: vehicle.fix?.at ?? vehicle.heardAt, id: '',
                words: `Low battery: ${format.percent(condition.battery.level)}` });
        }
        // A problem that lasts is one, however long ago it began; a recorder tells those of the last days.
        for (const { code, text, since } of condition.problems) {
            const [first = '', ...rest] = text;
            found.push({ kind: 'problem', at: since ?? vehicle.status.at ?? vehicle.heardAt, id: `${code} ${since ?? ''}`,
                words: `${first.toUpperCase()}${rest.join('')}` || 'No reason' });
        }
        for (const [whose, end] of Object.entries(vehicle.reported?.certificates ?? {})) {
            if (now < end - certificateMilliseconds) continue;
            found.push({ kind: 'certificate', at: end - certificateMilliseconds, id: `${whose} ${end}`, words: certificateWords(whose, end, now), whose });
        }
        return found;
    }

    function fenceWords({ identifier, name, action, peak }, fenceNames) {
        const [first, ...rest] = format.action(action);
        return `${first.toUpperCase()}${rest.join('')} ${name || fenceNames.get(identifier) || identifier}${peak === null ? '' : `, up to ${format.speed(peak)}`}`;
    }

    /** Whether all vehicles of a fleet see the same certificate. */
    const isShared = (whose) => whose === 'broker' || whose === 'authority';

    /** The broker and the authority are the same for all vehicles of a fleet: one alert is enough. */
    function withoutRepetitions(alerts) {
        const first = new Map();
        return alerts.filter((alert) => {
            if (!isShared(alert.whose)) return true;
            const key = `${alert.vehicle.fleet} ${alert.id}`;
            const known = first.get(key);
            if (known === undefined) first.set(key, Object.assign(alert, { count: 1, firstName: alert.name }));
            else {
                known.count += 1;
                known.name = `${known.firstName} and ${known.count - 1} more`;
            }
            return known === undefined;
        });
    }

    /** What happened once. */
    function events({ vehicle }, { chosenFences, fenceNames, areBeaconsChosen }) {
        const found = [];
        for (const { uuid, occurredAt, geofence } of vehicle.fenceEvents) {
            const isOverspeed = geofence.action === 'OVERSPEED';
            if (!isOverspeed && !chosenFences.has(geofence.identifier)) continue;
            found.push({ kind: isOverspeed ? 'overspeed' : 'geofence', at: occurredAt, id: uuid ?? String(occurredAt),
                words: fenceWords(geofence, fenceNames) });
        }
        for (const { uuid, at, driving } of vehicle.drivingEvents) {
            found.push({ kind: 'driving', at, id: uuid ?? String(at), words: drivingWords(driving) });
        }
        if (!areBeaconsChosen) return found;
        for (const { uuid, at, beacon } of vehicle.beaconEvents) {
            found.push({ kind: 'beacon', at, id: uuid ?? `${at} ${beacon.identifier}`, words: beaconWords(beacon) });
        }
        return found;
    }

    /** The recorder's alerts as those of the page. */
    function recordedOnes(recorded, entries, now) {
        const byKey = new Map(entries.map((entry) => [entry.vehicle.key, entry]));
        return recorded.filter(({ vehicleKey }) => byKey.has(vehicleKey)).map((alert) => {
            const { vehicle, name } = byKey.get(alert.vehicleKey);
            const until = alert.until === null ? '' : `, until ${format.timeOrDay(alert.until, now)}`;
            return {
                key: `recorded ${vehicle.fleet} ${alert.id}`, kind: alert.kind, at: alert.at, words: `${alert.words}${until}`,
                vehicle, name, recorded: alert,
            };
        });
    }

    /** A test whether a recorder keeps the same thing as the page has found: then all pages share its acknowledgement. */
    function recordedTest(recorded) {
        // A recorder keeps what a fleet shares for one of its vehicles.
        const ownerOf = (vehicle, whose) => (isShared(whose) ? vehicle.fleet : vehicle.key);
        const keyOf = (vehicle, kind, what) => `${ownerOf(vehicle, what)} ${kind} ${what}`;
        const known = new Set(recorded.map(({ vehicle, kind, at, recorded: { isOpen, whose } }) => {
            if (kind === 'certificate') return keyOf(vehicle, kind, whose);
            // What lasts began at another time for the page.
            return keyOf(vehicle, kind, isOpen && (kind === 'silent' || kind === 'refused') ? 'open' : at);
        }));
        return ({ vehicle, kind, at, whose }) => known.has(keyOf(vehicle, kind, whose ?? at)) || known.has(keyOf(vehicle, kind, 'open'));
    }

    /** What needs attention in a fleet, and what a person has acknowledged. */
    class Alerts {
        /** When lasting ones were seen first, by key. */
        #began = new Map();
        /** @type {Map<string, number>} acknowledged keys, and when the page saw them last */
        #acknowledged;
        #known = null;

        /** @param {Iterable<[string, number]>} acknowledged of an earlier visit */
        constructor(acknowledged = []) {
            this.#acknowledged = new Map(acknowledged);
        }

        /**
         * @param {Array<{vehicle: Vehicle, name: string, condition: Condition}>} entries
         * @param {{now: number, chosenFences: Set<string>, fenceNames: Map<string, string>, areBeaconsChosen: boolean,
         *     recorded: RecordedAlert[]}} circumstances `recorded`: those that recorders keep
         * @returns {{alerts: Array<Alert & {isAcknowledged: boolean}>, fresh: Alert[]}} newest first; fresh ones were not
         *     there before, and are empty the first time
         */
        read(entries, { now, chosenFences, fenceNames, areBeaconsChosen, recorded = [] }) {
            const kept = recordedOnes(recorded, entries, now);
            let alerts = [];
            const lasting = new Set();
            for (const entry of entries) {
                const { vehicle, name } = entry;
                for (const state of states(entry, now)) {
                    const key = `${state.kind} ${vehicle.key} ${state.id}`;
                    lasting.add(key);
                    if (!this.#began.has(key)) this.#began.set(key, Number.isFinite(state.at) ? state.at : now);
                    alerts.push({ ...state, key, at: this.#began.get(key), vehicle, name, recorded: null });
                }
                for (const event of events(entry, { chosenFences, fenceNames, areBeaconsChosen })) {
                    alerts.push({ ...event, key: `${event.kind} ${vehicle.key} ${event.id}`, vehicle, name, recorded: null });
                }
            }
            for (const key of this.#began.keys()) if (!lasting.has(key)) this.#began.delete(key);
            this.#forgetEnded(entries, lasting);
            const isRecorded = recordedTest(kept);
            alerts = [...kept, ...withoutRepetitions(alerts.filter((alert) => !isRecorded(alert)))];
            alerts.sort((one, other) => other.at - one.at || (one.key < other.key ? -1 : 1));
            alerts.length = Math.min(alerts.length, mostAlerts);
            return { alerts: this.#marked(alerts, now), fresh: this.#fresh(alerts) };
        }

        /** A battery that is low again after it was charged is another alert. */
        #forgetEnded(entries, lasting) {
            for (const { vehicle, condition } of entries) {
                const key = `battery ${vehicle.key} `;
                if (condition.battery !== null && !lasting.has(key)) this.#acknowledged.delete(key);
            }
        }

        #marked(alerts, now) {
            return alerts.map((alert) => {
                if (alert.recorded !== null) return { ...alert, isAcknowledged: alert.recorded.acknowledgement !== null };
                const isAcknowledged = this.#acknowledged.has(alert.key);
                if (isAcknowledged) this.#acknowledged.set(alert.key, now);
                return { ...alert, isAcknowledged };
            });
        }

        #fresh(alerts) {
            const before = this.#known;
            this.#known = new Set(alerts.map(({ key }) => key));
            if (before === null) return [];
            return alerts.filter(({ key, recorded }) => !before.has(key) && !this.#acknowledged.has(key)
                && (recorded === null || recorded.acknowledgement === null));
        }

        /** @param {string[]} keys @param {number} now */
        acknowledge(keys, now) {
            for (const key of keys) this.#acknowledged.set(key, now);
        }

        /** @param {number} most @returns {Array<[string, number]>} the acknowledged keys that were seen last */
        toSave(most) {
            return [...this.#acknowledged].sort((one, other) => other[1] - one[1]).slice(0, most);
        }
    }

    odograph.Alerts = Alerts;
    odograph.alertWords = { kindWords, certificateWords, certificateMilliseconds };
})(globalThis.odograph ??= {});
