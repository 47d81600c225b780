(function (odograph) {
    'use strict';

    /** Zooms from which the names of a class are shown. */
    const roads = { major: 12, middle: 14, minor: 15.5 };
    const places = { city: [5, 13], town: [8, 15], village: [11, 16], suburb: [12, 16], hamlet: [13, 17], quarter: [13.5, 17], neighbourhood: [14, 17.5], square: [15.5, 19] };
    /** Names that are tried at most, and the room in which one road is named once, pixels. */
    const [mostNames, room] = [120, 280];
    /** Around the view names are looked for as well, so that the map can be moved, pixels. */
    const margin = 200;
    /** The width of a letter, pixels: about, to leave out what has no room. */
    const letter = 6;

    /** Paints the names of roads and places of the background, where vehicles and geofences leave room. */
    class NamePainter {
        #found = null;

        /** @param {Theme} theme @param {BackgroundPainter} ground */
        constructor(theme, ground) {
            Object.assign(this, { theme, ground });
        }

        /** @param {CanvasRenderingContext2D} pen @param {View} view @param {LabelSpace} space */
        paint(pen, view, space) {
            if (this.ground.background === null || this.ground.isHidden) return;
            if (!this.#fits(view)) this.#find(view);
            const { colors, font } = this.theme;
            pen.textAlign = 'center';
            pen.textBaseline = 'middle';
            pen.lineJoin = 'round';
            pen.lineWidth = 3;
            pen.strokeStyle = colors.ground;
            for (const { name, x, y, angle, isPlace } of this.#found.names) {
                pen.font = isPlace ? `600 12px ${font}` : `11px ${font}`;
                const [px, py] = [x * view.world - view.left, y * view.world - view.top];
                const half = pen.measureText(name).width / 2 + 2;
                const [wide, tall] = [Math.abs(Math.cos(angle)) * half + 7 * Math.abs(Math.sin(angle)), Math.abs(Math.sin(angle)) * half + 7];
                if (!space.place({ left: px - wide, right: px + wide, top: py - tall, bottom: py + tall })) continue;
                pen.save();
                pen.translate(px, py);
                pen.rotate(angle);
                pen.strokeText(name, 0, 0);
                pen.fillStyle = isPlace ? colors.ink : colors.soft;
                pen.fillText(name, 0, 0);
                pen.restore();
            }
            pen.textBaseline = 'alphabetic';
        }

        #fits({ world, left, top, width, height }) {
            const found = this.#found;
            return found !== null && found.background === this.ground.background && found.world === world && Math.abs(found.left - left) <= margin
                && Math.abs(found.top - top) <= margin && found.width === width && found.height === height;
        }

        #find(view) {
            const { world, left, top, width, height, zoom } = view;
            const { background } = this.ground;
            const box = { left: (left - margin) / world, top: (top - margin) / world, right: (left + width + margin) / world, bottom: (top + height + margin) / world };
            const names = background.places.filter(({ x, y, kind }) => zoom >= places[kind][0] && zoom <= places[kind][1]
                && x >= box.left && x <= box.right && y >= box.top && y <= box.bottom)
                .sort((one, other) => Object.keys(places).indexOf(one.kind) - Object.keys(places).indexOf(other.kind))
                .map(({ x, y, name }) => ({ name, x, y, angle: 0, isPlace: true })).slice(0, mostNames);
            for (const [kind, from] of Object.entries(roads)) {
                if (zoom < from || names.length >= mostNames) continue;
                names.push(...this.#roads(background, kind, box, world).slice(0, mostNames - names.length));
            }
            this.#found = { names, background, world, left, top, width, height };
        }

        /** The names of roads: of those of one name that are near each other, at the longest straight part. */
        #roads({ classes, names }, kind, box, world) {
            const lines = classes[kind];
            const best = new Map();
            lines.within(box, (index) => {
                const name = names[lines.names[index]];
                if (name === undefined) return;
                for (let at = lines.starts[index]; at + 3 < lines.starts[index + 1]; at += 2) {
                    const { points } = lines;
                    const [ax, ay, bx, by] = [points[at], points[at + 1], points[at + 2], points[at + 3]];
                    const length = Math.hypot(bx - ax, by - ay) * world;
                    if (length < name.length * letter) continue;
                    const [x, y] = [(ax + bx) / 2, (ay + by) / 2];
                    const key = `${lines.names[index]} ${Math.floor(x * world / room)} ${Math.floor(y * world / room)}`;
                    if (length <= (best.get(key)?.length ?? 0)) continue;
                    // Words are read from the left to the right.
                    const angle = Math.atan((by - ay) / (bx - ax || 1e-12));
                    best.set(key, { name, x, y, angle, length, isPlace: false });
                }
            });
            return [...best.values()].sort((one, other) => other.length - one.length);
        }
    }

    odograph.NamePainter = NamePainter;
})(globalThis.odograph ??= {});
