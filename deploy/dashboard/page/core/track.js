(function (odograph) {
    'use strict';

    const { readTrackPoint } = odograph.history;

    /** Over a longer time without a position nobody knows the way, milliseconds: two of the agent's longest intervals. */
    const longestPause = 600000;

    /**
     * The way of a vehicle on one day, without private time.
     * @typedef {object} Track
     * @property {Array<TrackPoint & {isApart: boolean}>} points by time; `isApart`: between the point before and this one is
     *     a time that was not tracked, or is private
     * @property {boolean} isSimplified whether these are the simplified routes of the trips, and not each position
     */

    /** Whether a stop or trip lasts at an instant. */
    const lasts = ({ start, end }, at) => at >= start && at < (end ?? Infinity);

    /**
     * The public positions in order. A row of a track has no tag: the stops and trips say what is private. So a position
     * at a time of which the page knows no stop or trip is left out.
     */
    function publicPoints(points, parts) {
        const [hidden, shown] = [true, false].map((isPrivate) => parts.filter((part) => part.isPrivate === isPrivate));
        const isPublic = ({ at }) => shown.some((part) => lasts(part, at)) && !hidden.some((part) => lasts(part, at));
        return points.filter(isPublic).sort((one, other) => one.at - other.at);
    }

    /** The public positions, each place once. */
    function ordered(points, parts) {
        const sorted = publicPoints(points, parts);
        // A geofence event has the position of its location record.
        const single = sorted.filter((point, index) => index === 0 || point.at !== sorted[index - 1].at
            || point.latitude !== sorted[index - 1].latitude || point.longitude !== sorted[index - 1].longitude);
        const isUntracked = new odograph.Spans(parts.filter((part) => part.isPrivate || part.kind === 'away')).walk();
        return single.map((point, index) => ({ ...point, isApart: index > 0 && isUntracked(single[index - 1].at, point.at) }));
    }

    /**
     * The track that a recorder tells.
     * @param {object[]} rows @param {object[]} parts the day's stops and trips, which say what is private
     * @returns {Track}
     */
    function trackOfRows(rows, parts) {
        const points = rows.map(readTrackPoint).filter((point) => point !== null);
        return { points: ordered(points, parts), isSimplified: false };
    }

    /** The track that the routes of the trips give. @param {object[]} parts @returns {Track} */
    function trackOfParts(parts) {
        const points = parts.flatMap(({ kind, waypoints, place, from, to }) => {
            if (kind === 'trip') return waypoints.map(readTrackPoint);
            // A stop is one place from its beginning to its end.
            return place === null ? [] : [from, to - 1].map((at) => (
                readTrackPoint({ ...place, timestamp: new Date(at).toISOString(), speed: 0, is_moving: false })));
        });
        return { points: ordered(points.filter((point) => point !== null), parts), isSimplified: true };
    }

    /** @returns {number} how many points are not later */
    function countUntil(points, at) {
        let [low, high] = [0, points.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (points[middle].at <= at) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    /**
     * Where the vehicle was at an instant, on the line between two positions.
     * @param {Track} track @param {number} at
     * @returns {?{x: number, y: number, latitude: number, longitude: number, speed: ?number, heading: ?number,
     *     odometer: ?number, isKnown: boolean}} null without any position; not known: within a long time without one
     */
    function positionAt({ points }, at) {
        if (points.length === 0) return null;
        const index = countUntil(points, at);
        const before = points[Math.max(0, index - 1)];
        const after = points[Math.min(points.length - 1, index)];
        const pause = after.at - before.at;
        if (pause <= 0 || at <= before.at) return { ...before, isKnown: true };
        if (after.isApart) return { ...before, speed: null, isKnown: false };
        if (pause > longestPause) return { ...before, speed: null, isKnown: before.isMoving === false };
        const share = (at - before.at) / pause;
        // Over the 180th meridian the short way.
        const eastward = after.x - before.x - Math.round(after.x - before.x);
        const along = before.x + eastward * share;
        const [x, y] = [along - Math.floor(along), before.y + (after.y - before.y) * share];
        return { ...before, x, y, ...odograph.mercator.unproject(x, y), isKnown: true };
    }

    odograph.track = { publicPoints, trackOfRows, trackOfParts, positionAt, longestPause };
})(globalThis.odograph ??= {});
