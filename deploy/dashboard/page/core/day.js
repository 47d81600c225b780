(function (odograph) {
    'use strict';

    const { format } = odograph;

    /**
     * Whether a stop or trip is private: it says so, by its tag, or since its place is left out, which an agent does in
     * private times only. The recorder has the same rule, with the default tag.
     * @param {Stay} stay @param {string[]} privateTags @param {boolean} isPrivateNow the vehicle's present condition
     */
    function isPrivateStay(stay, privateTags, isPrivateNow) {
        if (stay.isPrivate) return true;
        if (stay.tag !== null && privateTags.includes(stay.tag)) return true;
        if (stay.type === 'STATIONARY') return stay.place === null;
        if (stay.type !== 'IN_TRANSPORT') return false;
        const isDone = stay.end !== null && !stay.isProvisional;
        return isDone ? stay.waypoints.length === 0 : isPrivateNow && stay.end === null;
    }

    const kinds = new Map([['STATIONARY', 'stop'], ['IN_TRANSPORT', 'trip'], ['OFF_THE_GRID', 'away']]);
    const kindOf = ({ type }) => kinds.get(type) ?? 'unknown';

    function words(stay, kind, isPrivate) {
        if (isPrivate) return kind === 'stop' ? 'Private stop' : 'Private trip';
        if (kind === 'trip') return format.mode(stay.mode);
        if (kind === 'stop') return stay.venue?.name ?? 'Stop';
        if (kind === 'away') return `Not tracked: ${format.reason(stay.reason)}`;
        return 'Unknown';
    }

    function part(stay, { start, end, lasts, until }, { privateTags, isPrivateNow }) {
        const kind = kindOf(stay);
        const isPrivate = isPrivateStay(stay, privateTags, isPrivateNow);
        const hasPlace = !isPrivate && kind === 'stop';
        return {
            id: stay.id, kind, words: words(stay, kind, isPrivate), isPrivate, lasts, until,
            isProvisional: stay.isProvisional, start: stay.start, end: stay.end, duration: until - stay.start,
            distance: kind === 'trip' ? stay.distance : null,
            moved: kind === 'stop' && !isPrivate ? stay.distance : null,
            place: hasPlace ? stay.place : null, waypoints: isPrivate ? [] : stay.waypoints,
            venue: hasPlace ? stay.venue?.name ?? null : null,
            driver: isPrivate ? null : stay.driver, tag: isPrivate ? null : stay.tag,
            carried: kind === 'trip' && !isPrivate ? stay.carried : null,
            harsh: kind === 'trip' && !isPrivate ? stay.harsh : null,
            significance: hasPlace ? stay.venue?.significance ?? null : null,
            from: Math.max(stay.start, start), to: Math.min(until, end), isCarriedOver: stay.start < start,
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
     * @param {{date: string, start: number, end: number, now: number, isOnline: boolean, privateTags: string[],
     *     isPrivateNow: boolean}} day
     * @returns {{start: number, end: number, parts: object[], totals: object}} parts in order of time; `from` and `to`
     *     lie within the day; `lasts`: until now. A trip counts on the day on which it begins, as in reports
     */
    function timelineOf(stays, day) {
        const valid = [...stays].filter(({ isWithdrawn }) => !isWithdrawn);
        const boundsOf = odograph.knowledge.boundsOf(valid, day);
        const parts = valid.map((stay) => ({ stay, ...boundsOf(stay) }))
            .filter(({ stay: { start }, until }) => start < day.end && Math.max(until, start + 1) > day.start)
            .sort((one, other) => one.stay.start - other.stay.start)
            .map(({ stay, lasts, until }) => part(stay, { start: day.start, end: day.end, lasts, until }, day));
        withoutOverlaps(parts);
        const totals = { trips: 0, stops: 0, distance: 0, driving: 0, carriedOver: 0 };
        for (const { kind, distance, duration, isCarriedOver } of parts) {
            if (kind === 'stop') totals.stops += 1;
            if (kind !== 'trip') continue;
            if (isCarriedOver) {
                totals.carriedOver += 1;
                continue;
            }
            totals.trips += 1;
            totals.distance += distance ?? 0;
            totals.driving += duration;
        }
        return { date: day.date, start: day.start, end: day.end, parts, totals };
    }

    const minute = 60000;
    /** Times between two marks of a bar, milliseconds, and how many of them the known part has at most. */
    const tickSteps = [5, 10, 15, 30, 60, 120, 180, 360].map((minutes) => minutes * minute);
    const mostSteps = 5;

    /**
     * The part of a day that a bar shows: the known one, so that a few minutes are not a line at the edge.
     * @param {{start: number, end: number, parts: object[], knowledge: {spans: Array<{from: number, to: number}>}}} timeline
     * @param {number} now
     * @returns {{from: number, to: number, ticks: number[]}} whole steps of the ticks, within the day
     */
    function domainOf({ start, end, parts, knowledge: { spans } }, now) {
        const times = [...spans, ...parts].flatMap(({ from, to }) => [from, to]);
        const isWhole = times.length === 0;
        const first = isWhole ? start : Math.min(...times);
        const last = isWhole ? end : Math.max(...times, Math.min(now, end, first + minute));
        const step = tickSteps.find((length) => (last - first) / length <= mostSteps) ?? tickSteps.at(-1);
        const from = Math.max(start, start + Math.floor((first - start) / step) * step);
        const to = Math.min(end, Math.max(from + step, start + Math.ceil((last - start) / step) * step));
        const ticks = [];
        for (let at = from; at < to - step / 2; at += step) ticks.push(at);
        return { from, to, ticks: [...ticks, to] };
    }

    odograph.day = { timelineOf, isPrivateStay, domainOf };
})(globalThis.odograph ??= {});
