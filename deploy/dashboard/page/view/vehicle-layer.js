(function (odograph) {
    'use strict';

    /** With more vehicles on the screen only the one that is looked at or pointed at is named. */
    const mostNamed = 80;
    /** How far from a mark it is still hit, pixels: a finger's tip. */
    const reach = 20;
    const order = { unknown: 0, stopped: 1, off: 2, parked: 3, moving: 4, silent: 5 };

    /** Paints vehicles: marks, names with speeds, and how exactly the positions are known. */
    class VehiclePainter {
        /** @param {Theme} theme */
        constructor(theme) {
            this.theme = theme;
            /** @type {Array<{vehicle: Vehicle, name: string, condition: Condition}>} */
            this.entries = [];
            /** @type {?Vehicle} */
            this.selected = null;
            /** @type {?Vehicle} */
            this.pointed = null;
            this.sprites = null;
            this.placed = [];
            /** The room that marks and names have taken. */
            this.space = new odograph.LabelSpace();
        }

        /** The colours are others now. */
        forgetSprites() {
            this.sprites = null;
        }

        paint(pen, view) {
            if (this.sprites?.scale !== view.scale) {
                this.sprites = new odograph.Sprites(this.theme.colors, view.scale);
            }
            this.placed = this.#place(view);
            const areMany = this.placed.length > mostNamed;
            for (const spot of this.placed) {
                if (!areMany || spot.vehicle === this.selected) this.#accuracy(pen, view, spot);
            }
            for (const { vehicle, condition, x, y } of this.placed) {
                this.sprites.draw(pen, condition.kind, vehicle.fix.heading, x, y);
            }
            const chosen = this.placed.filter(({ vehicle }) => vehicle === this.selected || vehicle === this.pointed);
            for (const spot of chosen) this.#ring(pen, spot);
            this.#names(pen, areMany ? chosen : [...chosen, ...this.placed.filter((spot) => !chosen.includes(spot))]);
        }

        /** @returns {?Vehicle} the vehicle nearest to a point of the screen, within reach */
        hit(x, y) {
            let [best, least] = [null, reach * reach];
            for (const spot of this.placed) {
                const distance = (spot.x - x) ** 2 + (spot.y - y) ** 2;
                if (distance <= least) [best, least] = [spot.vehicle, distance];
            }
            return best;
        }

        #place({ world, left, top, width, height }) {
            const placed = [];
            for (const { vehicle, name, condition } of this.entries) {
                // A private vehicle has no place.
                if (vehicle.fix === null || condition.isPrivate) continue;
                const x = vehicle.fix.x * world - left;
                const y = vehicle.fix.y * world - top;
                if (x > -reach && y > -reach && x < width + reach && y < height + reach) {
                    placed.push({ vehicle, name, condition, x, y });
                }
            }
            return placed.sort((one, other) => order[one.condition.kind] - order[other.condition.kind]);
        }

        #accuracy(pen, view, { vehicle, condition, x, y }) {
            const { accuracy, latitude } = vehicle.fix;
            if (accuracy === null) return;
            const radius = accuracy * odograph.mercator.pixelsPerMeter(latitude, view.zoom);
            // Within the mark it cannot be seen.
            if (radius < 9) return;
            pen.beginPath();
            pen.arc(x, y, radius, 0, 2 * Math.PI);
            pen.fillStyle = pen.strokeStyle = this.theme.colors[condition.kind];
            pen.globalAlpha = 0.12;
            pen.fill();
            pen.globalAlpha = 0.5;
            pen.lineWidth = 1;
            pen.stroke();
            pen.globalAlpha = 1;
        }

        #ring(pen, { vehicle, x, y }) {
            pen.beginPath();
            pen.arc(x, y, 14, 0, 2 * Math.PI);
            pen.lineWidth = vehicle === this.selected ? 2.5 : 1.5;
            pen.strokeStyle = this.theme.colors.accent;
            pen.stroke();
        }

        /** Names where there is room for them, the chosen ones first. */
        #names(pen, spots) {
            pen.font = `600 12px ${this.theme.font}`;
            pen.textAlign = 'left';
            pen.textBaseline = 'middle';
            pen.lineJoin = 'round';
            pen.lineWidth = 3.5;
            pen.strokeStyle = this.theme.colors.paper;
            pen.fillStyle = this.theme.colors.ink;
            this.space = new odograph.LabelSpace();
            for (const { x, y } of this.placed) this.space.take({ left: x - 9, right: x + 9, top: y - 9, bottom: y + 9 });
            for (const { vehicle, name, condition, x, y } of spots) {
                const isDriving = condition.speed !== null && condition.speed >= odograph.roster.walkingPace;
                const wishes = isDriving ? [`${name}  ${odograph.format.speed(condition.speed)}`, name] : [name];
                const isChosen = vehicle === this.selected || vehicle === this.pointed;
                const start = x + (isChosen ? 20 : 14);
                const boxOf = (text) => ({ left: start, right: start + 4 + text.length * 7, top: y - 8, bottom: y + 8 });
                // Without room for the speed, the name alone.
                let words = wishes.find((text) => this.space.place(boxOf(text)));
                if (words === undefined) {
                    if (!isChosen) continue;
                    [words] = wishes;
                    this.space.take(boxOf(words));
                }
                pen.strokeText(words, start, y);
                pen.fillText(words, start, y);
            }
            pen.textBaseline = 'alphabetic';
        }
    }

    odograph.VehiclePainter = VehiclePainter;
})(globalThis.odograph ??= {});
