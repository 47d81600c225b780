(function (odograph) {
    'use strict';

    /** Zooms from which a class is drawn, and its widths: at zoom 10 and 18, pixels. */
    const roads = {
        river: { from: 9, widths: [1, 6] }, minor: { from: 13, widths: [0.5, 9] }, middle: { from: 10.5, widths: [0.8, 12] },
        major: { from: 5, widths: [1.6, 15] },
    };
    /** The edge of a road on both sides, pixels. */
    const edge = 1;

    /** Paints the background that the user has made: roads, water and green. */
    class BackgroundPainter {
        /** @param {Theme} theme */
        constructor(theme) {
            this.theme = theme;
            /** @type {?Object<string, Array<{points: Float64Array, box: object}>>} */
            this.classes = null;
            /** Tiles are shown in place of it. */
            this.isHidden = false;
        }

        paint(pen, view) {
            if (this.classes === null || this.isHidden) return;
            const { colors } = this.theme;
            pen.lineJoin = pen.lineCap = 'round';
            for (const kind of ['green', 'water']) {
                if (!this.#trace(pen, view, kind)) continue;
                pen.fillStyle = colors[kind];
                pen.fill('evenodd');
            }
            this.#stroke(pen, view, 'river', colors.water, 0);
            for (const kind of ['minor', 'middle', 'major']) this.#stroke(pen, view, kind, colors['road-edge'], edge);
            for (const kind of ['minor', 'middle', 'major']) this.#stroke(pen, view, kind, colors[kind === 'major' ? 'road-major' : 'road'], 0);
        }

        #stroke(pen, view, kind, color, more) {
            const { from, widths: [thin, thick] } = roads[kind];
            if (view.zoom < from || !this.#trace(pen, view, kind)) return;
            const share = Math.max(0, Math.min(1, (view.zoom - 10) / 8));
            pen.lineWidth = thin * (thick / thin) ** share + 2 * more;
            pen.strokeStyle = color;
            pen.stroke();
        }

        /** @returns {boolean} whether something of the class can be seen */
        #trace(pen, { world, left, top, width, height }, kind) {
            const [west, north, east, south] = [left / world, top / world, (left + width) / world, (top + height) / world];
            let isSeen = false;
            pen.beginPath();
            for (const { points, box } of this.classes[kind]) {
                if (box.right < west || box.left > east || box.bottom < north || box.top > south) continue;
                isSeen = true;
                pen.moveTo(points[0] * world - left, points[1] * world - top);
                for (let index = 2; index < points.length; index += 2) {
                    pen.lineTo(points[index] * world - left, points[index + 1] * world - top);
                }
            }
            return isSeen;
        }
    }

    odograph.BackgroundPainter = BackgroundPainter;
})(globalThis.odograph ??= {});
