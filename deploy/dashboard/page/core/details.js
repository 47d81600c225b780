(function (odograph) {
    'use strict';

    const { format, condition: { scheduleAt, levelsBehind } } = odograph;

    /** Ranges of the ledger that a panel shows. */
    const shownRanges = 10;
    /** Refused parts that a panel shows: an agent reports at most 20 of a level. */
    const shownErrors = 100;

    /** Two right clocks differ by less, milliseconds. */
    const mostSkew = 5000;

    const pair = (term, words) => ({ term, words });

    function odometerWords({ odometer, odometerError }) {
        if (odometer === null) return '–';
        return `${format.distance(odometer)}${odometerError === null ? '' : ` ± ${format.distance(odometerError)}`}`;
    }

    function batteryWords({ level, isCharging }) {
        return `${format.percent(level)}${isCharging ? ', charging' : ''}`;
    }

    /** A position is not of the future: one of the two clocks is wrong. */
    function ageWords(age) {
        return age > -mostSkew ? `${format.duration(age)} ago` : `${format.duration(-age)} ahead of the clock of this machine`;
    }

    /** What is the case now, as terms and words. */
    function nowOf(vehicle, condition, { now, clock, addressOf }) {
        const lines = [];
        const fix = condition.isPrivate ? null : vehicle.fix;
        if (fix !== null) {
            if (condition.speed !== null) {
                lines.push(pair('Speed', format.speed(condition.speed)));
                if (fix.heading !== null) lines.push(pair('Heading', format.heading(fix.heading)));
            }
            const accuracy = fix.accuracy === null ? '' : ` ± ${Math.max(1, Math.round(fix.accuracy))} m`;
            const place = `${fix.latitude.toFixed(5)}, ${fix.longitude.toFixed(5)}`;
            lines.push({ ...pair('Position', `${place}${accuracy}`), place: place.replace(' ', '') });
            const address = addressOf(fix);
            if (address !== '') lines.push(pair('Address', address));
            lines.push(pair('As of', `${clock.timeOrDay(fix.at, now)}:${clock.time(fix.at).slice(-2)}, ${ageWords(now - fix.at)}`));
        } else if (condition.isPrivate) {
            lines.push(pair('Position', 'Private: distances and times only'));
        }
        if (Number.isFinite(vehicle.heardAt)) lines.push(pair('Last message', `${format.duration(now - vehicle.heardAt)} ago`));
        // An older position's odometer is not the present one's.
        const counted = condition.isPrivate ? vehicle.privately : fix;
        if (counted !== null) lines.push(pair('Odometer', odometerWords(counted)));
        if (condition.battery !== null) lines.push(pair('Battery', batteryWords(condition.battery)));
        if (fix?.driver) lines.push(pair('Driver', fix.driver));
        if (fix?.beacons?.length > 0) lines.push(pair('Aboard', fix.beacons.join(', ')));
        if (fix?.tag) lines.push(pair('Tag', fix.tag));
        for (const [key, words] of fix?.extras ?? []) lines.push(pair(key, words));
        if (fix?.isMock) lines.push(pair('Source', 'simulated or replayed'));
        return lines;
    }

    const offSchedule = new Map([['stop', 'not tracked'], ['tag', 'tracked, with a tag'], ['private', 'private']]);

    function scheduleOf({ reported }, { now, clock }) {
        if (reported === null) return null;
        const { expressions = null, zone = null } = reported.configuration ?? {};
        if (!reported.isEnabled) return { words: 'Tracking is turned off.', expressions, zone, changes: [] };
        // A report that leaves the configuration out still tells the schedule by its changes.
        const isAlways = expressions === null && reported.within && reported.changes.length === 0;
        if (isAlways) return { words: 'Tracked at all times.', expressions: null, zone: null, changes: [] };
        const { within, next } = scheduleAt(reported, now);
        const present = within ? 'Within schedule' : `Off schedule: ${offSchedule.get(reported.offSchedule) ?? 'closed'}`;
        const change = next === null ? ''
            : ` until ${clock.timeOrDay(next.at, now)}, in ${format.duration(next.at - now)}`;
        const changes = reported.changes.filter(({ at }) => at > now)
            .map(({ at, within: opens }) => ({ at, words: clock.dayAndTime(at, now), opens }));
        return { words: `${present}${change}.`, expressions, zone, changes };
    }

    function fenceEventsOf(vehicle, past, parts, { fenceNames, clock }) {
        const told = past.trackRows === null ? [] : odograph.dayEvents.eventsOfRows(past.trackRows, parts);
        const privateParts = parts.filter(({ isPrivate }) => isPrivate);
        // Where a dwell or a speed began in private use, it tells of that.
        const isPrivateSince = (from, to) => privateParts.some((part) => part.start < to && (part.end ?? Infinity) > from);
        return odograph.dayEvents.eventsOfDay(vehicle.fenceEvents, told, past.day).map(({ at, occurredAt, geofence }) => {
            const { identifier, name, action, peak, dwell, isInitial } = geofence;
            const notes = [];
            const isHidden = isPrivateSince(occurredAt - (dwell ?? 0) * 1000, occurredAt);
            if (peak !== null && !isHidden) notes.push(`up to ${format.speed(peak)}`);
            if (isInitial) notes.push('was already inside');
            if (dwell !== null && !isHidden) notes.push(`after ${format.duration(dwell * 1000)}`);
            if (at - occurredAt >= 60000) notes.push(`known ${format.duration(at - occurredAt)} later`);
            return {
                time: clock.timeOrDay(occurredAt, past.day.start), notes: notes.join(', '),
                words: `${format.action(action)} ${name || fenceNames.get(identifier) || identifier}`,
            };
        });
    }

    /** The traffic budget in words; null without one. */
    function budgetWords(budget, { now, clock }) {
        if (budget === null) return null;
        const used = `${Math.floor(budget.bytes / budget.limit * 100)} % of ${Math.round(budget.limit / 1e6)} MB used`;
        const end = budget.until === null ? '' : ` until ${clock.timeOrDay(budget.until, now)}`;
        if (budget.step === 'exhausted') return `${used}, positions wait in the vehicle${end}`;
        return budget.step === 'low' ? `${used}, positions come every ten minutes${end}` : used;
    }

    function reportedOf(vehicle, documents, { now, clock }) {
        const { reported, status } = vehicle;
        const problems = (status?.problems ?? []).map(({ text, since }) => (
            since === null ? text : `${text} (since ${clock.timeOrDay(since, now)})`));
        const none = { problems, version: status?.version ?? null, levels: [], errors: [], ledger: [], fences: null,
            certificates: [],
            budget: null };
        if (reported === null) return none;
        const behind = new Map(levelsBehind(vehicle, documents).map((entry) => [entry.level, entry]));
        const known = new Set(reported.levels.map((entry) => entry.level));
        const unseen = [...behind.keys()].filter((level) => !known.has(level))
            .map((level) => ({ level, version: null, inForce: null }));
        const levels = [...reported.levels, ...unseen].map(({ level, version, inForce }) => {
            const entry = behind.get(level);
            const state = entry === undefined ? 'in force' : entry.isRefused ? 'refused' : 'not applied yet';
            return { level, version: version ?? '–', state, inForce, isFine: entry === undefined };
        });
        const errors = [...reported.errors, ...reported.geofences.errors].slice(0, shownErrors)
            .map(({ topic, identifier, path, value, message }) => (
                { where: [topic, identifier, path].filter(Boolean).join(' '), value, message }));
        // What was never recorded is no loss.
        const given = reported.ledger.filter(({ reason }) => reason !== 'never_assigned');
        const ledger = given.slice(-shownRanges).reverse().map(({ count, kind, reason, from, to }) => {
            const records = `${count} ${kind ?? 'record'}${count === 1 ? '' : 's'}`;
            const numbers = `${from ?? '?'}–${to ?? '?'}`;
            return reason === 'possibly_lost' ? `up to ${records} possibly lost: ${numbers}`
                : `${records} given up (${reason}): ${numbers}`;
        });
        const { certificateWords, certificateMilliseconds } = odograph.alertWords;
        const certificates = Object.entries(reported.certificates).map(([whose, end]) => (
            { words: certificateWords(whose, end, now, clock), isBad: now >= end - certificateMilliseconds }));
        return {
            certificates,
            problems, version: reported.version, levels, errors, ledger,
            fences: reported.geofences.count, budget: budgetWords(reported.budget, { now, clock }),
            at: clock.timeOrDay(reported.at, now),
        };
    }

    /**
     * All that a vehicle's panel says, in words. Its times are those of the vehicle's zone.
     * @param {{vehicle: Vehicle, name: string, condition: Condition}} entry
     * @param {{now: number, past: PastDay, documents: Map<string, string>, privateTags: string[], fenceNames: Map<string, string>,
     *     addressOf?: (place: object) => string}} circumstances
     */
    function detailsOf({ vehicle, name, condition }, { now, past, documents, privateTags, fenceNames, addressOf = () => '' }) {
        const stays = past.all();
        const { day } = past;
        const clock = odograph.clock.clockOf(odograph.zoneOf(vehicle));
        const isOnline = odograph.knowledge.isOnline(vehicle);
        const timeline = odograph.day.timelineOf(stays, { ...day, now, isOnline, privateTags, isPrivateNow: condition.isPrivate });
        return {
            name, kind: condition.kind,
            words: odograph.roster.conditionWords(vehicle, condition, now, clock),
            zoneWords: clock.zone === odograph.clock.clockOf(null).zone ? '' : `Times of the vehicle: ${clock.zoneWords(now)}`,
            now: nowOf(vehicle, condition, { now, clock, addressOf }),
            timeline: {
                ...timeline,
                parts: timeline.parts.map((part) => ({ ...part, address: part.place === null ? '' : addressOf(part.place) })),
                knowledge: odograph.knowledge.knowledgeOf(vehicle, stays, { day, now }),
                clock, asked: past.askedWords(), isAskingForTrack: past.isAskingForTrack,
            },
            schedule: scheduleOf(vehicle, { now, clock }),
            fenceEvents: fenceEventsOf(vehicle, past, timeline.parts, { fenceNames, clock }),
            // A day of which the recorder has told all positions has all of its events.
            areEventsKnown: past.trackRows !== null, hasNoTrack: past.hasNoTrack, trackError: past.trackError,
            reported: reportedOf(vehicle, documents, { now, clock }),
        };
    }

    odograph.detailsOf = detailsOf;
})(globalThis.odograph ??= {});
