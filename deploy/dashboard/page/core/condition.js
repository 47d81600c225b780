(function (odograph) {
    'use strict';

    /** The agent's defaults, seconds: what `reported` leaves out has them. */
    const defaultHeartbeat = 3600;
    const defaultMaximumInterval = 300;
    /** A speed is told as the present one for so long, milliseconds: the protocol calls a record live that long. */
    const liveMilliseconds = 30000;
    /** A slower vehicle on a trip waits, as at a traffic light, metres a second: a walking pace. */
    const walkingPace = 1.2;

    /**
     * How a vehicle is.
     * @typedef {object} Condition
     * @property {'moving' | 'parked' | 'silent' | 'private' | 'off' | 'stopped' | 'unknown'} kind what its mark looks like
     * @property {boolean} isSilent @property {boolean} isOffSchedule @property {boolean} isPrivate
     * @property {boolean} isStopped its agent has announced that it ends, as at the end of a day
     * @property {?number} stoppedAt when it did so, milliseconds since 1970
     * @property {?number} speed metres a second, where it is on a trip and this is the present speed
     * @property {boolean} hasLowBattery @property {boolean} isBehind its configuration is not the newest
     * @property {object[]} problems that the vehicle reports, while it is connected
     * @property {?string} silence why it is silent, in words
     */

    /**
     * The schedule at a moment: what was reported, and the changes since.
     * @param {object} reported @param {number} now
     * @returns {{within: boolean, next: ?{at: number, within: boolean}}}
     */
    function scheduleAt(reported, now) {
        let within = reported.within;
        for (const change of reported.changes) {
            if (change.at > now) return { within, next: change };
            within = change.within;
        }
        return { within, next: null };
    }

    /**
     * How long a vehicle may say nothing before it counts as silent: two of its longest pauses.
     * @param {Vehicle} vehicle
     * @returns {number} milliseconds; Infinity where it need not speak
     */
    function patience({ fix, reported }) {
        const pause = fix?.isMoving ? reported?.configuration?.maximumInterval ?? defaultMaximumInterval
            : reported?.configuration?.heartbeat ?? defaultHeartbeat;
        return pause > 0 ? pause * 2000 : Infinity;
    }

    /** Whether the agent has taken its leave. What is announced needs no alarm. */
    const hasStopped = ({ status }) => status !== null && !status.isOnline && status.reason === 'stopped';

    /** Whether the vehicle moves, or moved last, and its newest position is not the present one. */
    const hasLostPosition = ({ status }) => (status?.problems ?? []).some(({ code }) => code === 'position_lost');

    function silence(vehicle, isResting, now) {
        const { status } = vehicle;
        if (hasStopped(vehicle)) return null;
        if (status !== null && !status.isOnline) return 'no connection';
        // Of a vehicle that was never heard of, only people have written something.
        const wasHeard = Number.isFinite(vehicle.heardAt);
        return !isResting && wasHeard && now - vehicle.heardAt > patience(vehicle) ? 'no message' : null;
    }

    /** @param {Vehicle} vehicle @returns {string[]} the levels that it listens to, the weakest first */
    function levelsOf({ name, reported }) {
        return ['all', ...(reported?.groups ?? []).map((group) => `group:${group}`), name];
    }

    /**
     * Why a vehicle's configuration is not what was published, level by level.
     * @param {Vehicle} vehicle @param {Map<string, string>} documents
     * @returns {Array<{level: string, isRefused: boolean}>} empty where all is in force
     */
    function levelsBehind(vehicle, documents) {
        const { reported, fleet } = vehicle;
        if (reported === null) return [];
        const behind = [];
        for (const level of levelsOf(vehicle)) {
            const wanted = documents.get(`${fleet}/${level}`);
            const known = reported.levels.find((entry) => entry.level === level);
            const isOld = wanted !== undefined && known?.hash !== wanted;
            const isRefused = known !== undefined && !known.isApplied;
            if (isOld || isRefused) behind.push({ level, isRefused: isRefused && !isOld });
        }
        return behind;
    }

    function kindOf(vehicle, { isPrivate, isSilent, isResting }) {
        if (isPrivate) return 'private';
        if (isSilent) return 'silent';
        if (hasStopped(vehicle)) return 'stopped';
        if (isResting) return 'off';
        if (vehicle.fix === null || hasLostPosition(vehicle)) return 'unknown';
        return vehicle.fix.isMoving ? 'moving' : 'parked';
    }

    /**
     * The present speed. A vehicle that stood at its newest record still stands: it makes no record until it has driven
     * on. So its speed stays the present one, and any other one for a short time only.
     */
    function presentSpeed({ at, speed }, now) {
        return speed !== null && (speed < walkingPace || now - at <= liveMilliseconds) ? speed : null;
    }

    /** Whether the stop or trip that lasts is private, and no newer position says that it has ended. */
    function isInPrivateStay(vehicle, privateTags) {
        const stay = odograph.roster.presentStay(vehicle);
        if (stay === null || (vehicle.fix !== null && vehicle.fix.at > Math.max(stay.start, stay.updated))) return false;
        return odograph.day.isPrivateStay(stay, privateTags, false);
    }

    /**
     * @param {Vehicle} vehicle
     * @param {{now: number, documents: Map<string, string>, lowBattery: number, privateTags: string[]}} circumstances
     * @returns {Condition}
     */
    function conditionOf(vehicle, { now, documents, lowBattery, privateTags = [] }) {
        const { reported, fix, privately } = vehicle;
        const isWithin = reported === null || scheduleAt(reported, now).within;
        const isPrivatelyLast = privately !== null && (fix === null || privately.at > fix.at);
        const isPrivate = (reported?.offSchedule === 'private' && !isWithin) || isPrivatelyLast
            || isInPrivateStay(vehicle, privateTags);
        const isResting = reported !== null
            && (!reported.isEnabled || (reported.offSchedule === 'stop' && !isWithin));
        const why = silence(vehicle, isResting || isPrivate, now);
        const battery = (isPrivatelyLast ? privately : fix)?.battery ?? null;
        const kind = kindOf(vehicle, { isPrivate, isSilent: why !== null, isResting });
        return {
            kind, speed: kind === 'moving' ? presentSpeed(fix, now) : null,
            isSilent: why !== null, silence: why, isPrivate, isResting, isOffSchedule: !isWithin,
            isStopped: hasStopped(vehicle), stoppedAt: hasStopped(vehicle) ? vehicle.status.at : null,
            battery, hasLowBattery: battery !== null && !battery.isCharging && battery.level < lowBattery,
            isBehind: levelsBehind(vehicle, documents).length > 0,
            problems: vehicle.status?.isOnline ? vehicle.status.problems : [],
        };
    }

    /** What each kind is called, in the order of the legend. */
    const kindWords = {
        moving: 'Moving, or in traffic', parked: 'Parked', silent: 'Silent without notice', stopped: 'Off: the agent was stopped',
        off: 'Off schedule, or tracking off', private: 'Private', unknown: 'No position',
    };

    odograph.condition = { kindWords, walkingPace, conditionOf, scheduleAt, levelsBehind, levelsOf };
})(globalThis.odograph ??= {});
