(function (odograph) {
    'use strict';

    const { format } = odograph;

    /**
     * The day of the viewer's zone that a moment is in. It has 23 or 25 hours where a clock is changed.
     * @param {number} now milliseconds since 1970 @param {number} offset days from it, −1 for the day before
     * @returns {{start: number, end: number}}
     */
    function dayOf(now, offset = 0) {
        const date = new Date(now);
        const at = (days) => new Date(date.getFullYear(), date.getMonth(), date.getDate() + offset + days).getTime();
        return { start: at(0), end: at(1) };
    }

    /**
     * Whether a stop or trip is private: by its tag, or since its place is left out, which an agent does in private
     * times only.
     * @param {Stay} stay @param {string[]} privateTags @param {boolean} isPrivateNow the vehicle's present condition
     */
    function isPrivateStay(stay, privateTags, isPrivateNow) {
        if (stay.tag !== null && privateTags.includes(stay.tag)) return true;
        if (stay.type === 'STATIONARY') return stay.place === null;
        if (stay.type !== 'IN_TRANSPORT') return false;
        const isDone = stay.end !== null && !stay.isProvisional;
        return isDone ? stay.waypoints.length === 0 : isPrivateNow && stay.end === null;
    }

    function kindOf(stay) {
        const kinds = { STATIONARY: 'stop', IN_TRANSPORT: 'trip', OFF_THE_GRID: 'away' };
        return kinds[stay.type] ?? 'unknown';
    }

    function words(stay, kind, isPrivate) {
        if (isPrivate) return kind === 'stop' ? 'Private stop' : 'Private trip';
        if (kind === 'trip') return format.mode(stay.mode);
        if (kind === 'stop') return stay.venue?.name || stay.venue?.identifier || 'Stop';
        if (kind === 'away') return `Not tracked: ${format.reason(stay.reason)}`;
        return 'Unknown';
    }

    function part(stay, { start, end, now, privateTags, isPrivateNow }) {
        const kind = kindOf(stay);
        const until = stay.end ?? Math.max(now, stay.start);
        const isPrivate = isPrivateStay(stay, privateTags, isPrivateNow);
        const hasPlace = !isPrivate && kind === 'stop';
        return {
            id: stay.id, kind, words: words(stay, kind, isPrivate), isPrivate, isOpen: stay.end === null,
            isProvisional: stay.isProvisional, start: stay.start, end: stay.end, duration: until - stay.start,
            distance: kind === 'trip' ? stay.distance : null,
            place: hasPlace ? stay.place : null, waypoints: isPrivate ? [] : stay.waypoints,
            significance: hasPlace ? stay.venue?.significance ?? null : null,
            from: Math.max(stay.start, start), to: Math.min(until, end),
        };
    }

    /** Two revisions may have been seen of different moments; what begins later is right about its beginning. */
    function withoutOverlaps(parts) {
        parts.forEach((one, index) => {
            const next = parts[index + 1];
            if (next !== undefined && one.to > next.from) one.to = Math.max(one.from, next.from);
        });
        return parts;
    }

    /**
     * The stops and trips of a day, as far as the page has seen them.
     * @param {Iterable<Stay>} stays
     * @param {{start: number, end: number, now: number, privateTags: string[], isPrivateNow: boolean}} day
     * @returns {{start: number, end: number, parts: object[], totals: object}} parts in order of time; `from` and `to`
     *     lie within the day
     */
    function timelineOf(stays, day) {
        const parts = [...stays]
            .filter((stay) => !stay.isWithdrawn && stay.start < day.end && (stay.end ?? Math.max(day.now, stay.start + 1)) > day.start)
            .sort((one, other) => one.start - other.start)
            .map((stay) => part(stay, day));
        withoutOverlaps(parts);
        const totals = { trips: 0, stops: 0, distance: 0, driving: 0 };
        for (const { kind, distance, from, to } of parts) {
            if (kind === 'stop') totals.stops += 1;
            if (kind !== 'trip') continue;
            totals.trips += 1;
            totals.distance += distance ?? 0;
            totals.driving += to - from;
        }
        return { start: day.start, end: day.end, parts, totals };
    }

    odograph.day = { dayOf, timelineOf, isPrivateStay };
})(globalThis.odograph ??= {});
