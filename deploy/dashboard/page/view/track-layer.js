(function (odograph) {
    'use strict';

    /** Points that are closer on the screen are one, pixels. */
    const nearPixels = 2;
    const markRadius = 9;

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

        paint(pen, { world, left, top }) {
            if (this.track === null) return;
            const { longestPause } = odograph.track;
            let [lastX, lastY, lastTime] = [NaN, NaN, -Infinity];
            pen.beginPath();
            for (const { x, y, at, isApart } of this.track.points) {
                const [px, py] = [x * world - left, y * world - top];
                const isBegun = !isApart && at - lastTime <= longestPause;
                if (isBegun && Math.abs(px - lastX) + Math.abs(py - lastY) < nearPixels) {
                    lastTime = at;
                    continue;
                }
                if (isBegun) pen.lineTo(px, py);
                else pen.moveTo(px, py);
                [lastX, lastY, lastTime] = [px, py, at];
            }
            pen.lineJoin = pen.lineCap = 'round';
            pen.strokeStyle = this.theme.colors.paper;
            pen.lineWidth = 6;
            pen.stroke();
            pen.strokeStyle = this.theme.colors.accent;
            pen.lineWidth = 3;
            pen.stroke();
        }

        /** Paints the mark, above all others. */
        paintMark(pen, { world, left, top }) {
            if (this.track === null || this.position === null) return;
            const { x, y, heading, isKnown } = this.position;
            const { colors } = this.theme;
            pen.save();
            pen.translate(x * world - left, y * world - top);
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
