(function (odograph) {
    'use strict';

    /** The bands of speed that have a colour each, kilometres an hour: where each begins. */
    const bands = Object.freeze([0, 30, 50, 80, 120]);
    const kilometersPerHour = (speed) => speed * 3.6;

    /** @param {?number} speed metres a second @returns {number} the index of its band; −1: it is not known */
    function bandOf(speed) {
        if (speed === null || speed === undefined) return -1;
        return Math.max(0, bands.findLastIndex((from) => kilometersPerHour(speed) >= from));
    }

    /** The words for the way of a vehicle that tells no speed. */
    const unknownWords = 'speed not known';

    /** @param {number} band @returns {string} as `30–50 km/h` */
    function bandWords(band) {
        return band === bands.length - 1 ? `${bands[band]} km/h and more` : `${bands[band]}–${bands[band + 1]} km/h`;
    }

    const isDriving = ({ isMoving }) => isMoving !== false;

    /** @param {TrackPoint[]} points @returns {boolean} whether a vehicle that drives does not always tell its speed */
    const hasUnknown = (points) => points.some((point) => isDriving(point) && bandOf(point.speed) < 0);

    /**
     * The greatest speed. That of a stop does not count where the vehicle has driven: it would be 0 for a day of which no
     * trip tells a speed.
     * @param {TrackPoint[]} points @returns {?{at: number, speed: number}}
     */
    function greatestOf(points) {
        const counted = points.some(isDriving) ? points.filter(isDriving) : points;
        return counted.reduce((found, { at, speed }) => (
            speed !== null && (found === null || speed > found.speed) ? { at, speed } : found), null);
    }

    /**
     * The speed over a time, as a graph has it: of each column the greatest one.
     * @param {Track} track @param {number} columns
     * @returns {{from: number, to: number, top: number, greatest: ?{at: number, speed: number}, values: Array<?number>}}
     *     `values` are metres a second, null where no speed is known; `top` is the upper end of the scale, metres a second
     */
    function profileOf({ points }, columns) {
        const [from, to] = [points[0].at, points.at(-1).at];
        const values = new Array(columns).fill(null);
        const columnOf = (at) => Math.min(columns - 1, Math.floor((at - from) / Math.max(1, to - from) * columns));
        const greatest = greatestOf(points);
        const raise = (column, speed) => { if (speed !== null) values[column] = Math.max(values[column] ?? 0, speed); };
        points.forEach((point, index) => {
            const { at, isApart } = point;
            const before = points[index - 1];
            const last = columnOf(at);
            const isJoined = before !== undefined && !isApart && (at - before.at <= odograph.track.longestPause || !isDriving(before));
            const first = isJoined ? columnOf(before.at) : last;
            // Between two positions it drove as fast as at the first of them.
            for (let column = first; column < last; column += 1) raise(column, isDriving(before) ? before.speed : 0);
            raise(last, isDriving(point) ? point.speed ?? (isJoined ? before.speed : null) : 0);
        });
        const steps = [30, 50, 90, 130, 180, 250, 400];
        const fastest = kilometersPerHour(greatest?.speed ?? 0);
        return { from, to, values, greatest, top: (steps.find((step) => step >= fastest) ?? Math.ceil(fastest / 100) * 100) / 3.6 };
    }

    odograph.speeds = { bands, bandOf, bandWords, unknownWords, hasUnknown, profileOf };
})(globalThis.odograph ??= {});
