(function (odograph) {
    'use strict';

    /** Times as intervals that neither overlap nor touch, in order. */
    class Spans {
        /** @param {Iterable<{from: number, to: number}>} spans milliseconds since 1970 */
        constructor(spans = []) {
            /** @type {Array<{from: number, to: number}>} */
            this.list = [];
            for (const { from, to } of spans) this.add(from, to);
        }

        /** Adds an interval; an empty one changes nothing. */
        add(from, to) {
            if (!(to > from)) return;
            const apart = this.list.filter((span) => span.to < from || span.from > to);
            const joined = { from, to };
            for (const span of this.list) {
                if (span.to < from || span.from > to) continue;
                joined.from = Math.min(joined.from, span.from);
                joined.to = Math.max(joined.to, span.to);
            }
            this.list = [...apart, joined].sort((one, other) => one.from - other.from);
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
