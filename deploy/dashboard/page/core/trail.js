(function (odograph) {
    'use strict';

    /** The newest points of a vehicle's way, in order of time, in a bounded piece of memory. */
    class Trail {
        /** @param {number} capacity points */
        constructor(capacity) {
            this.capacity = capacity;
            this.length = 0;
            this.times = new Float64Array(capacity);
            this.xs = new Float64Array(capacity);
            this.ys = new Float64Array(capacity);
        }

        /**
         * Puts a point where its time says, a late one among the earlier. A time that is there already is the same
         * position told twice.
         * @param {number} at milliseconds since 1970 @param {number} x @param {number} y on the map's square
         * @returns {boolean} whether the trail has changed
         */
        add(at, x, y) {
            let index = this.#countBefore(at);
            if (index < this.length && this.times[index] === at) return false;
            if (this.length === this.capacity) {
                if (index === 0) return false;
                for (const column of [this.times, this.xs, this.ys]) column.copyWithin(0, 1, index);
                index -= 1;
            } else {
                for (const column of [this.times, this.xs, this.ys]) column.copyWithin(index + 1, index, this.length);
                this.length += 1;
            }
            this.times[index] = at;
            this.xs[index] = x;
            this.ys[index] = y;
            return true;
        }

        /** Keeps another number of points at most; the newest ones stay. @param {number} capacity points */
        resize(capacity) {
            const first = Math.max(0, this.length - capacity);
            for (const name of ['times', 'xs', 'ys']) {
                const column = new Float64Array(capacity);
                column.set(this[name].subarray(first, this.length));
                this[name] = column;
            }
            this.length -= first;
            this.capacity = capacity;
        }

        /** How many points are of an earlier time. */
        #countBefore(at) {
            if (this.length === 0 || this.times[this.length - 1] < at) return this.length;
            let low = 0;
            let high = this.length;
            while (low < high) {
                const middle = (low + high) >> 1;
                if (this.times[middle] < at) low = middle + 1;
                else high = middle;
            }
            return low;
        }
    }

    odograph.Trail = Trail;
})(globalThis.odograph ??= {});
