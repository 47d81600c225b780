(function (odograph) {
    'use strict';

    const { element } = odograph.dom;
    const { format } = odograph;

    const hour = 3600000;

    function summary({ totals }, words) {
        const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;
        const trips = totals.trips === 0 ? 'no trips' : `${count(totals.trips, 'trip')}, `
            + `${format.distance(totals.distance)}, ${format.duration(totals.driving)} in transit`;
        return `${words}: ${trips}; ${totals.stops === 0 ? 'no stops' : count(totals.stops, 'stop')}`;
    }

    /** The day as a bar from midnight to midnight. */
    function bar(timeline, now, words) {
        const length = timeline.end - timeline.start;
        const share = (at) => `${((at - timeline.start) / length * 100).toFixed(3)}%`;
        const width = (from, to) => `${((to - from) / length * 100).toFixed(3)}%`;
        const box = element('div', { class: 'bar', role: 'img', 'aria-label': summary(timeline, words) });
        for (const part of timeline.parts) {
            const node = element('span', {
                class: 'part', 'data-kind': part.isPrivate ? 'private' : part.kind,
                title: `${format.shortTime(part.start)} ${part.words}`,
            });
            node.style.left = share(part.from);
            node.style.width = width(part.from, part.to);
            box.append(node);
        }
        if (now > timeline.start && now < timeline.end) {
            const hand = element('span', { class: 'hand' });
            hand.style.left = share(now);
            box.append(hand);
        }
        const ticks = element('div', { class: 'ticks', 'aria-hidden': 'true' });
        for (let hours = 0; hours <= 24; hours += 6) {
            const tick = element('span', {}, format.shortTime(timeline.start + hours * hour));
            tick.style.left = `${hours / 24 * 100}%`;
            ticks.append(tick);
        }
        return [box, ticks];
    }

    function row(part, day, onShow) {
        const end = part.end === null ? 'now' : format.timeOrDay(part.end, day.start);
        const canShow = part.place !== null || part.waypoints.length > 1;
        const words = part.isProvisional && part.end !== null ? `${part.words} (not final)` : part.words;
        const name = canShow ? element('button', {
            type: 'button', class: 'text', title: 'Show on the map', onclick: () => onShow(part),
        }, words) : words;
        const isDated = [part.start, part.end].some((at) => at !== null && !format.isSameDay(at, day.start));
        return element('tr', { 'data-kind': part.isPrivate ? 'private' : part.kind },
            element('td', { class: isDated ? 'times dated' : 'times' },
                `${format.timeOrDay(part.start, day.start)}–${end}`),
            element('td', {}, name, part.significance ? element('span', { class: 'tag' }, part.significance) : null),
            element('td', { class: 'number' }, part.kind === 'trip' ? format.distance(part.distance) : ''),
            element('td', { class: 'number' }, format.duration(part.duration)));
    }

    function table(timeline, words, onShow) {
        const heads = ['Time', 'What', 'Distance', 'Duration'];
        return element('table', {},
            element('caption', { class: 'hidden' }, `Stops and trips, ${words}, newest first`),
            element('thead', {}, element('tr', {}, heads.map((head, index) => (
                element('th', { scope: 'col', class: index > 1 ? 'number' : null }, head))))),
            element('tbody', {}, [...timeline.parts].reverse().map((part) => row(part, timeline, onShow))));
    }

    /**
     * A day's timeline: a line of sums, a bar and a table.
     * @param {object} timeline of the core @param {{now: number, words: string, onShow: (part: object) => void}} wishes
     * @returns {Node[]}
     */
    function timelineNodes(timeline, { now, words, onShow }) {
        if (timeline.parts.length === 0) {
            return [...bar(timeline, now, words), element('p', { class: 'soft' },
                'The page received no stop or trip of this day.')];
        }
        return [element('p', { class: 'soft' }, summary(timeline, words)), ...bar(timeline, now, words),
            table(timeline, words, onShow)];
    }

    odograph.timelineNodes = timelineNodes;
})(globalThis.odograph ??= {});
