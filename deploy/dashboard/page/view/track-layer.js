(function (odograph) {
    'use strict';

    /** Points that are closer on the screen are one, pixels. */
    const nearPixels = 2;
    const markRadius = 9;
    /** An unknown speed has dashes: a colour alone could be one of the known speeds. Pixels. */
    const dashes = [7, 5];

    /** Paints the track of a day, and the place of the vehicle at the instant of the playback. */
    class TrackPainter {
        /** @param {Theme} theme */
        constructor(theme) {
            this.theme = theme;
            /** @type {?Track} */
            this.track = null;
            /** @type {?{x: number, y: number, heading: ?number, isKnown: boolean}} */
            this.position = null;
        }

        paint(pen, view) {
            if (this.track === null) return;
            const { colors } = this.theme;
            const way = this.#wayOnScreen(view);
            pen.lineJoin = 'round';
            this.#stroke(pen, way, () => true, colors.paper, 7);
            this.#stroke(pen, way, (band) => band < 0, colors.unknown, 4, dashes);
            odograph.speeds.bands.forEach((_, index) => this.#stroke(pen, way, (band) => band === index, colors[`speed-${index}`], 4));
            odograph.paintArrows(pen, view, colors, way.map((point) => (point === null ? null : [point.x, point.y])));
        }

        /** The points of the way on the screen with the band of the speed until the next; null where it is interrupted. */
        #wayOnScreen(view) {
            const { world, top } = view;
            const { longestPause } = odograph.track;
            const way = [];
            let [lastX, lastY, lastTime] = [NaN, NaN, -Infinity];
            for (const { x: pointX, y: pointY, at, isApart, speed, isMoving } of this.track.points) {
                const [x, y] = [pointX * world - odograph.mercator.leftFor(pointX, view), pointY * world - top];
                const isBegun = !isApart && at - lastTime <= longestPause && !odograph.mercator.isTorn(x, lastX, view);
                lastTime = at;
                if (isBegun && Math.abs(x - lastX) + Math.abs(y - lastY) < nearPixels) continue;
                if (!isBegun) way.push(null);
                way.push({ x, y, band: odograph.speeds.bandOf(speed ?? (isMoving === false ? 0 : null)) });
                [lastX, lastY] = [x, y];
            }
            return way;
        }

        #stroke(pen, way, isWanted, color, width, pattern = []) {
            pen.beginPath();
            for (let index = 0; index + 1 < way.length; index += 1) {
                const [one, other] = [way[index], way[index + 1]];
                if (one === null || other === null || !isWanted(other.band)) continue;
                pen.moveTo(one.x, one.y);
                // One line as long as the colour is the same: joints of many short ones would be seen.
                while (way[index + 1] && isWanted(way[index + 1].band)) {
                    index += 1;
                    pen.lineTo(way[index].x, way[index].y);
                }
                // The next piece begins with the last point of this one.
                index -= 1;
            }
            pen.strokeStyle = color;
            pen.lineWidth = width;
            // Round ends would close the gaps between dashes.
            pen.lineCap = pattern.length === 0 ? 'round' : 'butt';
            pen.setLineDash(pattern);
            pen.stroke();
            pen.setLineDash([]);
        }

        /** Paints the mark, above all others. */
        paintMark(pen, view) {
            if (this.track === null || this.position === null) return;
            const { x, y, heading, isKnown } = this.position;
            const { colors } = this.theme;
            pen.save();
            pen.translate(x * view.world - odograph.mercator.leftFor(x, view), y * view.world - view.top);
            pen.beginPath();
            pen.arc(0, 0, markRadius, 0, 2 * Math.PI);
            pen.lineWidth = 3;
            pen.strokeStyle = isKnown ? colors.paper : colors.accent;
            pen.fillStyle = isKnown ? colors.accent : colors.paper;
            pen.fill();
            pen.stroke();
            if (isKnown && heading !== null) {
                pen.rotate(heading * Math.PI / 180);
                pen.beginPath();
                pen.moveTo(0, -5);
                pen.lineTo(3.5, 4);
                pen.lineTo(0, 2);
                pen.lineTo(-3.5, 4);
                pen.closePath();
                pen.fillStyle = colors.paper;
                pen.fill();
            }
            pen.restore();
        }
    }

    odograph.TrackPainter = TrackPainter;
})(globalThis.odograph ??= {});
