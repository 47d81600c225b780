(function (odograph) {
    'use strict';

    /** Distances between two lines, degrees; the widest that gives lines of at most so many pixels is taken. */
    const steps = [45, 30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005];
    const mostPixels = 220;

    /** Paints meridians and parallels on the plain ground, so that moving and zooming can be seen on it. */
    class GroundPainter {
        /** @param {Theme} theme */
        constructor(theme) {
            this.theme = theme;
            /** Tiles are shown in place of it. */
            this.isHidden = false;
        }

        paint(pen, { world, left, top, width, height }) {
            if (this.isHidden) return;
            const { project, unproject } = odograph.mercator;
            const step = steps.find((degrees) => degrees / 360 * world <= mostPixels) ?? steps.at(-1);
            const northWest = unproject(left / world, top / world);
            const southEast = unproject((left + width) / world, (top + height) / world);
            pen.beginPath();
            for (let index = Math.ceil(northWest.longitude / step); index * step <= southEast.longitude; index += 1) {
                const x = Math.round(project(0, index * step).x * world - left) + 0.5;
                pen.moveTo(x, 0);
                pen.lineTo(x, height);
            }
            for (let index = Math.ceil(southEast.latitude / step); index * step <= northWest.latitude; index += 1) {
                const y = Math.round(project(index * step, 0).y * world - top) + 0.5;
                pen.moveTo(0, y);
                pen.lineTo(width, y);
            }
            pen.lineWidth = 1;
            pen.strokeStyle = this.theme.colors.grid;
            pen.stroke();
        }
    }

    odograph.GroundPainter = GroundPainter;
})(globalThis.odograph ??= {});
