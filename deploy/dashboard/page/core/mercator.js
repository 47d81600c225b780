(function (odograph) {
    'use strict';

    /** The edge of a map tile in pixels at a whole zoom, as all web maps have it. */
    const tilePixels = 256;
    /** The sphere of the web's Mercator map, metres (EPSG:3857). */
    const radiusMeters = 6378137;
    /** Degrees north at which the map is a square (EPSG:3857). */
    const northEdge = 85.0511287798066;

    /**
     * A place on the square of the whole world: 0 to 1 from west to east and from north to south.
     * @param {number} latitude degrees north
     * @param {number} longitude degrees east
     * @returns {{x: number, y: number}}
     */
    function project(latitude, longitude) {
        const bounded = Math.max(-northEdge, Math.min(northEdge, latitude));
        const sine = Math.sin(bounded * Math.PI / 180);
        return {
            x: longitude / 360 + 0.5,
            y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI),
        };
    }

    /**
     * The other way round.
     * @param {number} x @param {number} y
     * @returns {{latitude: number, longitude: number}}
     */
    function unproject(x, y) {
        const latitude = (2 * Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) - Math.PI / 2) * 180 / Math.PI;
        return { latitude, longitude: (x - 0.5) * 360 };
    }

    /** @param {number} zoom @returns {number} the whole world's width in pixels */
    const worldPixels = (zoom) => tilePixels * 2 ** zoom;

    /**
     * @param {number} latitude degrees north, for the map grows towards the poles
     * @param {number} zoom
     * @returns {number} pixels of one metre there
     */
    function pixelsPerMeter(latitude, zoom) {
        return worldPixels(zoom) / (2 * Math.PI * radiusMeters * Math.cos(latitude * Math.PI / 180));
    }

    /**
     * The left edge of a view for what is at `x`: the world repeats itself beyond its 180th meridian, and the copy that is
     * nearest to the middle of the view counts.
     * @param {number} x on the map's square @param {View} view @returns {number} pixels
     */
    function leftFor(x, { world, left, width }) {
        return left - Math.round((left + width / 2) / world - x) * world;
    }

    /** @returns {boolean} whether a line between two points of the screen would lead round the world */
    const isTorn = (x, otherX, { world }) => Math.abs(x - otherX) > world / 2;

    /**
     * A way on the screen.
     * @param {Array<{x: number, y: number}>} points on the map's square @param {View} view
     * @returns {Array<?[number, number]>} pixels; null where the line is interrupted
     */
    function wayOnScreen(points, view) {
        const way = [];
        for (const { x, y } of points) {
            const point = [x * view.world - leftFor(x, view), y * view.world - view.top];
            if (way.length > 0 && isTorn(point[0], way.at(-1)[0], view)) way.push(null);
            way.push(point);
        }
        return way;
    }

    odograph.mercator = { project, unproject, worldPixels, pixelsPerMeter, leftFor, isTorn, wayOnScreen };
})(globalThis.odograph ??= {});
