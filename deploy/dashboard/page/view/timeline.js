(function (odograph) {
    'use strict';

    const { element } = odograph.dom;
    const { format } = odograph;

    function summary({ totals, parts, knowledge, start, end }, { now, words, clock }) {
        const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;
        const known = odograph.knowledge.knowledgeWords(knowledge, { start, end }, now, clock);
        if (known !== '' && parts.length === 0 && knowledge.spans.length === 0) return `${words}: nothing is known.`;
        const trips = totals.trips === 0 ? 'no trips' : `${count(totals.trips, 'trip')}, `
            + `${format.distance(totals.distance)}, ${format.duration(totals.driving)} in transit`;
        const stops = totals.stops === 0 ? 'no stops' : count(totals.stops, 'stop');
        const carriedOver = totals.carriedOver === 0 ? '' : `; ${count(totals.carriedOver, 'trip')} that began before`;
        return `${words}${known === '' ? '' : `, ${known}`}: ${trips}; ${stops}${carriedOver}`;
    }

    /** The known part of the day as a bar. */
    function bar(timeline, wishes) {
        const { now, clock } = wishes;
        const domain = odograph.day.domainOf(timeline, now);
        const length = domain.to - domain.from;
        const share = (at) => `${((at - domain.from) / length * 100).toFixed(3)}%`;
        const box = element('div', { class: 'bar', role: 'img', 'aria-label': summary(timeline, wishes) });
        const add = (kind, from, to, title) => {
            const [left, right] = [Math.max(from, domain.from), Math.min(to, domain.to)];
            if (right <= left) return;
            const node = element('span', { class: 'part', 'data-kind': kind, title });
            node.style.left = share(left);
            node.style.width = `${((right - left) / length * 100).toFixed(3)}%`;
            box.append(node);
        };
        let unknownFrom = domain.from;
        for (const { from, to } of timeline.knowledge.spans) {
            if (from - unknownFrom > 1000) add('not-known', unknownFrom, from, 'Not known');
            unknownFrom = to;
        }
        const latest = Math.min(domain.to, now);
        if (latest - unknownFrom > 60000) add('not-known', unknownFrom, latest, 'Not known');
        for (const part of timeline.parts) {
            add(part.isPrivate ? 'private' : part.kind, part.from, part.to, `${clock.shortTime(part.start)} ${part.words}`);
        }
        if (now > domain.from && now < domain.to) {
            const hand = element('span', { class: 'hand' });
            hand.style.left = share(now);
            box.append(hand);
        }
        const ticks = element('div', { class: 'ticks', 'aria-hidden': 'true' });
        for (const at of domain.ticks) {
            const isEnd = at === timeline.end;
            const tick = element('span', {}, isEnd ? '24:00' : clock.shortTime(at));
            tick.style.left = share(at);
            if (at === domain.from) tick.classList.add('first');
            if (at === domain.to) tick.classList.add('last');
            ticks.append(tick);
        }
        return [box, ticks];
    }

    function row(part, day, { clock, onShow }) {
        const end = part.lasts ? 'now'
            : `${clock.timeOrDay(part.until, day.start)}${part.end === null ? ', then unknown' : ''}`;
        const canShow = part.place !== null || part.waypoints.length > 1;
        const words = part.isProvisional && part.end !== null ? `${part.words} (not final)` : part.words;
        const name = canShow ? element('button', {
            type: 'button', class: 'text', title: 'Show on the map', onclick: () => onShow(part),
        }, words) : words;
        const isDated = [part.start, ...(part.lasts ? [] : [part.until])].some((at) => !clock.isSameDay(at, day.start));
        return element('tr', { 'data-kind': part.isPrivate ? 'private' : part.kind },
            element('td', { class: isDated ? 'times dated' : 'times' },
                `${clock.timeOrDay(part.start, day.start)}–${end}`),
            element('td', {}, name, part.address ? element('span', { class: 'address' }, part.address) : null,
                part.significance ? element('span', { class: 'tag' }, part.significance) : null,
                part.moved >= 5 ? element('span', { class: 'tag' }, `moved ${format.distance(part.moved)}`) : null,
                part.carried > 0 ? element('span', { class: 'tag' }, `carried ${format.distance(part.carried)}`) : null,
                part.harsh > 0 ? element('span', { class: 'tag' }, `${part.harsh} harsh`) : null),
            element('td', { class: 'number' }, part.kind === 'trip' ? format.distance(part.distance) : ''),
            element('td', { class: 'number' }, format.duration(part.duration)));
    }

    function table(timeline, wishes) {
        const heads = ['Time', 'What', 'Distance', 'Duration'];
        return element('table', {},
            element('caption', { class: 'hidden' }, `Stops and trips, ${wishes.words}, newest first`),
            element('thead', {}, element('tr', {}, heads.map((head, index) => (
                element('th', { scope: 'col', class: index > 1 ? 'number' : null }, head))))),
            element('tbody', {}, [...timeline.parts].reverse().map((part) => row(part, timeline, wishes))));
    }

    /** Who has told of the day and who has not, if a part of it is not known. */
    function question({ knowledge, asked }, { onRetry }) {
        if (knowledge.isComplete || asked === null) return null;
        const again = asked.canAsk ? element('button', { type: 'button', class: 'minor', onclick: onRetry }, 'Ask again') : null;
        return element('p', { class: 'soft' }, asked.words, ' ', again);
    }

    /** What can be done with a day. Without a public part there is no track. */
    function actions({ parts, isAskingForTrack }, { onAction, asking }) {
        const hasPlaces = parts.some(({ isPrivate, kind }) => !isPrivate && (kind === 'trip' || kind === 'stop'));
        const button = (id, words, title) => element('button', {
            type: 'button', class: 'minor', title, disabled: isAskingForTrack, onclick: () => onAction(id),
        }, words);
        return element('p', { class: 'actions' },
            hasPlaces ? [button('play', 'Play on the map', 'Show the way of the day on the map, and play it'),
                button('gpx', 'GPX', 'Save the positions of the day as GPX'),
                button('csv', 'CSV', 'Save the positions of the day as a table')] : [],
            button('trips', 'Trips as CSV', 'Save the stops and trips of the day as a table'), asking);
    }

    /**
     * A day's timeline: a line of sums, a bar and a table.
     * @param {object} timeline of the core
     * @param {{now: number, words: string, clock: Clock, onShow: (part: object) => void, onRetry: () => void,
     *     onAction: (id: 'play' | 'gpx' | 'csv' | 'trips') => void, asking: HTMLElement}} wishes
     *     the name of the day, and the clock of the vehicle; `asking`: says whether a recorder is asked for the way
     * @returns {Node[]}
     */
    function timelineNodes(timeline, wishes) {
        const nodes = [element('p', { class: 'soft' }, summary(timeline, wishes)), question(timeline, wishes),
            ...bar(timeline, wishes)];
        // Above the table, which can have hundreds of rows.
        if (timeline.parts.length > 0) nodes.push(actions(timeline, wishes), table(timeline, wishes));
        return nodes.filter((node) => node !== null);
    }

    odograph.timelineNodes = timelineNodes;
})(globalThis.odograph ??= {});
