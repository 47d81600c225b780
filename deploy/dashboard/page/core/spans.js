(function (odograph) {
    'use strict';

    /** Times as intervals that neither overlap nor touch, in order. */
    class Spans {
        /** @param {Iterable<{from: number, to: number}>} spans milliseconds since 1970, in any order; empty ones are left out */
        constructor(spans = []) {
            /** @type {Array<{from: number, to: number}>} */
            this.list = [];
            const sorted = [...spans].filter(({ from, to }) => to > from).sort((one, other) => one.from - other.from);
            for (const { from, to } of sorted) {
                const last = this.list.at(-1);
                if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
                else this.list.push({ from, to });
            }
        }

        /**
         * A test for pairs of instants in order of time: many of them cost one walk.
         * @returns {(from: number, to: number) => boolean} whether a part of an interval is between the two
         */
        walk() {
            let index = 0;
            return (from, to) => {
                while (index < this.list.length && this.list[index].to <= from) index += 1;
                return index < this.list.length && this.list[index].from < to;
            };
        }

        /**
         * @param {number} from @param {number} to
         * @param {number} bridge gaps that are not longer are closed, milliseconds
         * @returns {Array<{from: number, to: number}>} the part between two instants
         */
        within(from, to, bridge = 0) {
            const parts = [];
            for (const span of this.list) {
                const part = { from: Math.max(span.from, from), to: Math.min(span.to, to) };
                if (part.to <= part.from) continue;
                const last = parts.at(-1);
                if (last !== undefined && part.from - last.to <= bridge) last.to = part.to;
                else parts.push(part);
            }
            return parts;
        }
    }

    odograph.Spans = Spans;
})(globalThis.odograph ??= {});
