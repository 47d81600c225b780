(function (odograph) {
    'use strict';

    const { say, set, byID } = odograph.dom;

    /** Milliseconds of a frame that reading messages may take; the rest is for drawing. */
    const readingMilliseconds = 8;
    /** Messages that may wait to be read; more are read at once, so that memory stays bounded. */
    const mostWaiting = 20000;
    /** The list and the panel are renewed so often at most, milliseconds: faster nobody reads. */
    const wordsMilliseconds = 500;
    /** What is drawn is looked at anew so often where no message comes: ages grow, and silence begins. */
    const idleMilliseconds = 1000;

    const decoder = new TextDecoder();

    /** The page put together: messages come in, and once a frame at most what they changed is shown. */
    class Desk {
        #inbox = [];
        #read = 0;
        #frame = null;
        #wordsAt = -Infinity;
        #seenFences = -1;
        #entries = [];
        #fenceNames = new Map();
        #wasChanged = true;

        /** @param {Settings} settings */
        constructor(settings) {
            this.settings = settings;
            this.fleet = new odograph.Fleet(settings);
            this.selected = null;
            this.dayOffset = 0;
            this.isFollowing = false;
            this.theme = new odograph.Theme(() => this.map.recolor());
            this.map = new odograph.FleetMap(byID('map'), settings, this.theme, {
                onSelect: (vehicle) => this.select(vehicle, false),
                onUserMove: () => this.#follow(false),
            });
            this.list = new odograph.VehicleList(byID('list'), (vehicle, isByKey) => this.select(vehicle, isByKey));
            this.filters = new odograph.Filters(() => this.#renew());
            this.panel = new odograph.Panel(byID('panel'), {
                onClose: () => this.select(null, true),
                onDay: (step) => this.#turnDay(step),
                onShow: (part) => this.map.revealAll(part.place === null ? part.waypoints : [part.place]),
            });
            this.#listen();
        }

        #listen() {
            byID('show-all').addEventListener('click', () => {
                this.#follow(false);
                this.map.showAll();
            });
            byID('follow').addEventListener('click', () => this.#follow(!this.isFollowing));
            new ResizeObserver(() => this.map.resize()).observe(byID('map'));
            document.addEventListener('keydown', (event) => this.#key(event));
            document.addEventListener('visibilitychange', () => this.#wake());
            setInterval(() => {
                this.#wasChanged = true;
                this.#wake();
            }, idleMilliseconds);
        }

        /** @param {string} topic @param {Uint8Array} payload @param {boolean} isRetained */
        receive(topic, payload, isRetained) {
            this.#inbox.push({ topic, payload, isRetained, now: Date.now() });
            // A page that nobody sees gets no frames.
            if (document.hidden || this.#inbox.length - this.#read > mostWaiting) this.#readInbox(Infinity);
            this.#wake();
        }

        /** @param {?Vehicle} vehicle null: none @param {boolean} isByKey whether the focus goes with it */
        select(vehicle, isByKey) {
            const isOther = vehicle !== this.selected;
            this.selected = vehicle;
            byID('panel').hidden = vehicle === null;
            byID('follow').hidden = vehicle === null;
            set(document.body, 'data-panel', vehicle === null ? null : '');
            history.replaceState(null, '', vehicle === null ? location.pathname + location.search : `#${vehicle.key}`);
            if (isOther) {
                this.dayOffset = 0;
                this.#follow(false);
                byID('panel').scrollTop = 0;
            }
            this.map.resize();
            if (vehicle?.fix && isOther) this.map.reveal(vehicle.fix);
            this.#renew();
            if (isByKey) (vehicle === null ? byID('list') : byID('panel')).focus();
        }

        #turnDay(step) {
            this.dayOffset = Math.min(0, this.dayOffset + step);
            this.#renew();
        }

        #follow(isFollowing) {
            this.isFollowing = isFollowing;
            set(byID('follow'), 'aria-pressed', isFollowing);
            this.#wake();
        }

        #key(event) {
            if (event.key === 'Escape' && this.selected !== null && !byID('sign-in').open) this.select(null, true);
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

        #wake() {
            this.#frame ??= requestAnimationFrame((time) => {
                this.#frame = null;
                this.#draw(time);
            });
        }

        #draw(time) {
            this.#readInbox(performance.now() + readingMilliseconds);
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
            if (this.isFollowing && this.selected?.fix) this.map.reveal(this.selected.fix);
            if (this.map.frame(time) || isWaiting) this.#wake();
        }

        #readInbox(until) {
            let index = this.#read;
            const { length } = this.#inbox;
            for (; index < length; index += 1) {
                const { topic, payload, isRetained, now } = this.#inbox[index];
                this.fleet.receive(topic, decoder.decode(payload), { now, isRetained });
                // The clock is asked once in a while: asking costs as much as reading a small message.
                if ((index & 15) === 15 && performance.now() > until) break;
            }
            this.#read = index + 1;
            if (this.#read >= this.#inbox.length) {
                this.#inbox = [];
                this.#read = 0;
            }
        }

        #showWords(now) {
            const { settings, fleet } = this;
            this.#entries = [...fleet.vehicles.values()].map((vehicle) => ({
                vehicle, name: fleet.nameOf(vehicle), condition: odograph.condition.conditionOf(vehicle, {
                    now, documents: fleet.documents, lowBattery: settings.lowBattery,
                }),
            }));
            const { rows, counts } = odograph.roster.rosterOf(this.#entries, this.filters.wish);
            this.list.show(rows, this.selected, now);
            this.filters.show(counts);
            this.#showEmptiness(rows.length);
            const trips = this.#showPanel(now);
            this.map.show({
                entries: this.#entries, fences: this.#fences(), selected: this.selected,
                levels: this.selected === null ? null : new Set(odograph.condition.levelsOf(this.selected)), trips,
            });
            this.map.keepAllInSight();
            this.#announce();
            const { unreadable } = fleet.counters;
            say(byID('counters'), unreadable === 0 ? '' : `${unreadable} message${unreadable === 1 ? '' : 's'} could not be read`);
        }

        #showEmptiness(shown) {
            const isEmpty = this.#entries.length === 0;
            byID('nothing').hidden = shown > 0;
            say(byID('nothing'), isEmpty
                ? `No messages yet. The page subscribes to ${this.settings.root}/${this.settings.fleet}/…`
                : 'No vehicle matches the filter.');
        }

        /** @returns {?Array} the selected vehicle's trips of the day, on the map's square */
        #showPanel(now) {
            if (this.selected === null) return [];
            const entry = this.#entries.find(({ vehicle }) => vehicle === this.selected);
            const details = odograph.detailsOf(entry, {
                now, day: odograph.day.dayOf(now, this.dayOffset), documents: this.fleet.documents,
                privateTags: this.settings.privateTags, fenceNames: this.#fenceNames,
            });
            this.panel.show(details, { now, offset: this.dayOffset });
            return details.timeline.parts.map(({ waypoints }) => (
                waypoints.map(({ latitude, longitude }) => odograph.mercator.project(latitude, longitude))));
        }

        /** @returns {?Fence[]} null where they are as before */
        #fences() {
            if (this.fleet.fencesVersion === this.#seenFences) return null;
            this.#seenFences = this.fleet.fencesVersion;
            const fences = this.fleet.fences.all();
            this.#fenceNames = new Map(fences.map(({ id, name }) => [id, name]));
            return fences;
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
