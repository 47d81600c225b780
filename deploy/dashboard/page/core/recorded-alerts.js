(function (odograph) {
    'use strict';

    const { isObject, text, time } = odograph.records;

    /** What the page calls the kinds of a recorder's alerts. Kinds that it does not know are problems. */
    const kinds = new Map([
        ['silent', 'silent'], ['geofence', 'geofence'], ['overspeed', 'overspeed'], ['driving', 'driving'], ['beacon', 'beacon'], ['tow', 'tow'],
        ['rejected_configuration', 'refused'], ['gap', 'gap'], ['problem', 'problem'], ['certificate', 'certificate'],
        ['no_position', 'no-position'], ['service', 'service'],
    ]);

    /**
     * An alert that a recorder keeps.
     * @typedef {object} RecordedAlert
     * @property {string} id @property {string} vehicleKey `fleet/name` @property {string} kind as of an `Alert`
     * @property {number} at milliseconds since 1970 @property {boolean} isOpen whether it lasts
     * @property {?number} until when it ended @property {string} words
     * @property {string} whose certificate it is about: `vehicle`, `broker` or `authority`; empty: another kind
     * @property {?{person: string, at: ?number}} acknowledgement who has acknowledged it
     */

    /** @param {string} fleet @param {*} row of an answer @returns {?RecordedAlert} */
    function readAlert(fleet, row) {
        if (!isObject(row)) return null;
        const [id, device, at] = [text(row.id), text(row.device), time(row.time)];
        if (!id || !device || at === null) return null;
        // The list says which vehicle it is.
        const sentence = (text(row.text) ?? '').replace(`${device} of ${fleet} `, '');
        const [first = '', ...rest] = sentence;
        const person = text(row.acknowledged_by);
        return {
            id, vehicleKey: `${fleet}/${device}`, kind: kinds.get(row.kind) ?? 'problem', at, isOpen: row.is_open === true,
            whose: text(row.certificate) ?? '',
            until: time(row.end), words: `${first.toUpperCase()}${rest.join('')}` || 'No reason',
            acknowledgement: person === null ? null : { person, at: time(row.acknowledged_at) },
        };
    }

    /** The alerts that the recorders of the fleets keep: what happened while no page was open. */
    class RecordedAlerts {
        /** @type {Map<string, Map<string, RecordedAlert>>} by fleet and identifier */
        #fleets = new Map();

        /** Takes all alerts of a fleet, in place of those before. @param {string} fleet @param {object[]} rows */
        replace(fleet, rows) {
            this.#fleets.set(fleet, new Map());
            this.update(fleet, rows);
        }

        /** Takes some alerts of a fleet. @param {string} fleet @param {object[]} rows */
        update(fleet, rows) {
            const known = this.#fleets.get(fleet) ?? new Map();
            this.#fleets.set(fleet, known);
            for (const alert of rows.map((row) => readAlert(fleet, row))) if (alert !== null) known.set(alert.id, alert);
        }

        /** @returns {RecordedAlert[]} */
        all() {
            return [...this.#fleets.values()].flatMap((alerts) => [...alerts.values()]);
        }
    }

    odograph.RecordedAlerts = RecordedAlerts;
    odograph.readAlert = readAlert;
})(globalThis.odograph ??= {});
