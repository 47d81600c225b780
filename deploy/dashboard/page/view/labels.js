(function (odograph) {
    'use strict';

    /** The room on the map for marks and words: what is placed first keeps its room. */
    class LabelSpace {
        #taken = [];

        /** @param {{width: number, height: number}} view the room; a word that does not fit into it has no place */
        constructor({ width, height }) {
            Object.assign(this, { width, height });
        }

        /** Takes the room of a box in any case. @param {{left: number, right: number, top: number, bottom: number}} box */
        take(box) {
            this.#taken.push(box);
        }

        /** @param {{left: number, right: number, top: number, bottom: number}} box @returns {boolean} whether it was free */
        place(box) {
            const isWithin = box.left >= 0 && box.top >= 0 && box.right <= this.width && box.bottom <= this.height;
            const isFree = isWithin && this.#taken.every((other) => box.left > other.right || box.right < other.left
                || box.top > other.bottom || box.bottom < other.top);
            if (isFree) this.#taken.push(box);
            return isFree;
        }
    }

    odograph.LabelSpace = LabelSpace;
})(globalThis.odograph ??= {});
