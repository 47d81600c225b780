(function (odograph) {
    'use strict';

    /** The world has so many cells in a row: one is about 2 km wide in the middle latitudes. */
    const cells = 2 ** 14;
    /** A line in more cells than this is looked at with each view. */
    const mostCells = 64;

    /** Many lines on the map's square, found by where they are. The numbers lie in few arrays: a region has 200,000 lines. */
    class Lines {
        #grid = new Map();
        #large = [];
        #seen;
        #round = 0;

        /** @param {Array<{points: number[], name: number}>} pieces x, y of each point; `name`: the index of the name, −1 for none */
        constructor(pieces) {
            this.count = pieces.length;
            this.points = new Float64Array(pieces.reduce((sum, { points }) => sum + points.length, 0));
            /** Where the points of each line begin, and where the last ends. */
            this.starts = new Uint32Array(pieces.length + 1);
            this.names = new Int32Array(pieces.length);
            /** left, top, right, bottom of each line. */
            this.boxes = new Float64Array(pieces.length * 4);
            this.#seen = new Uint32Array(pieces.length);
            pieces.forEach(({ points, name }, index) => {
                this.points.set(points, this.starts[index]);
                this.starts[index + 1] = this.starts[index] + points.length;
                this.names[index] = name;
                this.#file(index, points);
            });
        }

        #file(index, points) {
            let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
            for (let at = 0; at < points.length; at += 2) {
                left = Math.min(left, points[at]);
                right = Math.max(right, points[at]);
                top = Math.min(top, points[at + 1]);
                bottom = Math.max(bottom, points[at + 1]);
            }
            this.boxes.set([left, top, right, bottom], index * 4);
            const [west, north, east, south] = [left, top, right, bottom].map((part) => Math.floor(part * cells));
            if ((east - west + 1) * (south - north + 1) > mostCells) {
                this.#large.push(index);
                return;
            }
            for (let row = north; row <= south; row += 1) {
                for (let column = west; column <= east; column += 1) {
                    const key = row * cells + column;
                    const cell = this.#grid.get(key);
                    if (cell === undefined) this.#grid.set(key, [index]);
                    else cell.push(index);
                }
            }
        }

        /**
         * Visits the lines whose box touches another one, each once.
         * @param {{left: number, top: number, right: number, bottom: number}} box @param {(index: number) => void} visit
         */
        within({ left, top, right, bottom }, visit) {
            this.#round += 1;
            const look = (index) => {
                if (this.#seen[index] === this.#round) return;
                this.#seen[index] = this.#round;
                const at = index * 4;
                const { boxes } = this;
                if (boxes[at] <= right && boxes[at + 2] >= left && boxes[at + 1] <= bottom && boxes[at + 3] >= top) visit(index);
            };
            for (const index of this.#large) look(index);
            const [west, north, east, south] = [left, top, right, bottom].map((part) => Math.floor(part * cells));
            // Of a wide view all lines are looked at: there are fewer of them than cells.
            if ((east - west + 1) * (south - north + 1) > this.#grid.size) {
                for (let index = 0; index < this.count; index += 1) look(index);
                return;
            }
            for (let row = north; row <= south; row += 1) {
                for (let column = west; column <= east; column += 1) for (const index of this.#grid.get(row * cells + column) ?? []) look(index);
            }
        }
    }

    odograph.Lines = Lines;
})(globalThis.odograph ??= {});
