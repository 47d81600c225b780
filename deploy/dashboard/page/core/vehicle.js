(function (odograph) {
    'use strict';

    /** Points of a trail: four minutes at one a second, forty at the agent's default of one in ten. */
    const trailPoints = 240;
    /** Points of the trail of a vehicle that somebody looks at: five hours at one a second. */
    const longTrailPoints = 20000;
    /** Stops and trips that are kept; a busy week has about so many. */
    const mostStays = 400;
    /** Geofence events that are kept, events of the driving style, and changes of beacons. */
    const mostFenceEvents = 100;
    const mostDrivingEvents = 50;
    const mostBeaconEvents = 50;

    /** A right clock of a vehicle is not further ahead, milliseconds. */
    const mostLead = 86400000;

    /**
     * Whether a record was made after another. Numbers tell it within an epoch, whatever the clocks say. Of two epochs the
     * times tell it, as a recorder does: after a loss of the disk, the new epoch can be the smaller one.
     * @param {{epoch: ?number, seq: ?number, at: number}} one @param {{epoch: ?number, seq: ?number, at: number}} other
     * @param {number} now
     */
    function isNewer(one, other, now) {
        if (one.epoch === other.epoch && one.seq !== null && other.seq !== null) return one.seq > other.seq;
        const isPossible = ({ at }) => at <= now + mostLead;
        if (isPossible(one) !== isPossible(other)) return isPossible(one);
        return one.at !== other.at ? one.at > other.at : (one.epoch ?? 0) > (other.epoch ?? 0);
    }

    /** What is known of a vehicle. It takes records in any order and any number of times, and comes to the same. */
    class Vehicle {
        #untracked = null;

        /** @param {string} fleet @param {string} name */
        constructor(fleet, name) {
            this.key = `${fleet}/${name}`;
            this.fleet = fleet;
            this.name = name;
            /** @type {?Fix} the newest public position */
            this.fix = null;
            /** When the newest record of a private time was made; it has no place here. @type {?object} */
            this.privately = null;
            this.trail = new odograph.Trail(trailPoints);
            /** @type {Map<string, Stay>} */
            this.stays = new Map();
            /** Newest first. @type {object[]} */
            this.fenceEvents = [];
            /** Events of the driving style, newest first. @type {Array<{uuid: ?string, at: number, driving: Driving}>} */
            this.drivingEvents = [];
            /** Changes of beacons, newest first. @type {Array<{uuid: ?string, at: number, beacon: Beacon}>} */
            this.beaconEvents = [];
            this.status = null;
            this.reported = null;
            /** What people have written about it. @type {?About} */
            this.about = null;
            /** The same as the broker has it. @type {{payload: string, sender: ?string}} */
            this.aboutDocument = { payload: '', sender: null };
            /** When it was last heard of, by this machine's clock, milliseconds. */
            this.heardAt = -Infinity;
        }

        /** Times that were not tracked, or are private: no trail leads through them. @returns {Spans} */
        get untracked() {
            if (this.#untracked === null) {
                const stays = [...this.stays.values()].filter(({ isTracked, isWithdrawn }) => isTracked === false && !isWithdrawn);
                this.#untracked = new odograph.Spans(stays.map(({ start, end, updated }) => ({ from: start, to: end ?? updated })));
            }
            return this.#untracked;
        }

        /** Begins or ends to keep a long trail. @param {boolean} isWatched whether somebody looks at the vehicle */
        watch(isWatched) {
            this.trail.resize(isWatched ? longTrailPoints : trailPoints);
        }

        /** @param {Fix} fix @param {boolean} isPrivate @param {number} now @returns {boolean} whether something has changed */
        takeFix(fix, isPrivate, now) {
            if (isPrivate) {
                if (this.privately !== null && !isNewer(fix, this.privately, now)) return false;
                const { at, epoch, seq, isMoving, odometer, odometerError, battery } = fix;
                this.privately = { at, epoch, seq, isMoving, odometer, odometerError, battery };
                return true;
            }
            if (fix.event === 'driving' && fix.driving !== null) this.#takeDrivingEvent(fix);
            if (fix.event === 'beacon' && fix.beacon !== null) this.#takeBeaconEvent(fix);
            const { x, y } = odograph.mercator.project(fix.latitude, fix.longitude);
            const isOnTrail = this.trail.add(fix.at, x, y);
            const moves = this.fix === null || isNewer(fix, this.fix, now);
            if (moves) this.fix = { ...fix, x, y };
            return moves || isOnTrail;
        }

        #takeDrivingEvent({ uuid, at, driving }) {
            if (this.drivingEvents.some((event) => event.uuid === uuid && event.driving.startedAt === driving.startedAt)) return;
            this.drivingEvents.push({ uuid, at: driving.startedAt ?? at, driving });
            this.drivingEvents.sort((one, other) => other.at - one.at);
            this.drivingEvents.length = Math.min(this.drivingEvents.length, mostDrivingEvents);
        }

        #takeBeaconEvent({ uuid, at, beacon }) {
            const isKnown = this.beaconEvents.some((event) => event.uuid === uuid && event.at === at
                && event.beacon.identifier === beacon.identifier);
            if (isKnown) return;
            this.beaconEvents.push({ uuid, at, beacon });
            this.beaconEvents.sort((one, other) => other.at - one.at);
            this.beaconEvents.length = Math.min(this.beaconEvents.length, mostBeaconEvents);
        }

        /** @param {Fix} fix of a geofence event @returns {boolean} whether it is one that was not known */
        takeFenceEvent(fix) {
            const { uuid, at, geofence } = fix;
            const isKnown = this.fenceEvents.some((event) => event.uuid === uuid && event.at === at);
            if (geofence === null || isKnown) return false;
            const occurredAt = geofence.occurredAt ?? at;
            this.fenceEvents.push({ uuid, at, occurredAt, geofence });
            this.fenceEvents.sort((one, other) => other.occurredAt - one.occurredAt);
            this.fenceEvents.length = Math.min(this.fenceEvents.length, mostFenceEvents);
            return true;
        }

        /**
         * The timeline's whole rule: an unknown event is inserted, a known one replaced when the update is newer.
         * @param {Stay} stay @returns {boolean} whether something has changed
         */
        takeStay(stay) {
            const known = this.stays.get(stay.id);
            if (known !== undefined && known.updated >= stay.updated) return false;
            this.stays.set(stay.id, stay);
            this.#untracked = null;
            if (this.stays.size > mostStays) {
                const oldest = [...this.stays.values()].reduce((one, other) => (other.start < one.start ? other : one));
                this.stays.delete(oldest.id);
            }
            return true;
        }

        /** @param {object} status @returns {boolean} whether it is not a late word of an earlier connection */
        takeStatus(status) {
            const known = this.status;
            // Only a last will comes late. The numbers begin again after a loss of the disk.
            const isLate = known !== null && !status.isOnline && known.connection !== null && status.connection !== null
                && status.connection < known.connection;
            if (isLate) return false;
            this.status = status;
            return true;
        }

        /** @param {object} reported @param {number} now @returns {boolean} whether something has changed */
        takeReported(reported, now) {
            const before = this.reported;
            if (before !== null && reported.at < before.at && before.at <= now + mostLead) return false;
            const isSame = before !== null && before.configurationHash === reported.configurationHash;
            const configuration = reported.configuration ?? (isSame ? before.configuration : null);
            this.reported = { ...reported, configuration };
            return true;
        }
    }

    odograph.Vehicle = Vehicle;
})(globalThis.odograph ??= {});
