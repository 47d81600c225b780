(function (odograph) {
    'use strict';

    const { format } = odograph;

    /** What the list can be narrowed to, in the order of the page. */
    const filters = [
        { id: 'all', words: 'All', test: () => true },
        { id: 'moving', words: 'Moving', test: (condition) => condition.kind === 'moving' },
        { id: 'parked', words: 'Parked', test: (condition) => condition.kind === 'parked' },
        { id: 'stopped', words: 'Off', test: (condition) => condition.isStopped },
        { id: 'off', words: 'Off schedule', test: (condition) => condition.isOffSchedule },
        { id: 'silent', words: 'Silent', test: (condition) => condition.isSilent },
        { id: 'battery', words: 'Low battery', test: (condition) => condition.hasLowBattery },
        { id: 'behind', words: 'Configuration behind', test: (condition) => condition.isBehind },
    ];

    const urgency = { silent: 0, unknown: 1, moving: 2, parked: 3, private: 4, off: 5, stopped: 6 };
    const byName = new Intl.Collator('en', { numeric: true }).compare;

    const orders = {
        name: () => 0,
        state: (one, other) => urgency[one.condition.kind] - urgency[other.condition.kind],
        speed: (one, other) => (other.condition.speed ?? -1) - (one.condition.speed ?? -1),
        heard: (one, other) => other.vehicle.heardAt - one.vehicle.heardAt,
        battery: (one, other) => (one.condition.battery?.level ?? 2) - (other.condition.battery?.level ?? 2),
    };

    /**
     * The list, narrowed and in order.
     * @param {Array<{vehicle: Vehicle, name: string, condition: Condition}>} entries
     * @param {{filter: string, search: string, order: string, group: string}} wish an empty group: all vehicles
     * @returns {{rows: Array<{vehicle: Vehicle, name: string, condition: Condition}>, counts: Object<string, number>}}
     *     the counts are of all entries of the group, by filter
     */
    function rosterOf(all, { filter, search, order, group = '' }) {
        const entries = group === '' ? all : all.filter(({ vehicle }) => groupsOf(vehicle).includes(group));
        const counts = {};
        for (const { id, test } of filters) {
            counts[id] = entries.reduce((count, entry) => count + (test(entry.condition) ? 1 : 0), 0);
        }
        const wanted = filters.find(({ id }) => id === filter) ?? filters[0];
        const needle = search.trim().toLowerCase();
        const compare = orders[order] ?? orders.name;
        const rows = entries.filter(({ vehicle, name, condition }) => (
            wanted.test(condition) && (name.toLowerCase().includes(needle) || odograph.about.matches(vehicle.about, needle))));
        rows.sort((one, other) => compare(one, other) || byName(one.vehicle.key, other.vehicle.key));
        return { rows, counts };
    }

    /** @param {Vehicle} vehicle @returns {string[]} */
    const groupsOf = (vehicle) => vehicle.reported?.groups ?? [];

    /** @param {Iterable<Vehicle>} vehicles @returns {string[]} the groups of all, by name */
    function groupNames(vehicles) {
        const names = new Set();
        for (const vehicle of vehicles) for (const group of groupsOf(vehicle)) names.add(group);
        return [...names].sort(byName);
    }

    /** What a vehicle stands in, or is on, as far as its timeline says. */
    function presentStay(vehicle) {
        let present = null;
        for (const stay of vehicle.stays.values()) {
            if (stay.end === null && (present === null || stay.start > present.start)) present = stay;
        }
        return present;
    }

    function parkedWords(vehicle, now) {
        const stay = presentStay(vehicle);
        if (stay?.type !== 'STATIONARY') return 'Parked';
        return `Parked ${stay.venue === null ? '' : `at ${stay.venue.name} `}for ${format.duration(now - stay.start)}`;
    }

    /** A vehicle on a trip that stands has not ended the trip: it waits in traffic. */
    function movingWords({ speed }) {
        if (speed === null) return 'Moving';
        return speed < odograph.condition.walkingPace ? 'In traffic' : `Moving, ${format.speed(speed)}`;
    }

    /**
     * How a vehicle is, in one short line.
     * @param {Vehicle} vehicle @param {Condition} condition @param {number} now @param {Clock} clock
     * @returns {string}
     */
    function conditionWords(vehicle, condition, now, clock = odograph.clock.clockOf(null)) {
        switch (condition.kind) {
            case 'moving': return movingWords(condition);
            case 'stopped': return condition.stoppedAt === null ? 'Off' : `Off since ${clock.timeOrDay(condition.stoppedAt, now)}`;
            case 'parked': return parkedWords(vehicle, now);
            case 'private': return condition.isSilent ? `Private; ${condition.silence}` : 'Private';
            case 'silent': return `Silent: ${condition.silence}`;
            case 'off': return condition.isOffSchedule ? 'Off schedule, not tracked' : 'Tracking is off';
            default: return vehicle.fix === null ? 'No position yet' : `No position for ${format.duration(now - vehicle.fix.at)}`;
        }
    }

    /**
     * How a vehicle is, and where.
     * @param {Vehicle} vehicle @param {Condition} condition @param {number} now
     * @param {(place: object) => string} addressOf empty: nobody knows
     * @returns {string}
     */
    function placedWords(vehicle, condition, now, addressOf) {
        const address = vehicle.fix === null || condition.isPrivate ? '' : addressOf(vehicle.fix);
        return [conditionWords(vehicle, condition, now), address].filter((words) => words !== '').join(' · ');
    }

    odograph.roster = { filters, rosterOf, groupNames, conditionWords, placedWords, presentStay, byName };
})(globalThis.odograph ??= {});
