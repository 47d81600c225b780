(function (odograph) {
    'use strict';

    /** How long to wait before connecting anew: a random time up to a bound that doubles with each failure. */
    class Backoff {
        /**
         * @param {number} minimum seconds @param {number} maximum seconds
         * @param {() => number} random 0 up to 1
         */
        constructor(minimum, maximum, random = Math.random) {
            Object.assign(this, { minimum, maximum, random, failures: 0 });
        }

        /** @returns {number} milliseconds until the next attempt */
        next() {
            const bound = Math.min(this.maximum, this.minimum * 2 ** this.failures);
            this.failures = Math.min(this.failures + 1, 30);
            // Never at once: a broker that refuses would be asked as fast as it answers.
            return 1000 * Math.max(this.minimum / 2, bound * this.random());
        }

        /** After a connection that stayed. */
        reset() {
            this.failures = 0;
        }
    }

    odograph.Backoff = Backoff;
})(globalThis.odograph ??= {});
