(function (odograph) {
    'use strict';

    /** What a recorder, or the vehicle itself, has told of one day of a vehicle. */
    class PastDay {
        /** @param {Vehicle} vehicle @param {{date: string, start: number, end: number}} day of the vehicle's zone */
        constructor(vehicle, day) {
            this.vehicle = vehicle;
            this.day = day;
            /** @type {Map<string, Stay>} */
            this.stays = new Map();
            /** @type {'unasked' | 'asking' | 'done' | 'failed'} */
            this.state = 'unasked';
            /** Who is asked, or has answered. @type {?('recorder' | 'vehicle')} */
            this.source = null;
            /** The rows of its track. @type {?object[]} */
            this.trackRows = null;
            /** Whether the page asks for the track. */
            this.isAskingForTrack = false;
            /** @type {?string} why there is no answer */
            this.error = null;
        }

        /** Takes the events of an answer. @param {object[]} rows */
        takeEvents(rows) {
            for (const row of rows) {
                const stay = odograph.records.readTimeline({ timeline_event: row });
                if (stay === null) continue;
                const known = this.stays.get(stay.id);
                if (known === undefined || stay.updated > known.updated) this.stays.set(stay.id, stay);
            }
        }

        /** @returns {Stay[]} with those that the page heard, of each event the newest revision */
        all() {
            const stays = new Map(this.stays);
            for (const stay of this.vehicle.stays.values()) {
                const known = stays.get(stay.id);
                if (known === undefined || stay.updated >= known.updated) stays.set(stay.id, stay);
            }
            return [...stays.values()];
        }
    }

    /** @param {Vehicle} vehicle @returns {?string} the zone of its days; null if it has not stated one */
    function zoneOf(vehicle) {
        const zone = vehicle.reported?.timeZone ?? vehicle.reported?.configuration?.tracking?.time_zone;
        return typeof zone === 'string' && zone !== '' ? zone : null;
    }

    odograph.PastDay = PastDay;
    odograph.zoneOf = zoneOf;
})(globalThis.odograph ??= {});
