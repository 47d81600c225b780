(function (odograph) {
    'use strict';

    /** With more vehicles on the screen only the one that is looked at or pointed at is named. */
    const mostNamed = 80;
    /** How far from a mark it is still hit, pixels: a finger's tip. */
    const reach = 20;
    /** Marks whose middles are nearer lie on each other, pixels. */
    const pileReach = 9;
    const order = { unknown: 0, stopped: 1, off: 2, parked: 3, moving: 4, silent: 5 };

    /** What a name on the map has beside it. */
    const mostAboutCharacters = 80;

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
            /** The marks that lie on each other. @type {Array<object[]>} */
            this.piles = [];
            /** The room that marks and names have taken. */
            this.space = new odograph.LabelSpace({ width: 0, height: 0 });
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
            this.piles = odograph.pilesOf(this.placed, pileReach).filter((pile) => pile.length > 1);
            const areMany = this.placed.length > mostNamed;
            for (const spot of this.placed) {
                if (!areMany || spot.vehicle === this.selected) this.#accuracy(pen, view, spot);
            }
            for (const { vehicle, condition, x, y } of this.placed) {
                this.sprites.draw(pen, condition.kind, vehicle.fix.heading, x, y);
            }
            const chosen = this.placed.filter(({ vehicle }) => vehicle === this.selected || vehicle === this.pointed);
            for (const spot of chosen) this.#ring(pen, spot);
            for (const pile of this.piles) this.#count(pen, pile);
            this.#names(pen, view, areMany ? chosen : [...chosen, ...this.placed.filter((spot) => !chosen.includes(spot))]);
        }

        /** @returns {?Vehicle} the vehicle nearest to a point of the screen, within reach; the top one of a pile */
        hit(x, y) {
            return this.#nearest(x, y)?.vehicle ?? null;
        }

        /** @returns {?Vehicle} as `hit`; of a pile the one below the vehicle that is looked at, and at last the top one again */
        click(x, y) {
            const spot = this.#nearest(x, y);
            if (spot === null) return null;
            const pile = this.piles.find((one) => one.includes(spot)) ?? [spot];
            const index = pile.findIndex(({ vehicle }) => vehicle === this.selected);
            return pile[(index + 1) % pile.length].vehicle;
        }

        #nearest(x, y) {
            let [best, least] = [null, reach * reach];
            for (const spot of this.placed) {
                const distance = (spot.x - x) ** 2 + (spot.y - y) ** 2;
                if (distance <= least) [best, least] = [spot, distance];
            }
            return best;
        }

        /** The number of vehicles of a pile, at its top mark. */
        #count(pen, [{ x, y }, ...others]) {
            const text = String(others.length + 1);
            const width = 7 + 6.5 * text.length;
            pen.beginPath();
            pen.roundRect(x + 4, y - 16, width, 14, 7);
            pen.fillStyle = this.theme.colors.ink;
            pen.strokeStyle = this.theme.colors.paper;
            pen.lineWidth = 2;
            pen.stroke();
            pen.fill();
            pen.font = `600 10.5px ${this.theme.font}`;
            pen.textAlign = 'center';
            pen.textBaseline = 'middle';
            pen.fillStyle = this.theme.colors.paper;
            pen.fillText(text, x + 4 + width / 2, y - 8.5);
            pen.textBaseline = 'alphabetic';
        }

        #place(view) {
            const { world, top, width, height } = view;
            const placed = [];
            for (const { vehicle, name, condition } of this.entries) {
                // A private vehicle has no place.
                if (vehicle.fix === null || condition.isPrivate) continue;
                const x = vehicle.fix.x * world - odograph.mercator.leftFor(vehicle.fix.x, view);
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

        /**
         * Where a name has room: to the right of the mark, else to the left; without room for the speed, the name alone. The
         * chosen one has a place in any case.
         */
        #spotOf(pen, texts, { x, y, distance }, view, isChosen) {
            const spots = texts.flatMap((text) => {
                const width = pen.measureText(text).width + 4;
                return [x + distance, x - distance - width].map((start) => (
                    { text, start, box: { left: start, right: start + width, top: y - 8, bottom: y + 8 } }));
            });
            const free = spots.find(({ box }) => this.space.place(box));
            if (free !== undefined || !isChosen) return free ?? null;
            const within = spots.find(({ box }) => box.left >= 0 && box.right <= view.width) ?? spots[0];
            this.space.take(within.box);
            return within;
        }

        /** Names where there is room for them, the chosen ones first. */
        #names(pen, view, spots) {
            pen.font = `600 12px ${this.theme.font}`;
            pen.textAlign = 'left';
            pen.textBaseline = 'middle';
            pen.lineJoin = 'round';
            pen.lineWidth = 3.5;
            pen.strokeStyle = this.theme.colors.paper;
            pen.fillStyle = this.theme.colors.ink;
            this.space = new odograph.LabelSpace(view);
            for (const { x, y } of this.placed) this.space.take({ left: x - 9, right: x + 9, top: y - 9, bottom: y + 9 });
            for (const [{ x, y }, ...others] of this.piles) {
                this.space.take({ left: x, right: x + 12 + 6.5 * String(others.length + 1).length, top: y - 17, bottom: y });
            }
            for (const { vehicle, name, condition, x, y } of spots) {
                const isDriving = condition.speed !== null && condition.speed >= odograph.condition.walkingPace;
                const isChosen = vehicle === this.selected || vehicle === this.pointed;
                const speed = isDriving ? `  ${odograph.format.speed(condition.speed)}` : '';
                const { words, shortWords } = odograph.about;
                // Only the chosen one has its note, which is long.
                const abouts = [...(isChosen ? [words(vehicle.about)] : []), shortWords(vehicle.about), ''].map((about) => about.slice(0, mostAboutCharacters));
                const wishes = [...new Set([...abouts.map((about) => `${name}${about === '' ? '' : `  ${about}`}${speed}`), name])];
                const spot = this.#spotOf(pen, wishes, { x, y, distance: isChosen ? 20 : 14 }, view, isChosen);
                if (spot === null) continue;
                pen.strokeText(spot.text, spot.start, y);
                pen.fillText(spot.text, spot.start, y);
            }
            pen.textBaseline = 'alphabetic';
        }
    }

    odograph.VehiclePainter = VehiclePainter;
})(globalThis.odograph ??= {});
