(function (odograph) {
    'use strict';

    const { element, mark, say, set } = odograph.dom;
    const { format } = odograph;

    const askingWords = 'Asking the recorder…';
    const headRow = (...heads) => element('thead', {}, element('tr', {}, heads.map((head) => (
        element('th', { scope: 'col' }, head)))));
    const list = (items, make) => element('ul', {}, items.map((item) => element('li', {}, make(item))));

    function scheduleNodes(schedule) {
        if (schedule === null) return [element('p', { class: 'soft' }, 'Not reported yet.')];
        const { words, expressions, zone, changes } = schedule;
        const rule = expressions === null ? null
            : element('p', { class: 'soft' },
                expressions.flatMap((expression, index) => [index === 0 ? '' : ' or ', element('code', {}, expression)]),
                zone === null ? '' : ` in ${zone}`);
        const more = changes.length < 2 ? null : element('details', {}, element('summary', {}, 'Next changes'),
            element('ol', { class: 'changes' }, changes.map((change) => (
                element('li', {}, `${change.words}: ${change.opens ? 'on' : 'off'}`)))));
        return [element('p', {}, words), rule, more].filter((node) => node !== null);
    }

    /** Whether these are all events of the day, and how to get the others. */
    function eventsNote({ areEventsKnown, hasNoTrack, trackError, timeline, fenceEvents }, onAction) {
        if (areEventsKnown) return fenceEvents.length === 0 ? element('p', { class: 'soft' }, 'None on this day.') : null;
        const why = timeline.isAskingForTrack ? askingWords : hasNoTrack ? `${trackError ?? 'No recorder has answered'}.` : fenceEvents.length === 0 ? 'None while this page was open.' : 'While this page was open.';
        return element('p', { class: 'soft' }, why, ' ', element('button', {
            type: 'button', class: 'minor', disabled: timeline.isAskingForTrack, onclick: () => onAction('events'),
        }, 'All of the day'));
    }

    function fenceNodes(details, onAction) {
        const events = details.fenceEvents;
        const note = eventsNote(details, onAction);
        if (events.length === 0) return [note];
        return [...(note === null ? [] : [note]), element('table', {}, element('caption', { class: 'hidden' }, 'Geofence events, newest first'),
            headRow('Time', 'What'),
            element('tbody', {}, events.map(({ time, words, notes }) => element('tr', {},
                element('td', { class: 'times' }, time),
                element('td', {}, words, notes === '' ? null : element('span', { class: 'soft' }, ` ${notes}`))))))];
    }

    function levelsTable(levels) {
        return element('table', {}, element('caption', { class: 'hidden' }, 'Levels of the configuration'),
            headRow('Level', 'Version', 'State'),
            element('tbody', {}, levels.map(({ level, version, state, inForce, isFine }) => element('tr', {},
                element('td', {}, level), element('td', {}, version),
                element('td', { class: isFine ? null : 'bad' },
                    inForce === null ? state : `${state}; ${inForce} in force`)))));
    }

    function reportedNodes({ problems, version, levels, errors, ledger, fences, budget, at, certificates }) {
        const nodes = [];
        if (problems.length > 0) nodes.push(element('div', { class: 'bad' }, list(problems, (text) => text)));
        if (levels.length > 0) nodes.push(levelsTable(levels));
        if (errors.length > 0) {
            nodes.push(element('h3', {}, 'Refused'), element('div', {}, list(errors, ({ where, value, message }) => [
                element('code', {}, value === null ? where : `${where} = ${value}`), element('br'), message])));
        }
        if (ledger.length > 0) nodes.push(element('h3', {}, 'Given up'), list(ledger, (text) => text));
        if (certificates.length > 0) {
            nodes.push(element('h3', {}, 'Certificates'), element('ul', {}, certificates.map(({ words, isBad }) => (
                element('li', { class: isBad ? 'bad' : 'soft' }, words)))));
        }
        const facts = [version === null ? null : `odograph ${version}`, fences === null ? null : `${fences} geofences`,
            budget, at === undefined ? null : `reported ${at}`];
        nodes.push(element('p', { class: 'soft' }, facts.filter(Boolean).join(' · ') || 'Not reported yet.'));
        return nodes;
    }

    /** One vehicle in full. What has not changed is not touched, so that scrolling, focus and reading go on. */
    class Panel {
        /**
         * @param {HTMLElement} box
         * @param {{onClose: () => void, onDay: (offset: number) => void, onDate: (date: string) => void,
         *     onRetry: () => void, onAction: (id: string) => void, onShow: (part: object) => void,
         *     onAbout: (vehicle: Vehicle, before: string, about: About) => Promise<?string>}} wishes
         */
        constructor(box, wishes) {
            Object.assign(this, { box, wishes, said: new Map() });
            const button = (label, words, action) => element('button', {
                type: 'button', class: 'plain', 'aria-label': label, title: label, onclick: action,
            }, words);
            this.mark = mark('mark-unknown');
            this.name = element('h2', { id: 'panel-name' });
            this.words = element('p', { class: 'condition' });
            this.zone = element('p', { class: 'soft' });
            this.date = element('input', { type: 'date', 'aria-label': 'Day', required: true, min: '2000-01-01', onchange: ({ target }) => {
                if (target.value !== '') wishes.onDate(target.value);
            } });
            this.now = new odograph.NowList();
            this.about = new odograph.AboutPart({ onSave: wishes.onAbout });
            // One element for good: a screen reader tells only what changes in one that it knows.
            this.asking = element('span', { class: 'soft', role: 'status' });
            this.later = button('The day after', '›', () => wishes.onDay(1));
            this.parts = Object.fromEntries(['now', 'about', 'timeline', 'schedule', 'fences', 'reported'].map((id) => (
                [id, element('div', { class: `part-${id}` })])));
            const section = (title, id, ...more) => element('section', { 'aria-labelledby': `title-${id}` },
                element('div', { class: 'title' }, element('h3', { id: `title-${id}` }, title), ...more),
                this.parts[id]);
            box.append(
                element('header', {}, this.mark, element('div', {}, this.name, this.words, this.zone),
                    button('Close', '✕', wishes.onClose)),
                section('Now', 'now'), section('Driver, plate and note', 'about', this.about.edit),
                section('Timeline', 'timeline', element('span', { class: 'days' },
                    button('The day before', '‹', () => wishes.onDay(-1)), this.date, this.later)),
                section('Schedule', 'schedule'), section('Geofences', 'fences'), section('Reported', 'reported'));
            this.parts.now.append(this.now.node);
            this.parts.about.append(this.about.node);
        }

        /** @param {object} details of the core @param {{now: number, vehicle: Vehicle}} circumstances */
        show(details, { now, vehicle }) {
            this.about.show(vehicle);
            const { wishes } = this;
            const { timeline } = details;
            const { clock } = timeline;
            const today = clock.date(now);
            set(this.mark.firstChild, 'href', `#mark-${details.kind}`);
            set(this.box, 'data-kind', details.kind);
            say(this.name, details.name);
            say(this.words, details.words);
            say(this.zone, details.zoneWords);
            this.zone.hidden = details.zoneWords === '';
            const yesterday = odograph.clock.shifted(today, -1);
            const words = { [today]: 'Today', [yesterday]: 'Yesterday' }[timeline.date] ?? clock.day(timeline.start, now);
            if (document.activeElement !== this.date) this.date.value = timeline.date;
            // An attribute that is set again takes away what is half typed.
            set(this.date, 'max', today);
            this.later.disabled = timeline.date >= today;
            this.now.show(details.now);
            // The hand of the bar goes on by a minute.
            const knownUntil = timeline.knowledge.spans.map(({ from, to }) => [from, to].map((at) => Math.floor(at / 60000)));
            this.#part('timeline', [{ ...timeline, knowledge: knownUntil }, Math.floor(now / 60000)], () => (
                odograph.timelineNodes(timeline, { now, words, clock, onShow: wishes.onShow, onRetry: wishes.onRetry,
                    onAction: wishes.onAction, asking: this.asking })));
            say(this.asking, timeline.isAskingForTrack ? askingWords : '');
            this.#part('schedule', details.schedule, () => scheduleNodes(details.schedule));
            const { fenceEvents, areEventsKnown, hasNoTrack, trackError } = details;
            this.#part('fences', [fenceEvents, areEventsKnown, hasNoTrack, trackError, timeline.isAskingForTrack], () => fenceNodes(details, wishes.onAction));
            this.#part('reported', details.reported, () => reportedNodes(details.reported));
        }

        #part(id, model, make) {
            const key = JSON.stringify(model);
            if (this.said.get(id) === key) return;
            this.said.set(id, key);
            const box = this.parts[id];
            const focused = box.contains(document.activeElement) ? [...box.querySelectorAll('a, button, summary')]
                .indexOf(document.activeElement) : -1;
            const isOpen = box.querySelector('details')?.open ?? false;
            box.replaceChildren(...make());
            if (isOpen) box.querySelector('details')?.setAttribute('open', '');
            if (focused >= 0) box.querySelectorAll('a, button, summary')[focused]?.focus();
        }
    }

    odograph.Panel = Panel;
})(globalThis.odograph ??= {});
