(function (odograph) {
    'use strict';

    const { say, set, byID } = odograph.dom;

    /** Milliseconds of a frame that reading messages may take; the rest is for drawing. */
    const readingMilliseconds = 8;
    /** With more vehicles, frames are fewer, milliseconds apart, and read more messages each. */
    const manyVehicles = 200;
    const restMilliseconds = 200;
    const longReadingMilliseconds = 60;
    /** Messages that may wait to be read; more are read at once, so that memory stays bounded. */
    const mostWaiting = 20000;
    /** The list and the panel are renewed so often at most, milliseconds: faster nobody reads. */
    const wordsMilliseconds = 500;
    /** What is drawn is looked at anew so often where no message comes: ages grow, and silence begins. */
    const idleMilliseconds = 1000;

    /** The page put together: messages come in, and once a frame at most what they changed is shown. */
    class Desk {
        #inbox = [];
        /** The end of the batches that are being read. */
        #batches = Promise.resolve();
        #read = 0;
        #frame = null;
        #timer = null;
        #wordsAt = -Infinity;
        #seenFences = '';
        #entries = [];
        #fenceNames = new Map();
        #wasChanged = true;
        /** Whether the map still has to show the day that was chosen; the number of its points that it shows. */
        #isFitting = false;
        #fitted = 0;
        /** The vehicle that the address names and that is not known yet, and its day. @type {?{key: string, date: ?string}} */
        wanted = null;
        /** Whether somebody wants to see geofences, and there is no fleet yet. */
        #lacksFleet = false;

        /** @param {Settings} settings */
        constructor(settings) {
            this.settings = settings;
            this.fleet = new odograph.Fleet(settings);
            this.selected = null;
            /** The day that the panel shows, as `2026-11-21` of the vehicle's zone; null: today. @type {?string} */
            this.date = null;
            this.isFollowing = false;
            this.theme = new odograph.Theme(() => this.map.recolor());
            this.map = new odograph.FleetMap(byID('map'), settings, this.theme, {
                onSelect: (vehicle) => this.select(vehicle, false),
                onUserMove: () => this.#follow(false),
                onUserTouch: () => { this.#isFitting = false; },
            });
            if (settings.background !== null) this.map.loadBackground(settings.background, () => this.#renew());
            this.list = new odograph.VehicleList(byID('list'), byID('search'), (vehicle, isByKey) => this.select(vehicle, isByKey));
            this.filters = new odograph.Filters(() => this.#renew());
            this.legend = new odograph.Legend();
            this.ask = new odograph.Ask();
            this.alerts = new odograph.AlertDesk({
                onSelect: (alert) => this.#openAlert(alert), onChange: () => this.#renew(),
                ask: (fleet, request) => this.past.rows(fleet, request), confirm: (question) => this.ask.ask(question),
            });
            this.reports = new odograph.ReportDesk({
                fleet: this.fleet, settings, ask: (...question) => this.past.rows(...question), onClose: () => byID('reports-button').focus(),
            });
            this.panel = new odograph.Panel(byID('panel'), {
                onClose: () => this.select(null, true),
                onDay: (step) => this.#turnDay(step),
                onDate: (date) => this.#showDate(date),
                onRetry: () => this.#askAgain(),
                onShow: (part) => this.#showPart(part),
                onAction: (id) => this.#act(id),
                onAbout: (vehicle, before, about) => this.about.save(vehicle, before, about),
            });
            this.playback = new odograph.Playback(this.map);
            this.picker = new odograph.PlacePicker(this.map);
            this.about = new odograph.AboutDesk({ root: settings.root, ask: this.ask, link: () => this.link });
            this.geofences = new odograph.GeofenceDesk({
                fleet: this.fleet, map: this.map, picker: this.picker, ask: this.ask, link: () => this.link,
                onChange: () => this.#renew(), onClose: () => byID('geofences-button').focus(),
            });
            this.nearest = new odograph.NearestDesk({
                map: this.map, picker: this.picker, onSelect: (vehicle) => this.select(vehicle, true), onChange: () => this.#renew(),
                onClose: () => byID('nearest-button').focus(),
            });
            this.#listen();
        }

        #listen() {
            byID('show-all').addEventListener('click', () => {
                this.#follow(false);
                this.map.showAll();
            });
            byID('follow').addEventListener('click', () => this.#follow(!this.isFollowing));
            byID('reports-button').addEventListener('click', () => {
                if (this.reports.isOpen) this.reports.close();
                else this.reports.open(this.selected, this.filters.wish.group);
            });
            byID('nearest-button').addEventListener('click', () => this.#toggleNearest());
            byID('geofences-button').addEventListener('click', () => this.#toggleGeofences());
            new ResizeObserver(() => this.map.resize()).observe(byID('map'));
            document.addEventListener('keydown', (event) => this.#key(event));
            document.addEventListener('visibilitychange', () => this.#wake());
            setInterval(() => {
                this.#wasChanged = true;
                this.#wake();
            }, idleMilliseconds);
        }

        /** @param {Link} link the connection that questions go through */
        attach(link) {
            this.link = link;
            this.past = new odograph.Past(this.settings, link, () => this.#renew());
        }

        /** A session with the broker begins. @param {boolean} isResumed whether the broker has kept the former one */
        listen(isResumed) {
            this.alerts.settle(Date.now());
            this.geofences.forgetRights();
            if (!isResumed) this.past.forgetAnswers();
            this.#renew();
        }

        /**
         * @param {string} topic @param {string | Uint8Array} payload bytes for a batch @param {boolean} isRetained
         * @param {?string} sender who a document is from, as it calls itself
         */
        receive(topic, payload, isRetained, sender) {
            if (typeof payload === 'string') this.#enqueue(topic, payload, isRetained, sender);
            else this.#receiveBatch(topic, payload);
        }

        /** Reads the records of a batch as messages of their own; one batch after the other, so that memory is bounded. */
        #receiveBatch(topic, bytes) {
            this.#batches = this.#batches.then(async () => {
                try {
                    for (const { channel, payload } of await odograph.batches.decode(bytes)) {
                        this.#enqueue(topic.replace(/batch$/, `${channel}/backlog`), payload, false);
                    }
                } catch {
                    this.fleet.counters.unreadable += 1;
                }
            });
        }

        #enqueue(topic, payload, isRetained, sender = null) {
            this.#inbox.push({ topic, payload, isRetained, sender, now: Date.now() });
            // A page that nobody sees gets no frames.
            if (document.hidden || this.#inbox.length - this.#read > mostWaiting) this.#readInbox(Infinity);
            this.#wakeSoon();
        }

        /**
         * @param {?Vehicle} vehicle null: none @param {boolean} isByKey whether the focus goes with it
         * @param {boolean} isStep whether the browser's Back closes a vehicle that is opened
         */
        select(vehicle, isByKey, isStep = true) {
            const isOther = vehicle !== this.selected;
            const isOpened = this.selected === null && vehicle !== null;
            this.wanted = null;
            if (isOther) {
                this.selected?.watch(false);
                vehicle?.watch(true);
            }
            this.selected = vehicle;
            byID('panel').hidden = vehicle === null;
            byID('follow').hidden = vehicle === null;
            this.#showSide();
            if (isOther) this.date = null;
            this.#writeAddress(isOpened && isStep);
            if (isOther) {
                this.#isFitting = false;
                this.#follow(false);
                byID('panel').scrollTop = 0;
                // The long trail of an earlier look is gone.
                if (vehicle !== null) this.past.dayOf(vehicle, this.#day(Date.now())).wayAsked.reopen();
            }
            this.map.resize();
            if (vehicle?.fix && isOther && !this.#isPrivate(vehicle)) this.map.approach(vehicle.fix);
            this.#renew();
            if (isByKey) (vehicle === null ? byID('list') : byID('panel')).focus();
        }

        /** Keeps in the address what is open. @param {boolean} isStep whether Back leads to what was open before */
        #writeAddress(isStep = false) {
            const fragment = this.selected === null ? '' : odograph.fragment.write(this.selected.key, this.date);
            if (fragment === location.hash) return;
            history[isStep ? 'pushState' : 'replaceState'](null, '', location.pathname + location.search + fragment);
        }

        /** The side of the page belongs to the open vehicle, else to the geofences. */
        #showSide() {
            const isOpen = this.selected !== null || this.geofences.isOpen || this.nearest.isOpen;
            if (isOpen === document.body.hasAttribute('data-panel')) return;
            set(document.body, 'data-panel', isOpen ? '' : null);
            this.map.resize();
        }

        /** Opens the vehicles nearest to the open one, or to the middle of the map. */
        async #toggleNearest() {
            if (this.nearest.isOpen && this.selected === null) {
                this.nearest.close();
                return;
            }
            const { selected } = this;
            if (this.geofences.isOpen && !await this.geofences.close()) return;
            if (selected !== null) this.select(null, false);
            this.nearest.open(selected !== null && !this.#isPrivate(selected) ? selected : null);
        }

        /** Opens the geofences of the open vehicle, or of all. */
        #toggleGeofences() {
            if (this.geofences.isOpen && this.selected === null) {
                this.geofences.close();
                return;
            }
            const { selected } = this;
            if (selected !== null) this.select(null, false);
            if (this.geofences.isOpen) return;
            this.nearest.close();
            const fleetName = selected?.fleet ?? [...this.fleet.fleetNames][0] ?? this.settings.fleet;
            this.#lacksFleet = fleetName === '+';
            if (this.#lacksFleet) this.#renew();
            else this.geofences.open(fleetName, selected?.name ?? 'all');
        }

        /** Shows the vehicle that the address names, as soon as it is known. @param {{key: string, date: ?string}} wanted */
        open(wanted) {
            if (wanted.key === '' && this.selected !== null) this.select(null, false);
            this.wanted = wanted.key === '' ? null : wanted;
            this.#openWanted();
        }

        #openWanted() {
            const { wanted } = this;
            const vehicle = wanted === null ? undefined : this.fleet.vehicles.get(wanted.key);
            if (vehicle === undefined) return;
            this.wanted = null;
            if (vehicle !== this.selected) this.select(vehicle, false, false);
            const date = wanted.date ?? odograph.clock.clockOf(odograph.zoneOf(vehicle)).date(Date.now());
            if (date !== this.#day(Date.now()).date) this.#showDate(date);
        }

        /** A vehicle that was removed from the broker has no panel. */
        #keepSelected() {
            const known = this.selected === null ? null : this.fleet.vehicles.get(this.selected.key) ?? null;
            if (known !== this.selected) this.select(known, false);
        }

        #isPrivate(vehicle) {
            return this.#conditionOf(vehicle, Date.now()).isPrivate;
        }

        /** @returns {{date: string, start: number, end: number}} the day that the panel shows */
        #day(now) {
            const clock = odograph.clock.clockOf(odograph.zoneOf(this.selected));
            return this.date === null ? clock.dayOf(now) : clock.dayOfDate(this.date);
        }

        #turnDay(step) {
            this.#showDate(odograph.clock.shifted(this.#day(Date.now()).date, step));
        }

        #showDate(date) {
            // A year that is half typed.
            if (!odograph.clock.isDate(date)) return;
            const today = odograph.clock.clockOf(odograph.zoneOf(this.selected)).date(Date.now());
            this.date = date < today ? date : null;
            this.#follow(false);
            [this.#isFitting, this.#fitted] = [true, 0];
            this.#writeAddress();
            this.#renew();
        }

        /** Opens the vehicle of an alert on the day of the alert. A certificate has no day: nothing has happened yet. */
        #openAlert({ vehicle, at, kind }) {
            this.select(vehicle, true);
            const clock = odograph.clock.clockOf(odograph.zoneOf(vehicle));
            const date = clock.date(kind === 'certificate' ? Date.now() : at);
            if (date !== this.#day(Date.now()).date) this.#showDate(date);
        }

        /** Shows a stop or trip; a playback that is open goes to its beginning. */
        #showPart(part) {
            this.#follow(false);
            this.map.revealAll(part.place === null ? part.waypoints : [part.place]);
            if (this.playback.past !== null) this.playback.seek(part.start);
        }

        /** Plays or saves the day of the panel, or asks for its geofence events. @param {'play' | 'gpx' | 'csv' | 'trips' | 'events'} id */
        async #act(id) {
            const [vehicle, now] = [this.selected, Date.now()];
            const past = this.past.dayOf(vehicle, this.#day(now));
            const { parts } = this.#timelineOf(past, now);
            const file = `${vehicle.name.replace(/[^A-Za-z0-9_-]/g, '_')}-${past.day.date}`;
            if (id === 'trips') {
                odograph.dom.save(`${file}-trips.csv`, 'text/csv', odograph.exports.timelineCSV(parts, vehicle));
                return;
            }
            const rows = await this.past.track(past, now);
            if (id === 'events') {
                this.#renew();
                return;
            }
            const track = rows === null ? odograph.track.trackOfParts(parts) : odograph.track.trackOfRows(rows, parts);
            const isStillShown = this.selected === vehicle && this.#day(Date.now()).date === past.day.date;
            if (track.points.length === 0) say(byID('news'), 'There is no position of this day.');
            else if (id === 'gpx') odograph.dom.save(`${file}.gpx`, 'application/gpx+xml', odograph.exports.gpx(track, vehicle));
            else if (id === 'csv') odograph.dom.save(`${file}.csv`, 'text/csv', odograph.exports.positionsCSV(track, vehicle));
            else if (isStillShown) this.#play(past, track);
            this.#renew();
        }

        #play(past, track) {
            this.#follow(false);
            this.playback.open(past, track, odograph.clock.clockOf(odograph.zoneOf(past.vehicle)));
        }

        #timelineOf(past, now) {
            return odograph.day.timelineOf(past.all(), {
                ...past.day, now, isOnline: odograph.knowledge.isOnline(past.vehicle), privateTags: this.settings.privateTags,
                isPrivateNow: this.#conditionOf(past.vehicle, now).isPrivate,
            });
        }

        #askAgain() {
            this.past.retry(this.past.dayOf(this.selected, this.#day(Date.now())));
            this.#renew();
        }

        #follow(isFollowing) {
            this.isFollowing = isFollowing;
            set(byID('follow'), 'aria-pressed', isFollowing);
            this.#wake();
        }

        /** Closes what lies above the rest: the legend, the alerts, else the panel. */
        #close() {
            if (this.legend.isShown) this.legend.show(false);
            else if (this.alerts.isShown) this.alerts.toggle(true);
            else if (this.reports.isOpen) this.reports.close();
            else if (this.geofences.cancel()) byID('editor').focus();
            else if (this.selected !== null) this.select(null, true);
            else if (this.nearest.isOpen) this.nearest.close();
            else this.geofences.close();
        }

        #key(event) {
            if (event.key === 'Escape' && document.querySelector('dialog[open]') === null) {
                // Else the key would also close the question that it leads to.
                event.preventDefault();
                this.#close();
            }
            if (event.key === '/' && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')) {
                event.preventDefault();
                byID('search').focus();
            }
        }

        /** Shows at once what the user has asked for. */
        #renew() {
            this.#wordsAt = -Infinity;
            this.#wasChanged = true;
            this.#wake();
        }

        /** Draws with the next frame. */
        #wake() {
            clearTimeout(this.#timer);
            this.#timer = null;
            this.#frame ??= requestAnimationFrame((time) => {
                this.#frame = null;
                this.#draw(time);
            });
        }

        /** Draws soon: at once with few vehicles; with many, a frame has so much to draw that there are fewer. */
        #wakeSoon() {
            if (this.fleet.vehicles.size <= manyVehicles) this.#wake();
            else if (this.#frame === null) this.#timer ??= setTimeout(() => this.#wake(), restMilliseconds);
        }

        #draw(time) {
            const isMany = this.fleet.vehicles.size > manyVehicles;
            this.#readInbox(performance.now() + (isMany ? longReadingMilliseconds : readingMilliseconds));
            if (this.fleet.changed.size > 0) {
                this.#wasChanged = true;
                this.map.invalidate();
            }
            this.fleet.changed.clear();
            let isWaiting = this.#inbox.length > 0;
            if (this.#wasChanged && time - this.#wordsAt >= wordsMilliseconds) {
                this.#wordsAt = time;
                this.#wasChanged = false;
                this.#showWords(Date.now());
            } else if (this.#wasChanged) {
                isWaiting = true;
            }
            if (this.isFollowing && this.selected?.fix && !this.#isPrivate(this.selected)) this.map.reveal(this.selected.fix);
            if (this.map.frame(time) || isWaiting) this.#wakeSoon();
        }

        #readInbox(until) {
            let index = this.#read;
            const { length } = this.#inbox;
            for (; index < length; index += 1) {
                const { topic, payload, isRetained, sender, now } = this.#inbox[index];
                this.fleet.receive(topic, payload, { now, isRetained, sender });
                // The clock is asked once in a while: asking costs as much as reading a small message.
                if ((index & 15) === 15 && performance.now() > until) break;
            }
            this.#read = index + 1;
            if (this.#read >= this.#inbox.length) {
                this.#inbox = [];
                this.#read = 0;
            }
        }

        #conditionOf(vehicle, now) {
            return odograph.condition.conditionOf(vehicle, {
                now, documents: this.fleet.documents, lowBattery: this.settings.lowBattery, privateTags: this.settings.privateTags,
            });
        }

        #showWords(now) {
            const { fleet } = this;
            this.#openWanted();
            this.#keepSelected();
            this.#entries = [...fleet.vehicles.values()].map((vehicle) => (
                { vehicle, name: fleet.nameOf(vehicle), condition: this.#conditionOf(vehicle, now) }));
            this.filters.showGroups(odograph.roster.groupNames(fleet.vehicles.values()));
            const { rows, counts } = odograph.roster.rosterOf(this.#entries, this.filters.wish);
            this.list.show(rows, this.selected, now, this.map.addressOf);
            this.filters.show(counts);
            this.#showEmptiness(rows.length, now);
            const trips = this.#showPanel(now);
            this.geofences.show(this.selected !== null);
            this.nearest.show(this.selected !== null, rows, now);
            this.#showSide();
            this.map.show({
                entries: this.#shownOnMap(rows), fences: this.#fences(), selected: this.selected,
                levels: this.selected === null ? null : new Set(odograph.condition.levelsOf(this.selected)), trips,
            });
            if (this.past.isOnline) this.alerts.refresh(fleet.fleetNames, now);
            this.alerts.show(this.#entries, { now, fenceNames: this.#fenceNames });
            this.map.keepAllInSight();
            this.#announce();
            const { unreadable } = fleet.counters;
            say(byID('counters'), unreadable === 0 ? '' : `${unreadable} message${unreadable === 1 ? '' : 's'} could not be read`);
        }

        /** The map shows the vehicles of the list, and the one that is open. */
        #shownOnMap(rows) {
            const isListed = this.selected === null || rows.some(({ vehicle }) => vehicle === this.selected);
            return isListed ? rows : [...rows, this.#entries.find(({ vehicle }) => vehicle === this.selected)];
        }

        #showEmptiness(shown, now) {
            const isEmpty = this.#entries.length === 0;
            const note = odograph.notesOf({
                wanted: this.wanted?.key ?? null, isSettled: this.past.isOnline && now >= this.alerts.settledAt,
                lacksFleet: this.#lacksFleet && isEmpty, vehicles: this.fleet.vehicles.values(),
            });
            byID('note').hidden = note === '';
            say(byID('note'), note);
            byID('nothing').hidden = shown > 0;
            byID('list').hidden = shown === 0;
            say(byID('nothing'), isEmpty
                ? `No messages yet. The page subscribes to ${this.settings.root}/${this.settings.fleet}/…`
                : 'No vehicle matches the filter.');
        }

        /** @returns {?Array} the selected vehicle's trips of the day, on the map's square */
        #showPanel(now) {
            if (this.selected === null) {
                this.playback.keep(null);
                return [];
            }
            const entry = this.#entries.find(({ vehicle }) => vehicle === this.selected);
            const past = this.past.dayOf(this.selected, this.#day(now));
            const details = odograph.detailsOf(entry, {
                now, past, documents: this.fleet.documents,
                privateTags: this.settings.privateTags, fenceNames: this.#fenceNames,
                addressOf: this.map.addressOf,
            });
            this.playback.keep(past);
            if (!details.timeline.knowledge.isComplete) this.past.want(past, now);
            this.#completeWay(past, details.timeline.parts, now);
            this.panel.show(details, { now, vehicle: this.selected });
            this.#fitDay(details.timeline);
            return details.timeline.parts.map(({ waypoints }) => (
                waypoints.map(({ latitude, longitude }) => odograph.mercator.project(latitude, longitude))));
        }

        /** Shows the day that was chosen as large as it goes, as far as it is known, until the user moves the map. */
        #fitDay({ parts, knowledge, asked }) {
            if (!this.#isFitting) return;
            const points = parts.flatMap(({ place, waypoints }) => (place === null ? waypoints : [place]));
            if (points.length > this.#fitted) this.map.revealAll(points);
            this.#fitted = points.length;
            if (knowledge.isComplete || asked?.canAsk) this.#isFitting = false;
        }

        /** Asks for the way of a trip that lasts: the page has heard only what followed its opening. */
        async #completeWay(past, parts, now) {
            const trip = parts.find(({ kind, end, isPrivate }) => kind === 'trip' && end === null && !isPrivate);
            if (trip === undefined) return;
            const rows = await this.past.way(past, trip.start, now);
            if (rows === null || past.vehicle !== this.selected) return;
            const { points } = odograph.track.trackOfRows(rows, this.#timelineOf(past, now).parts);
            for (const { at, x, y } of points) past.vehicle.trail.add(at, x, y);
            this.map.invalidate();
            this.#wake();
        }

        /** @returns {?Fence[]} null where they are as before */
        #fences() {
            const version = `${this.fleet.fencesVersion} ${this.geofences.version}`;
            if (version === this.#seenFences) return null;
            this.#seenFences = version;
            const fences = this.fleet.fences.all();
            this.#fenceNames = new Map(fences.map(({ id, name }) => [id, name]));
            return this.geofences.overlay(fences);
        }

        #announce() {
            const { news } = this.fleet;
            if (news.length === 0) return;
            say(byID('news'), news.map(({ vehicle, geofence: { identifier, action } }) => (
                `${this.fleet.nameOf(vehicle)} ${odograph.format.action(action)} `
                + `${this.#fenceNames.get(String(identifier)) ?? identifier}`)).join('. '));
            news.length = 0;
        }
    }

    odograph.Desk = Desk;
})(globalThis.odograph ??= {});
