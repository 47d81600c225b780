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

    /** @param {number} band @returns {string} as `30–50 km/h` */
    function bandWords(band) {
        return band === bands.length - 1 ? `${bands[band]} km/h and more` : `${bands[band]}–${bands[band + 1]} km/h`;
    }

    /**
     * The speed over a time, as a graph has it: of each column the greatest one.
     * @param {Track} track @param {number} columns
     * @returns {{from: number, to: number, top: number, greatest: ?{at: number, speed: number}, values: Array<?number>}}
     *     `values` are metres a second, null where nothing is known; `top` is the upper end of the scale, metres a second
     */
    function profileOf({ points }, columns) {
        const [from, to] = [points[0].at, points.at(-1).at];
        const values = new Array(columns).fill(null);
        const columnOf = (at) => Math.min(columns - 1, Math.floor((at - from) / Math.max(1, to - from) * columns));
        let greatest = null;
        points.forEach(({ at, speed, isApart, isMoving }, index) => {
            const before = points[index - 1];
            if (speed !== null && (greatest === null || speed > greatest.speed)) greatest = { at, speed };
            const last = columnOf(at);
            const isJoined = before !== undefined && !isApart && (at - before.at <= odograph.track.longestPause || before.isMoving === false);
            const first = isJoined ? columnOf(before.at) : last;
            // Between two positions it drove as fast as at the first of them.
            for (let column = first; column < last; column += 1) values[column] = Math.max(values[column] ?? 0, before.isMoving === false ? 0 : before.speed ?? 0);
            values[last] = Math.max(values[last] ?? 0, isMoving === false ? 0 : speed ?? (isJoined ? before.speed : null) ?? 0);
        });
        const steps = [30, 50, 90, 130, 180, 250, 400];
        const fastest = kilometersPerHour(greatest?.speed ?? 0);
        return { from, to, values, greatest, top: (steps.find((step) => step >= fastest) ?? Math.ceil(fastest / 100) * 100) / 3.6 };
    }

    odograph.speeds = { bands, bandOf, bandWords, profileOf };
})(globalThis.odograph ??= {});
