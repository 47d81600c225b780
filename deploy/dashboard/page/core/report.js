(function (odograph) {
    'use strict';

    const { known, count, most, text, time } = odograph.records;

    /** What a cell of the page shows of a note. */
    const mostCellCharacters = 60;
    /** What a report tells. */
    const kinds = Object.freeze([
        { id: 'distances', words: 'Distances' }, { id: 'drivers', words: 'Drivers' }, { id: 'places', words: 'Time in geofences' },
    ]);
    const months = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
    const days = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

    /**
     * The days of a report.
     * @param {string} value a date `2026-11-21`, or a month `2026-11`
     * @returns {?{first: string, last: string, words: string}} null: it is neither
     */
    function periodOf(value) {
        const isMonth = /^\d{4}-\d\d$/.test(value);
        const at = Date.parse(`${value}${isMonth ? '-01' : ''}T00:00:00Z`);
        if (!(isMonth || /^\d{4}-\d\d-\d\d$/.test(value)) || !Number.isFinite(at)) return null;
        const begin = new Date(at);
        const last = isMonth ? new Date(Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + 1, 0)) : begin;
        return {
            first: begin.toISOString().slice(0, 10), last: last.toISOString().slice(0, 10),
            words: (isMonth ? months : days).format(begin).replace(',', ''),
        };
    }

    /** @param {{first: string, last: string}} period @param {Clock} clock of a vehicle @returns {{from: number, to: number}} */
    function boundsOf({ first, last }, clock) {
        return { from: clock.dayOfDate(first).start, to: clock.dayOfDate(last).end };
    }

    const empty = () => ({
        trips: 0, stops: 0, distance: 0, privateDistance: 0, unseen: 0, transit: 0, firstStart: null, lastEnd: null, knownDays: 0,
    });

    /**
     * The sums of a day as a recorder tells them.
     * @param {object} row of the kind `days` @returns {object} without sums if nothing is known of the day
     */
    function readDay(row) {
        const trips = count(row.trips);
        if (trips === null) return { ...empty(), day: text(row.day) };
        return {
            day: text(row.day), trips, stops: count(row.stops) ?? 0, distance: known(row.distance_in_meters, most.meters) ?? 0,
            privateDistance: known(row.private_distance_in_meters, most.meters) ?? 0,
            unseen: known(row.unseen_distance_in_meters, most.meters) ?? 0,
            transit: (known(row.transit_duration, most.seconds) ?? 0) * 1000, firstStart: time(row.first_start), lastEnd: time(row.last_end), knownDays: 1,
        };
    }

    const least = (one, other) => (one === null ? other : other === null ? one : Math.min(one, other));
    const greatest = (one, other) => (one === null ? other : other === null ? one : Math.max(one, other));

    /** @param {object[]} sums of days or vehicles @returns {object} */
    function sumOf(sums) {
        return sums.reduce((all, one) => ({
            trips: all.trips + one.trips, stops: all.stops + one.stops, distance: all.distance + one.distance,
            privateDistance: all.privateDistance + one.privateDistance, unseen: all.unseen + one.unseen, transit: all.transit + one.transit,
            firstStart: least(all.firstStart, one.firstStart), lastEnd: greatest(all.lastEnd, one.lastEnd), knownDays: all.knownDays + one.knownDays,
        }), empty());
    }

    /** An odometer reading of a track. @returns {?{at: number, meters: number}} the first or the last of the rows that has one */
    function readingOf(rows, isLast) {
        const readings = rows.filter((row) => row.private !== true).map((row) => ({ at: time(row.timestamp), meters: known(row.odometer, most.meters) }))
            .filter(({ at, meters }) => at !== null && meters !== null).sort((one, other) => one.at - other.at);
        return readings.at(isLast ? -1 : 0) ?? null;
    }

    /** Around the end of a trip is a position, milliseconds before and after it; during a trip there is one so often. */
    const [beforeEnd, afterEnd, betweenPositions] = [60000, 300000, 300000];

    /**
     * The time in which the odometer at the end of the last trip is read; that at the end of the period, if the trip goes
     * on after it.
     * @param {object[]} days @param {{from: number, to: number}} bounds of the period @param {number} now
     * @returns {?{from: number, to: number}} null without a trip
     */
    function closingOf(days, { from, to }, now) {
        // A trip that lasts has no end: its newest position is near now.
        const isOpen = to > now && days.some(({ trips, lastEnd }) => trips > 0 && lastEnd === null);
        const end = isOpen ? now : sumOf(days).lastEnd;
        if (end === null) return null;
        return { from: Math.max(from, Math.min(end - beforeEnd, to - betweenPositions)), to: Math.min(to, end + afterEnd) };
    }

    /** The trips of a report: each counts in the period in which it begins. */
    const tripsOf = ({ parts, start }) => parts.filter(({ kind, start: begun }) => kind === 'trip' && begun >= start);

    /**
     * @param {Array<{name: string, timeline: {parts: object[], start: number}}>} vehicles
     * @returns {Array<{driver: string, trips: number, distance: number, transit: number, vehicles: string[]}>} by distance
     */
    function driversOf(vehicles) {
        const drivers = new Map();
        for (const { name, timeline } of vehicles) {
            for (const { driver, isPrivate, distance, duration } of tripsOf(timeline)) {
                const who = isPrivate ? 'Private' : driver ?? 'Without a driver';
                const sum = drivers.get(who) ?? { driver: who, trips: 0, distance: 0, transit: 0, vehicles: new Set() };
                drivers.set(who, sum);
                sum.trips += 1;
                sum.distance += distance ?? 0;
                sum.transit += duration;
                sum.vehicles.add(name);
            }
        }
        return [...drivers.values()].map((sum) => ({ ...sum, vehicles: [...sum.vehicles] })).sort((one, other) => other.distance - one.distance);
    }

    /**
     * The time that vehicles stood in geofences, within the period.
     * @param {Array<{name: string, timeline: {parts: object[]}}>} vehicles
     * @returns {Array<{place: string, stops: number, duration: number, vehicles: string[]}>} by time
     */
    function placesOf(vehicles) {
        const places = new Map();
        for (const { name, timeline } of vehicles) {
            for (const { kind, venue, from, to } of timeline.parts) {
                if (kind !== 'stop' || venue === null) continue;
                const sum = places.get(venue) ?? { place: venue, stops: 0, duration: 0, vehicles: new Set() };
                places.set(venue, sum);
                sum.stops += 1;
                sum.duration += to - from;
                sum.vehicles.add(name);
            }
        }
        return [...places.values()].map((sum) => ({ ...sum, vehicles: [...sum.vehicles] })).sort((one, other) => other.duration - one.duration);
    }

    const column = (words, isNumber = false) => ({ words, isNumber });
    /** A cell that a reader of the page sees in another way than a spreadsheet. */
    const cell = (words, file) => ({ words, file });
    /** @typedef {string | {words: string, file: string}} Cell */
    const wordsOf = (one) => one.words ?? one;
    const fileOf = (one) => one.file ?? one;
    const kilometers = (meters) => (meters === null ? '' : (meters / 1000).toFixed(1));
    /** To the nearest minute, as the panel says it. */
    const hours = (milliseconds) => {
        const minutes = Math.round(milliseconds / 60000);
        return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
    };

    /** A table of cells, of which the numbers are without units, so that a spreadsheet can add them. */
    function distanceTable(rows, { isByDay, hasOdometer }) {
        const sums = ({ trips, distance, privateDistance, unseen, transit }) => [String(trips), kilometers(distance), kilometers(privateDistance), kilometers(unseen), hours(transit)];
        // A spreadsheet needs the year.
        const dated = (at, clock) => cell(`${clock.day(at)}, ${clock.shortTime(at)}`, `${clock.date(at)} ${clock.shortTime(at)}`);
        const moment = (at, clock) => (at === null ? '' : isByDay ? clock.shortTime(at) : dated(at, clock));
        const reading = (one, clock) => (one === null || one === undefined ? ['', ''] : [kilometers(one.meters), dated(one.at, clock)]);
        const shortened = (text) => (text.length > mostCellCharacters ? cell(`${text.slice(0, mostCellCharacters - 1)}…`, text) : text);
        // What nobody has written needs no column.
        const abouts = odograph.about.fields.filter(({ key }) => rows.some(({ about }) => about?.[key]));
        const columns = [column(isByDay ? 'Day' : 'Vehicle'), ...abouts.map(({ words }) => column(words)), column('Trips', true), column('Distance, km', true),
            column('Of it private, km', true), column('Without positions, km', true), column('In transit, h', true), column('First start'), column('Last end'),
            ...(hasOdometer ? [column('Odometer at first, km', true), column('read at'), column('Odometer at last, km', true), column('read at')] : [])];
        const body = rows.map(({ name, about, clock, sum, first, last }) => [name, ...abouts.map(({ key }) => shortened(about?.[key] ?? '')),
            ...(sum.knownDays === 0 ? ['', '', '', '', '', '', ''] : [...sums(sum), moment(sum.firstStart, clock), moment(sum.lastEnd, clock)]),
            ...(hasOdometer ? [...reading(first, clock), ...reading(last, clock)] : [])]);
        const total = ['Total', ...abouts.map(() => ''), ...sums(sumOf(rows.map(({ sum }) => sum))), '', '', ...(hasOdometer ? ['', '', '', ''] : [])];
        return { columns, rows: body, total };
    }

    function driverTable(rows) {
        return {
            columns: [column('Driver'), column('Trips', true), column('Distance, km', true), column('In transit, h', true), column('Vehicles')],
            rows: rows.map(({ driver, trips, distance, transit, vehicles }) => [driver, String(trips), kilometers(distance), hours(transit), vehicles.join(', ')]),
            total: ['Total', String(rows.reduce((sum, { trips }) => sum + trips, 0)), kilometers(rows.reduce((sum, { distance }) => sum + distance, 0)),
                hours(rows.reduce((sum, { transit }) => sum + transit, 0)), ''],
        };
    }

    function placeTable(rows) {
        return {
            columns: [column('Geofence'), column('Stops', true), column('Time, h', true), column('Vehicles')],
            rows: rows.map(({ place, stops, duration, vehicles }) => [place, String(stops), hours(duration), vehicles.join(', ')]),
            total: ['Total', String(rows.reduce((sum, { stops }) => sum + stops, 0)), hours(rows.reduce((sum, { duration }) => sum + duration, 0)), ''],
        };
    }

    odograph.report = {
        kinds, periodOf, boundsOf, readDay, sumOf, readingOf, closingOf, driversOf, placesOf, distanceTable, driverTable, placeTable, wordsOf, fileOf,
    };
})(globalThis.odograph ??= {});
