(function (odograph) {
    'use strict';

    /** Pixels along a way between two arrows. */
    const between = 90;

    /**
     * Paints the direction of travel on a way: small arrows at equal distances.
     * @param {CanvasRenderingContext2D} pen @param {{width: number, height: number}} view @param {{ink: string, paper: string}} colors
     * @param {Iterable<?[number, number]>} points of the way on the screen; null: it is interrupted
     */
    function paintArrows(pen, { width, height }, { ink, paper }, points) {
        let [last, rest] = [null, between / 2];
        pen.beginPath();
        for (const point of points) {
            if (point === null || last === null) {
                [last, rest] = [point, between / 2];
                continue;
            }
            const [dx, dy] = [point[0] - last[0], point[1] - last[1]];
            const length = Math.hypot(dx, dy);
            // What lies outside gets none; a way that leads far there would get millions.
            const isSeen = Math.max(point[0], last[0]) > 0 && Math.max(point[1], last[1]) > 0 && Math.min(point[0], last[0]) < width
                && Math.min(point[1], last[1]) < height;
            if (isSeen && length < 20 * (width + height)) {
                let along = rest;
                for (; along <= length; along += between) arrow(pen, last[0] + dx * along / length, last[1] + dy * along / length, dx / length, dy / length);
                rest = along - length;
            }
            last = point;
        }
        pen.lineJoin = 'round';
        pen.lineWidth = 2.5;
        pen.strokeStyle = paper;
        pen.stroke();
        pen.fillStyle = ink;
        pen.fill();
    }

    /** An arrow that points into a direction, of which the length is 1. */
    function arrow(pen, x, y, dx, dy) {
        pen.moveTo(x + 6 * dx, y + 6 * dy);
        pen.lineTo(x - 4 * dx - 4.5 * dy, y - 4 * dy + 4.5 * dx);
        pen.lineTo(x - 1.5 * dx, y - 1.5 * dy);
        pen.lineTo(x - 4 * dx + 4.5 * dy, y - 4 * dy - 4.5 * dx);
        pen.closePath();
    }

    odograph.paintArrows = paintArrows;
})(globalThis.odograph ??= {});
