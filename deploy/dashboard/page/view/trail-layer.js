(function (odograph) {
    'use strict';

    /** Points of all trails together that are drawn at once: what a slow machine draws in a few milliseconds. */
    const mostPoints = 12000;
    /** The fewest points of one trail. */
    const fewestPoints = 8;
    /** Points that are closer on the screen are one, pixels. */
    const nearPixels = 2.5;
    /** Paints the ways that vehicles came, and the trips of the day of the one that is looked at. */
    class TrailPainter {
        /** @param {Theme} theme */
        constructor(theme) {
            this.theme = theme;
            /** @type {Array<{vehicle: Vehicle, condition: Condition}>} */
            this.entries = [];
            /** @type {?Vehicle} */
            this.selected = null;
            /** @type {Array<Array<{x: number, y: number}>>} */
            this.trips = [];
        }

        paint(pen, view) {
            const shown = this.entries.filter(({ vehicle, condition: { isPrivate } }) => (
                !isPrivate && vehicle.trail.length > 1 && vehicle !== this.selected && isNear(vehicle, view)));
            const each = Math.max(fewestPoints, Math.floor(mostPoints / Math.max(1, shown.length)));
            pen.lineJoin = pen.lineCap = 'round';
            pen.globalAlpha = 0.55;
            for (const kind of ['parked', 'silent', 'off', 'stopped', 'moving']) {
                pen.beginPath();
                for (const { vehicle, condition } of shown) {
                    if (condition.kind === kind) this.#trail(pen, view, vehicle, each);
                }
                pen.lineWidth = kind === 'moving' ? 2 : 1.25;
                pen.strokeStyle = this.theme.colors[kind];
                pen.stroke();
            }
            this.#paintSelected(pen, view);
            pen.globalAlpha = 1;
        }

        #paintSelected(pen, view) {
            const entry = this.entries.find(({ vehicle }) => vehicle === this.selected);
            if (entry === undefined) return;
            pen.globalAlpha = 0.45;
            pen.strokeStyle = this.theme.colors.accent;
            pen.lineWidth = 3;
            pen.beginPath();
            const ways = this.trips.map((trip) => odograph.mercator.wayOnScreen(trip, view));
            for (const way of ways) {
                way.forEach((point, index) => {
                    if (point !== null) pen[way[index - 1] ? 'lineTo' : 'moveTo'](...point);
                });
            }
            pen.stroke();
            pen.globalAlpha = 1;
            for (const way of ways) odograph.paintArrows(pen, view, this.theme.colors, way);
            if (entry.condition.isPrivate) return;
            // The arrows have their own pens.
            pen.strokeStyle = this.theme.colors.accent;
            pen.lineWidth = 3;
            pen.globalAlpha = 0.9;
            pen.beginPath();
            this.#trail(pen, view, entry.vehicle, Infinity);
            pen.stroke();
        }

        #trail(pen, view, { trail, untracked }, most) {
            const { world, top } = view;
            const first = Math.max(0, trail.length - most);
            const isUntracked = untracked.walk();
            let [lastX, lastY] = [NaN, NaN];
            for (let i = first; i < trail.length; i += 1) {
                const x = trail.xs[i] * world - odograph.mercator.leftFor(trail.xs[i], view);
                const y = trail.ys[i] * world - top;
                const isBegun = i > first && trail.times[i] - trail.times[i - 1] <= odograph.track.longestPause
                    && !isUntracked(trail.times[i - 1], trail.times[i]) && !odograph.mercator.isTorn(x, lastX, view);
                const isNear = Math.abs(x - lastX) + Math.abs(y - lastY) < nearPixels;
                if (isBegun && isNear && i < trail.length - 1) continue;
                if (isBegun) pen.lineTo(x, y);
                else pen.moveTo(x, y);
                [lastX, lastY] = [x, y];
            }
        }
    }

    /** Whether a vehicle is on the screen or not far from it. */
    function isNear({ fix }, view) {
        const { world, top, width, height } = view;
        const x = fix.x * world - odograph.mercator.leftFor(fix.x, view);
        const y = fix.y * world - top;
        return x > -width / 2 && y > -height / 2 && x < 1.5 * width && y < 1.5 * height;
    }

    odograph.TrailPainter = TrailPainter;
})(globalThis.odograph ??= {});
