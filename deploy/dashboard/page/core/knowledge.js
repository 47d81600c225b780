(function (odograph) {
    'use strict';

    /** A shorter time of which nothing is known is not mentioned, milliseconds. */
    const shortestGap = 60000;

    /** @param {Vehicle} vehicle @returns {boolean} whether it would tell that a stop or trip ends */
    const isOnline = ({ status }) => status === null || status.isOnline;

    /**
     * Until when stops and trips are known to last. The newest one of a vehicle that is online lasts until now: its end
     * would have been published.
     * @param {Stay[]} stays without withdrawn ones @param {{now: number, isOnline: boolean}} circumstances
     * @returns {(stay: Stay) => {lasts: boolean, until: number}}
     */
    function boundsOf(stays, { now, isOnline: isTold }) {
        const newest = stays.reduce((one, other) => (one === null || other.start > one.start ? other : one), null);
        return (stay) => {
            const lasts = stay.end === null && stay === newest && isTold;
            return { lasts, until: Math.max(stay.start, stay.end ?? (lasts ? Math.max(now, stay.updated) : stay.updated)) };
        };
    }

    /**
     * The part of a day of which the page knows what the vehicle did. Events of a timeline follow each other without a gap,
     * so this is the time that the known events cover: where there is none, the page does not know.
     * @param {Vehicle} vehicle
     * @param {Stay[]} stays
     * @param {{day: {start: number, end: number}, now: number}} circumstances
     * @returns {{spans: Array<{from: number, to: number}>, isComplete: boolean}}
     */
    function knowledgeOf(vehicle, stays, { day, now }) {
        const valid = stays.filter(({ isWithdrawn }) => !isWithdrawn);
        const bounds = boundsOf(valid, { now, isOnline: isOnline(vehicle) });
        const known = new odograph.Spans(valid.map((stay) => ({ from: stay.start, to: bounds(stay).until })));
        const end = Math.min(day.end, now);
        const spans = known.within(day.start, end, shortestGap);
        const isComplete = spans.length === 1 && spans[0].from - day.start <= shortestGap && end - spans[0].to <= shortestGap;
        return { spans, isComplete };
    }

    /**
     * @param {{spans: Array<{from: number, to: number}>, isComplete: boolean}} knowledge
     * @param {{start: number, end: number}} day @param {number} now @param {Clock} clock of the vehicle
     * @returns {string} the part of the day that is known; empty if it is the whole day
     */
    function knowledgeWords({ spans, isComplete }, day, now, clock) {
        if (isComplete) return '';
        if (spans.length === 0) return 'nothing is known';
        const end = Math.min(day.end, now);
        const reachesEnd = end - spans.at(-1).to <= shortestGap;
        if (spans.length === 1 && reachesEnd) return `known since ${clock.shortTime(spans[0].from)}`;
        const words = spans.map(({ from, to }, index) => {
            const isLast = index === spans.length - 1 && reachesEnd;
            const until = !isLast ? clock.shortTime(to) : end === now ? 'now' : '24:00';
            return `${clock.shortTime(from)}–${until}`;
        });
        return `known ${words.join(' and ')}`;
    }

    odograph.knowledge = { isOnline, boundsOf, knowledgeOf, knowledgeWords };
})(globalThis.odograph ??= {});
