(function (odograph) {
    'use strict';

    const { parse, readLocation, readTimeline, readStatus, readReported } = odograph.records;

    const readers = new Map([
        ['location', readLocation], ['geofence', readLocation], ['timeline', readTimeline], ['status', readStatus],
        ['reported', readReported],
    ]);

    /** Announcements that wait for whoever makes them. */
    const mostNews = 20;

    /**
     * All that the page knows: messages go in, in any order and any number of times.
     */
    class Fleet {
        /** @param {Settings} settings */
        constructor(settings) {
            this.settings = settings;
            /** @type {Map<string, Vehicle>} by `fleet/name` */
            this.vehicles = new Map();
            this.fleetNames = new Set();
            this.fences = new odograph.geofences.FenceSets();
            /** Configuration documents by `fleet/level`: their hashes. @type {Map<string, string>} */
            this.documents = new Map();
            /** Vehicles that have changed since somebody last looked. @type {Set<Vehicle>} */
            this.changed = new Set();
            this.fencesVersion = 0;
            this.documentsVersion = 0;
            /** What to announce: live geofence events. @type {Array<{vehicle: Vehicle, geofence: object}>} */
            this.news = [];
            this.counters = { messages: 0, unreadable: 0 };
        }

        /**
         * @param {Vehicle} vehicle
         * @returns {string} its name, with its fleet's where there are several: two of them may have the same
         */
        nameOf(vehicle) {
            return this.fleetNames.size > 1 ? vehicle.key : vehicle.name;
        }

        /**
         * @param {string} topic
         * @param {string} payload
         * @param {{now: number, isRetained: boolean, sender?: ?string}} circumstances this machine's time, milliseconds,
         *     whether the broker had kept the message for whoever comes later, and who a document is from
         */
        receive(topic, payload, { now, isRetained, sender = null }) {
            const address = odograph.topics.parseTopic(topic, this.settings.root);
            if (address === null) return;
            this.counters.messages += 1;
            const isRead = address.channel === 'about' ? this.#receiveAbout(address, payload, sender)
                : address.channel === 'config' || address.channel === 'geofences' ? this.#receiveDown(address, payload, sender)
                    : payload === '' ? this.#forget(address) : this.#receiveUp(address, payload, { now, isRetained });
            if (!isRead) this.counters.unreadable += 1;
        }

        /** Who removes a retired vehicle from the broker removes its status last. What it says after that makes it known anew. */
        #forget({ fleet, name, channel }) {
            const vehicle = this.vehicles.get(`${fleet}/${name}`);
            if (channel !== 'status' || vehicle === undefined) return true;
            this.vehicles.delete(vehicle.key);
            this.fleetNames = new Set([...this.vehicles.values()].map((one) => one.fleet));
            this.changed.add(vehicle);
            return true;
        }

        #receiveDown(address, payload, sender) {
            if (address.channel === 'geofences') {
                this.fencesVersion += 1;
                return this.fences.receive(address, payload, sender);
            }
            const key = `${address.fleet}/${address.name}`;
            if (payload === '') this.documents.delete(key);
            else this.documents.set(key, odograph.sha256(payload));
            this.documentsVersion += 1;
            return true;
        }

        /** What people have written about a vehicle. It is no word of the vehicle: its silence goes on. */
        #receiveAbout(address, payload, sender) {
            const about = odograph.about.readAbout(payload);
            if (about === null) return false;
            if (payload === '' && !this.vehicles.has(`${address.fleet}/${address.name}`)) return true;
            const vehicle = this.#vehicle(address);
            Object.assign(vehicle, { about, aboutDocument: { payload, sender } });
            this.changed.add(vehicle);
            return true;
        }

        #receiveUp(address, payload, { now, isRetained }) {
            const message = parse(payload);
            if (message === null) return false;
            const record = readers.get(address.channel)?.(message) ?? null;
            if (record === null) return odograph.records.isObject(message.location) && message.location.sample === true;
            const vehicle = this.#vehicle(address);
            const isLive = !isRetained && !address.isBacklog;
            if (this.#apply(vehicle, address.channel, record, { now, isLive })) this.changed.add(vehicle);
            const heardAt = isRetained ? Math.min(record.at ?? record.updated ?? -Infinity, now) : now;
            // A last will is not the vehicle's own word.
            if (!(address.channel === 'status' && !record.isOnline)) {
                vehicle.heardAt = Math.max(vehicle.heardAt, heardAt);
            }
            return true;
        }

        #apply(vehicle, channel, record, { now, isLive }) {
            switch (channel) {
                case 'location': return vehicle.takeFix(record, this.#isPrivate(record), now);
                case 'geofence': return this.#applyFenceEvent(vehicle, record, { now, isLive });
                case 'timeline': return vehicle.takeStay({ ...record, isTracked: this.#isTracked(record) });
                case 'status': return vehicle.takeStatus(record);
                default: return vehicle.takeReported(record, now);
            }
        }

        #applyFenceEvent(vehicle, fix, { now, isLive }) {
            const isPrivate = this.#isPrivate(fix);
            const hasMoved = vehicle.takeFix(fix, isPrivate, now);
            if (isPrivate || !vehicle.takeFenceEvent(fix)) return hasMoved;
            if (isLive && this.news.length < mostNews) this.news.push({ vehicle, geofence: fix.geofence });
            return true;
        }

        #isPrivate(record) {
            return record.tag !== null && this.settings.privateTags.includes(record.tag);
        }

        /** Whether the vehicle's way is known in the time of a stop or trip, and may be shown. */
        #isTracked(stay) {
            return stay.type !== 'OFF_THE_GRID' && !odograph.day.isPrivateStay(stay, this.settings.privateTags, false);
        }

        #vehicle({ fleet, name }) {
            const key = `${fleet}/${name}`;
            let vehicle = this.vehicles.get(key);
            if (vehicle === undefined) {
                vehicle = new odograph.Vehicle(fleet, name);
                this.vehicles.set(key, vehicle);
                this.fleetNames.add(fleet);
            }
            return vehicle;
        }
    }

    odograph.Fleet = Fleet;
})(globalThis.odograph ??= {});
