(function (odograph) {
    'use strict';

    /** Events of a day that are kept: a busy day has about 200. */
    const mostEvents = 2000;

    /** What a recorder, or the vehicle itself, has told of one day of a vehicle. */
    class PastDay {
        /** @param {Vehicle} vehicle @param {{date: string, start: number, end: number}} day of the vehicle's zone */
        constructor(vehicle, day) {
            this.vehicle = vehicle;
            this.day = day;
            /** @type {Map<string, Stay>} */
            this.stays = new Map();
            /** Who was asked for its stops and trips. */
            this.asked = { recorder: new odograph.Question(), vehicle: new odograph.Question() };
            /** The question to the recorders for the way of the trip that lasts. */
            this.wayAsked = new odograph.Question();
            /** The rows of its track. @type {?object[]} */
            this.trackRows = null;
            /** Whether the page asks for the track, and whether it has asked. */
            this.isAskingForTrack = false;
            this.wasTrackAsked = false;
            /** @type {?string} why there is no track; null if nobody has answered */
            this.trackError = null;
        }

        /** Whether nobody has told of its positions when asked. */
        get hasNoTrack() {
            return this.wasTrackAsked && this.trackRows === null && !this.isAskingForTrack;
        }

        /**
         * Who has told of the day, and who has not.
         * @returns {?{words: string, canAsk: boolean}} null if nobody was asked
         */
        askedWords() {
            const { recorder, vehicle } = this.asked;
            const words = [recorder.words('recorder'), vehicle.words('vehicle')].filter((part) => part !== '').join(' ');
            if (words === '') return null;
            return { words, canAsk: recorder.state !== 'asking' && vehicle.state !== 'asking' };
        }

        /** Permits to ask everybody again. */
        reopen() {
            for (const question of [this.asked.recorder, this.asked.vehicle, this.wayAsked]) question.reopen();
        }

        /** Takes the events of an answer, up to a bound. @param {object[]} rows */
        takeEvents(rows) {
            for (const row of rows) {
                if (this.stays.size >= mostEvents) return;
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
        return vehicle.reported?.timeZone || null;
    }

    odograph.PastDay = PastDay;
    odograph.zoneOf = zoneOf;
})(globalThis.odograph ??= {});
