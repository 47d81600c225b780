(function (odograph) {
    'use strict';

    /** A box that is wider or higher may be due to a few positions that are far from all others, share of the world. */
    const wide = 1 / 16;
    /** The share of the positions that is in the fleet's region. */
    const mainShare = 0.9;
    /** A position that is so many times farther from the middle than all of this share is far from the region. */
    const far = 4;

    function boxOf(points) {
        const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
        for (const { x, y } of points) {
            box.left = Math.min(box.left, x);
            box.right = Math.max(box.right, x);
            box.top = Math.min(box.top, y);
            box.bottom = Math.max(box.bottom, y);
        }
        return box;
    }

    const sizeOf = ({ left, top, right, bottom }) => Math.max(right - left, bottom - top);

    function median(values) {
        return [...values].sort((one, other) => one - other)[values.length >> 1];
    }

    /**
     * The box in which a fleet is, on the map's square. Of a fleet that is in one region, a few positions that are far from
     * it, as those of a broken receiver on the equator, do not count.
     * @param {Array<{x: number, y: number}>} points
     * @returns {?{left: number, top: number, right: number, bottom: number}} null without a position
     */
    function overviewOf(points) {
        if (points.length === 0) return null;
        const whole = boxOf(points);
        if (sizeOf(whole) <= wide) return whole;
        const [x, y] = [median(points.map((point) => point.x)), median(points.map((point) => point.y))];
        const distance = (point) => Math.max(Math.abs(point.x - x), Math.abs(point.y - y));
        const distances = points.map(distance).sort((one, other) => one - other);
        const limit = Math.max(wide, far * distances[Math.ceil(points.length * mainShare) - 1]);
        return boxOf(points.filter((point) => distance(point) <= limit));
    }

    odograph.overview = { boxOf, overviewOf };
})(globalThis.odograph ??= {});
