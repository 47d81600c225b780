(function (odograph) {
    'use strict';

    /** A smaller geofence on the screen gets no name, pixels. */
    const smallestNamed = 14;

    /** Paints geofences: circles, areas with holes, and corridors as wide as they are. */
    class FencePainter {
        /** @param {Theme} theme */
        constructor(theme) {
            this.theme = theme;
            /** @type {Fence[]} */
            this.fences = [];
            /** Whose geofences count, where a vehicle is looked at; null: all. @type {?Set<string>} */
            this.levels = null;
        }

        paint(pen, view) {
            const labels = [];
            for (const fence of this.fences) {
                const ratio = odograph.mercator.pixelsPerMeter(fence.latitude, view.zoom);
                const margin = fence.kind === 'area' ? 0 : fence.meters * ratio;
                const box = this.#onScreen(fence.box, view, margin);
                if (box === null) continue;
                pen.globalAlpha = this.levels === null || this.levels.has(fence.level) ? 1 : 0.25;
                const color = this.#colorOf(fence);
                this.#shape(pen, view, fence, ratio, color);
                if (Math.max(box.width, box.height) >= smallestNamed) labels.push({ fence, box, color });
            }
            pen.font = `600 11px ${this.theme.font}`;
            pen.textAlign = 'center';
            pen.lineJoin = 'round';
            for (const { fence, box, color } of labels) this.#name(pen, view, fence, box, color);
            pen.globalAlpha = 1;
        }

        #colorOf({ level }) {
            const { colors } = this.theme;
            if (level === 'all') return colors.fence;
            return level.startsWith('group:') ? colors['fence-group'] : colors['fence-device'];
        }

        #onScreen({ left, top, right, bottom }, view, margin) {
            const box = {
                x: left * view.world - view.left - margin, y: top * view.world - view.top - margin,
                width: (right - left) * view.world + 2 * margin, height: (bottom - top) * view.world + 2 * margin,
            };
            const isSeen = box.x < view.width && box.y < view.height && box.x + box.width > 0 && box.y + box.height > 0;
            return isSeen ? box : null;
        }

        #shape(pen, view, { kind, meters, lines }, ratio, color) {
            pen.beginPath();
            if (kind === 'circle') {
                const [{ x, y }] = lines[0];
                pen.arc(x * view.world - view.left, y * view.world - view.top, meters * ratio, 0, 2 * Math.PI);
            } else {
                for (const line of lines) {
                    line.forEach(({ x, y }, index) => (
                        pen[index === 0 ? 'moveTo' : 'lineTo'](x * view.world - view.left, y * view.world - view.top)));
                }
            }
            const alpha = pen.globalAlpha;
            pen.fillStyle = pen.strokeStyle = color;
            pen.lineJoin = pen.lineCap = 'round';
            if (kind === 'corridor') {
                pen.globalAlpha = alpha * 0.14;
                pen.lineWidth = Math.max(2, 2 * meters * ratio);
                pen.stroke();
            } else {
                pen.globalAlpha = alpha * 0.1;
                pen.fill('evenodd');
            }
            pen.globalAlpha = alpha;
            pen.lineWidth = 1.5;
            pen.setLineDash(kind === 'corridor' ? [6, 5] : []);
            pen.stroke();
            pen.setLineDash([]);
        }

        #name(pen, view, fence, box, color) {
            pen.globalAlpha = this.levels === null || this.levels.has(fence.level) ? 1 : 0.4;
            let [x, y] = [box.x + box.width / 2, box.y - 5];
            if (fence.kind === 'corridor') {
                const [way] = fence.lines;
                const [one, other] = [way[(way.length - 1) >> 1], way[way.length >> 1]];
                x = (one.x + other.x) / 2 * view.world - view.left;
                y = (one.y + other.y) / 2 * view.world - view.top + 4;
            }
            pen.lineWidth = 3;
            pen.strokeStyle = this.theme.colors.ground;
            pen.strokeText(fence.name, x, y);
            pen.fillStyle = color;
            pen.fillText(fence.name, x, y);
        }
    }

    odograph.FencePainter = FencePainter;
})(globalThis.odograph ??= {});
