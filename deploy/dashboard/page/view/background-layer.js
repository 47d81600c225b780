(function (odograph) {
    'use strict';

    /** Zooms from which a class is drawn, and its widths: at zoom 10 and 18, pixels. */
    const roads = {
        river: { from: 9, widths: [1, 6] }, minor: { from: 13, widths: [0.5, 9] }, middle: { from: 10.5, widths: [0.8, 12] },
        major: { from: 5, widths: [1.6, 15] },
    };
    /** The edge of a road on both sides, pixels. */
    const edge = 1;
    /** Points that are closer on the screen are one, pixels. */
    const nearPixels = 1.5;
    /** What is drawn around the view, so that the map can be moved without drawing it again, pixels. */
    const margin = 256;

    /** Paints the background that the user has made: roads, water and green. It keeps the picture while the map is moved. */
    class BackgroundPainter {
        #picture = null;

        /** @param {Theme} theme */
        constructor(theme) {
            this.theme = theme;
            /** @type {?Background} */
            this.background = null;
            /** Tiles are shown in place of it. */
            this.isHidden = false;
            /** How often it was drawn. */
            this.count = 0;
        }

        paint(pen, view) {
            if (this.background === null || this.isHidden) return;
            if (!this.#fits(view)) this.#draw(view);
            const { canvas, left, top, width, height } = this.#picture;
            pen.drawImage(canvas, left - view.left, top - view.top, width, height);
        }

        #fits({ world, left, top, width, height, scale }) {
            const picture = this.#picture;
            return picture !== null && picture.world === world && picture.scale === scale && picture.colors === this.theme.colors
                && left >= picture.left && top >= picture.top && left + width <= picture.left + picture.width
                && top + height <= picture.top + picture.height;
        }

        #draw(view) {
            const [width, height] = [view.width + 2 * margin, view.height + 2 * margin];
            // Whole pixels, so that the picture is not blurred where it lies.
            const [left, top] = [Math.round(view.left - margin), Math.round(view.top - margin)];
            const canvas = this.#picture?.canvas ?? document.createElement('canvas');
            canvas.width = Math.round(width * view.scale);
            canvas.height = Math.round(height * view.scale);
            this.#picture = { canvas, left, top, width, height, world: view.world, scale: view.scale, colors: this.theme.colors };
            this.count += 1;
            const pen = canvas.getContext('2d');
            pen.setTransform(view.scale, 0, 0, view.scale, 0, 0);
            this.#paintAll(pen, { ...view, left, top, width, height });
        }

        #paintAll(pen, view) {
            const { colors } = this.theme;
            pen.lineJoin = pen.lineCap = 'round';
            for (const kind of ['green', 'water']) {
                pen.fillStyle = colors[kind];
                pen.fill(this.#pathOf(view, kind), 'evenodd');
            }
            const paths = new Map(Object.keys(roads).filter((kind) => view.zoom >= roads[kind].from).map((kind) => [kind, this.#pathOf(view, kind)]));
            const share = Math.max(0, Math.min(1, (view.zoom - 10) / 8));
            const stroke = (kind, color, more) => {
                if (!paths.has(kind)) return;
                const { widths: [thin, thick] } = roads[kind];
                pen.lineWidth = thin * (thick / thin) ** share + 2 * more;
                pen.strokeStyle = color;
                pen.stroke(paths.get(kind));
            };
            stroke('river', colors.water, 0);
            for (const kind of ['minor', 'middle', 'major']) stroke(kind, colors['road-edge'], edge);
            for (const kind of ['minor', 'middle', 'major']) stroke(kind, colors[kind === 'major' ? 'road-major' : 'road'], 0);
        }

        /** What of a class lies in the view. @returns {Path2D} */
        #pathOf({ world, left, top, width, height }, kind) {
            const path = new Path2D();
            const lines = this.background.classes[kind];
            const { points, starts } = lines;
            lines.within({ left: left / world, top: top / world, right: (left + width) / world, bottom: (top + height) / world }, (index) => {
                let [lastX, lastY] = [Infinity, Infinity];
                for (let at = starts[index]; at < starts[index + 1]; at += 2) {
                    const [x, y] = [points[at] * world - left, points[at + 1] * world - top];
                    const isLast = at + 2 === starts[index + 1];
                    if (!isLast && Math.abs(x - lastX) + Math.abs(y - lastY) < nearPixels) continue;
                    if (at === starts[index]) path.moveTo(x, y);
                    else path.lineTo(x, y);
                    [lastX, lastY] = [x, y];
                }
            });
            return path;
        }
    }

    odograph.BackgroundPainter = BackgroundPainter;
})(globalThis.odograph ??= {});
