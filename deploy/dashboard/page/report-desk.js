(function (odograph) {
    'use strict';

    const { byID, set, save } = odograph.dom;
    const { report } = odograph;

    /** A recorder that is asked too often is asked again after this time, milliseconds. */
    const restMilliseconds = 5000;
    /** So often at most, one after the other: two minutes of a recorder's limit. */
    const mostRests = 30;
    /** Positions around the end of the last trip that are read. */
    const mostPositions = 1000;
    const iso = (at) => new Date(at).toISOString();
    const all = 'all';
    const noAnswer = 'no recorder has answered';
    /** The clock of a vehicle's days: that of the recorder, also where the vehicle has stated no zone. */
    const clockOfDays = (vehicle) => odograph.clock.clockOf(odograph.zoneOf(vehicle) ?? 'UTC');

    /** Reports put together: which vehicles, what the recorders tell, and the table. */
    class ReportDesk {
        /** What the report that is being made knows; null: there is none. @type {?{company: Map<string, Set<string>>, silent: Set<string>}} */
        #run = null;
        #table = null;

        /** @param {{fleet: Fleet, settings: Settings, ask: (fleet: string, request: object, company: Map) => Promise<object>, onClose: () => void}} parts */
        constructor(parts) {
            Object.assign(this, parts);
            this.box = byID('reports');
            this.button = byID('reports-button');
            this.sheet = new odograph.ReportSheet(this.box, {
                onClose: () => this.close(), onRun: (wish) => this.#make(wish), onStop: () => this.#stop(), onSave: () => this.#save(),
            });
        }

        get isOpen() {
            return !this.box.hidden;
        }

        /** @param {?Vehicle} vehicle that is open @param {string} group that the list is narrowed to; empty: none */
        open(vehicle, group) {
            const vehicles = this.#sorted();
            const options = [{ value: all, words: 'All vehicles' },
                ...odograph.roster.groupNames(vehicles).map((name) => ({ value: `group:${name}`, words: `Group ${name}` })),
                ...vehicles.map((one) => ({ value: one.key, words: [this.fleet.nameOf(one), one.about?.plate].filter(Boolean).join(', ') }))];
            set(document.body, 'data-report', '');
            set(this.button, 'aria-expanded', 'true');
            this.sheet.open(options, vehicle?.key ?? (group === '' ? all : `group:${group}`), odograph.clock.clockOf(null).date(Date.now()));
        }

        close() {
            if (!this.isOpen) return;
            this.#stop();
            this.box.hidden = true;
            set(document.body, 'data-report', null);
            set(this.button, 'aria-expanded', 'false');
            this.onClose();
        }

        #stop() {
            this.#run = null;
            this.sheet.tell('');
        }

        #sorted() {
            return [...this.fleet.vehicles.values()].sort((one, other) => odograph.roster.byName(this.fleet.nameOf(one), this.fleet.nameOf(other)));
        }

        #vehiclesOf(of) {
            const vehicles = this.#sorted();
            if (of === all) return vehicles;
            if (!of.startsWith('group:')) return vehicles.filter(({ key }) => key === of);
            return vehicles.filter(({ reported }) => reported?.groups.includes(of.slice(6)));
        }

        async #make({ kind, of, value, hasOdometer }) {
            const period = report.periodOf(value);
            const vehicles = this.#vehiclesOf(of);
            if (period === null || vehicles.length === 0) {
                this.sheet.tell('There is no such vehicle or day.', { isBad: true });
                return;
            }
            const run = { company: new Map(), silent: new Set() };
            this.#run = run;
            this.sheet.show(null);
            const answers = [];
            for (const vehicle of vehicles) {
                this.sheet.tell(`Asking the recorder: vehicle ${answers.length + 1} of ${vehicles.length}, ${vehicle.name}`, { isBusy: true });
                const answer = await (kind === 'distances' ? this.#distances(vehicle, period, hasOdometer) : this.#timeline(vehicle, period));
                if (run !== this.#run) return;
                answers.push({ vehicle, name: this.fleet.nameOf(vehicle), clock: clockOfDays(vehicle), ...answer });
            }
            if (answers.every(({ error }) => error === noAnswer)) {
                this.sheet.tell('No recorder has answered. A recorder answers if its file sets history.answer.', { isBad: true });
                return;
            }
            this.#show(this.#tableOf(kind, answers, hasOdometer), { kind, of, period, answers });
        }

        /**
         * Asks, and again if the recorder is asked too often. A fleet without a recorder is asked once.
         * @returns {Promise<object[]>} a vehicle that the recorder does not know has no rows
         * @throws {Error} why there is no answer
         */
        async #rows({ fleet, name }, request) {
            const run = this.#run;
            for (let count = 0; count < mostRests && run !== null && !run.silent.has(fleet); count += 1) {
                const { rows, error, code } = await this.ask(fleet, { device: name, ...request }, run.company);
                if (rows !== null) return rows;
                if (code === 'unknown_device') return [];
                if (error === null) run.silent.add(fleet);
                else if (code !== 'too_many') throw new Error(error);
                else await new Promise((resolve) => { setTimeout(resolve, restMilliseconds); });
            }
            throw new Error(run === null || run.silent.has(fleet) ? noAnswer : 'the recorder is asked too often');
        }

        /** The rows of an interval, as far as it is not in the future. */
        async #between(vehicle, { from, to }, request) {
            const end = Math.min(to, Date.now() + 60000);
            return from < end ? this.#rows(vehicle, { ...request, from: iso(from), to: iso(end) }) : [];
        }

        /** @returns {Promise<{days: object[], first: ?object, last: ?object, error: ?string, readingError: ?string}>} */
        async #distances(vehicle, { first, last }, hasOdometer) {
            return this.#guarded(async () => {
                const rows = await this.#rows(vehicle, { kind: 'days', first_day: first, last_day: last });
                const days = rows.map(report.readDay);
                if (!hasOdometer) return { days };
                // Without a reading there are still the distances.
                const { error: readingError, ...readings } = await this.#guarded(() => this.#readings(vehicle, { first, last }, days), {});
                return { days, ...readings, readingError };
            }, { days: [] });
        }

        /** The odometer at the first position of the period, and at the end of its last trip. */
        async #readings(vehicle, period, days) {
            if (report.sumOf(days).knownDays === 0) return { first: null, last: null };
            const bounds = report.boundsOf(period, clockOfDays(vehicle));
            const first = report.readingOf(await this.#between(vehicle, bounds, { kind: 'track', limit: 1 }), false);
            const closing = report.closingOf(days, bounds, Date.now());
            if (closing === null) return { first, last: first };
            return { first, last: report.readingOf(await this.#between(vehicle, closing, { kind: 'track', limit: mostPositions }), true) };
        }

        async #timeline(vehicle, period) {
            return this.#guarded(async () => {
                const { from, to } = report.boundsOf(period, clockOfDays(vehicle));
                const rows = await this.#between(vehicle, { from, to }, { kind: 'timeline' });
                const stays = rows.map((row) => odograph.records.readTimeline({ timeline_event: row })).filter((stay) => stay !== null);
                // What the vehicle did after the period tells that what is open in it does not last.
                const later = [...vehicle.stays.values()].filter(({ start }) => start >= to);
                return { timeline: odograph.day.timelineOf([...stays, ...later], {
                    date: period.first, start: from, end: to, now: Date.now(), isOnline: odograph.knowledge.isOnline(vehicle),
                    privateTags: this.settings.privateTags, isPrivateNow: false,
                }) };
            }, { timeline: { parts: [], start: 0 } });
        }

        /** What a recorder refuses for one vehicle does not end the report: it says which vehicle has no answer. */
        async #guarded(act, nothing) {
            try {
                return await act();
            } catch (error) {
                return { ...nothing, error: error.message };
            }
        }

        #tableOf(kind, answers, hasOdometer) {
            const plated = answers.map(({ vehicle, name, timeline }) => ({ timeline, name: vehicle.about?.plate ? `${name} (${vehicle.about.plate})` : name }));
            if (kind === 'drivers') return report.driverTable(report.driversOf(plated));
            if (kind === 'places') return report.placeTable(report.placesOf(plated));
            const [only] = answers;
            if (answers.length === 1 && only.days.length > 1) {
                const rows = only.days.map((sum) => ({ name: sum.day, clock: only.clock, sum }));
                return report.distanceTable(rows, { isByDay: true, hasOdometer: false });
            }
            const rows = answers.map(({ vehicle, name, clock, days, first, last }) => (
                { name, about: vehicle.about, clock, sum: report.sumOf(days), first: first ?? null, last: last ?? null }));
            return report.distanceTable(rows, { isByDay: false, hasOdometer });
        }

        #show(table, { kind, of, period, answers }) {
            const { words } = report.kinds.find(({ id }) => id === kind);
            const whose = of === all ? 'all vehicles' : of.startsWith('group:') ? `group ${of.slice(6)}` : answers[0].name;
            const notes = [`Made on ${odograph.format.dayOfYear(Date.now())}, ${odograph.format.shortTime(Date.now())}.`];
            const [only] = answers;
            const aboutWords = odograph.about.words(only.vehicle.about);
            if (answers.length === 1 && aboutWords !== '') notes.unshift(`${aboutWords}.`);
            if (kind === 'distances' && answers.length === 1 && only.days.length > 1 && only.first && only.last) {
                notes.push(`Odometer ${odograph.format.distance(only.first.meters)} at first, ${odograph.format.distance(only.last.meters)} at last.`);
            }
            if (kind === 'places') notes.push('The time of the stops in geofences; driving through them does not count.');
            const lacking = (key) => answers.filter((one) => one[key]).map((one) => `${one.name} (${one[key]})`).join(', ');
            if (lacking('error') !== '') notes.push(`Without ${lacking('error')}.`);
            if (lacking('readingError') !== '') notes.push(`Without the odometer of ${lacking('readingError')}.`);
            this.#table = { title: `${words}: ${whose}, ${period.words}`, subtitle: notes.join(' '), ...table };
            this.sheet.tell(table.rows.length === 0 ? 'The recorder knows nothing of it.' : '');
            this.sheet.show(this.#table);
        }

        #save() {
            save(`${this.#table.title.replace(/[^A-Za-z0-9]+/g, '-')}.csv`, 'text/csv', odograph.exports.tableCSV(this.#table));
        }
    }

    odograph.ReportDesk = ReportDesk;
})(globalThis.odograph ??= {});
