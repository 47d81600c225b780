(function (odograph) {
    'use strict';

    /** A smaller geofence on the screen gets no name, pixels. */
    const smallestNamed = 14;
    /** Names that are shown at most; the largest geofences first. */
    const mostNamed = 60;

    /** Paints geofences: circles, areas with holes, and corridors as wide as they are. */
    class FencePainter {
        /** @param {Theme} theme */
        constructor(theme) {
            this.theme = theme;
            /** @type {Fence[]} */
            this.fences = [];
            /** Whose geofences count, where a vehicle is looked at; null: all. @type {?Set<string>} */
            this.levels = null;
            this.labels = [];
        }

        paint(pen, whole) {
            const labels = [];
            for (const fence of this.fences) {
                const view = { ...whole, left: odograph.mercator.leftFor((fence.box.left + fence.box.right) / 2, whole) };
                const ratio = odograph.mercator.pixelsPerMeter(fence.latitude, view.zoom);
                const margin = fence.kind === 'area' ? 0 : fence.meters * ratio;
                const box = this.#onScreen(fence.box, view, margin);
                if (box === null) continue;
                pen.globalAlpha = this.levels === null || this.levels.has(fence.level) ? 1 : 0.25;
                const color = this.#colorOf(fence);
                this.#shape(pen, view, fence, ratio, color);
                if (Math.max(box.width, box.height) >= smallestNamed) labels.push({ fence, box, color, view });
            }
            pen.globalAlpha = 1;
            const size = ({ box }) => box.width * box.height;
            this.labels = labels.sort((one, other) => size(other) - size(one)).slice(0, mostNamed);
        }

        /**
         * Paints the names of the geofences that were painted last, where there is room for them.
         * @param {CanvasRenderingContext2D} pen @param {LabelSpace} space
         */
        paintNames(pen, space) {
            pen.font = `600 11px ${this.theme.font}`;
            pen.textAlign = 'center';
            pen.lineJoin = 'round';
            for (const { fence, box, color, view } of this.labels) this.#name(pen, view, fence, box, color, space);
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

        #shape(pen, view, { kind, meters, lines, isChosen, isOther }, ratio, color) {
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
            pen.lineWidth = isChosen ? 3 : 1.5;
            pen.setLineDash(kind === 'corridor' ? [6, 5] : isOther ? [2, 4] : []);
            pen.stroke();
            pen.setLineDash([]);
        }

        /** Where a name can be: of a corridor on its middle, of another geofence above, below or within it. */
        #spots(view, fence, box) {
            const x = box.x + box.width / 2;
            if (fence.kind !== 'corridor') return [[x, box.y - 5], [x, box.y + box.height + 13], [x, box.y + box.height / 2 + 4]];
            const [way] = fence.lines;
            const [one, other] = [way[(way.length - 1) >> 1], way[way.length >> 1]];
            const middle = (one.x + other.x) / 2 * view.world - view.left;
            const height = (one.y + other.y) / 2 * view.world - view.top + 4;
            return [[middle, height], [middle, height - 20], [middle, height + 20]];
        }

        #name(pen, view, fence, box, color, space) {
            const half = pen.measureText(fence.name).width / 2 + 2;
            const spot = this.#spots(view, fence, box).find(([middle, base]) => (
                space.place({ left: middle - half, right: middle + half, top: base - 11, bottom: base + 3 })));
            if (spot === undefined) return;
            const [x, y] = spot;
            pen.globalAlpha = this.levels === null || this.levels.has(fence.level) ? 1 : 0.4;
            pen.lineWidth = 3;
            pen.strokeStyle = this.theme.colors.ground;
            pen.strokeText(fence.name, x, y);
            pen.fillStyle = color;
            pen.fillText(fence.name, x, y);
        }
    }

    odograph.FencePainter = FencePainter;
})(globalThis.odograph ??= {});
