(function (odograph) {
    'use strict';

    /**
     * Marks that lie on each other, as those of vehicles in one yard.
     * @template {{x: number, y: number}} Spot
     * @param {Spot[]} spots in the order in which they are painted
     * @param {number} reach marks whose middles are nearer than this to the top one are of its pile, pixels
     * @returns {Array<Spot[]>} the piles, each with its top mark first; a mark alone is a pile of one
     */
    function pilesOf(spots, reach) {
        const piles = [];
        // Cells as large as the reach: a pile that a mark belongs to has its top mark in the same cell or beside it.
        const cells = new Map();
        const keyOf = (x, y) => `${x} ${y}`;
        for (const spot of [...spots].reverse()) {
            const [column, row] = [Math.floor(spot.x / reach), Math.floor(spot.y / reach)];
            const pile = nearest(spot, column, row);
            if (pile !== null) {
                pile.push(spot);
                continue;
            }
            const made = [spot];
            piles.push(made);
            const key = keyOf(column, row);
            if (cells.has(key)) cells.get(key).push(made);
            else cells.set(key, [made]);
        }
        return piles;

        function nearest({ x, y }, column, row) {
            let [best, least] = [null, reach];
            for (let dx = -1; dx <= 1; dx += 1) {
                for (let dy = -1; dy <= 1; dy += 1) {
                    for (const pile of cells.get(keyOf(column + dx, row + dy)) ?? []) {
                        const distance = Math.hypot(pile[0].x - x, pile[0].y - y);
                        if (distance < least) [best, least] = [pile, distance];
                    }
                }
            }
            return best;
        }
    }

    odograph.pilesOf = pilesOf;
})(globalThis.odograph ??= {});
