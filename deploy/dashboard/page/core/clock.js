(function (odograph) {
    'use strict';

    /** The time that a local clock is ahead of UTC, or behind it, is less than this, milliseconds. */
    const mostOffset = 16 * 3600000;
    const dayMilliseconds = 86400000;

    /** The clock and the calendar of a time zone. */
    class Clock {
        #times;
        #minutes;
        #days;
        #dates;
        #lastDay = null;

        /** @param {string} [zone] an IANA name; without one, or if the browser does not know it, the viewer's zone */
        constructor(zone = undefined) {
            const timeZone = isZone(zone) ? zone : undefined;
            // 24 hours, because fleets also drive at night.
            const common = { timeZone, hourCycle: 'h23' };
            this.#times = new Intl.DateTimeFormat('en-GB', { ...common, hour: '2-digit', minute: '2-digit', second: '2-digit' });
            this.#minutes = new Intl.DateTimeFormat('en-GB', { ...common, hour: '2-digit', minute: '2-digit' });
            this.#days = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', day: 'numeric', month: 'short' });
            this.#dates = new Intl.DateTimeFormat('en-GB', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
            /** The name of the zone, as `Europe/Madrid`. */
            this.zone = this.#times.resolvedOptions().timeZone;
        }

        /** @param {number} at milliseconds since 1970 @returns {string} `14:05:47` */
        time(at) {
            return this.#times.format(at);
        }

        /** @param {number} at @returns {string} `14:05` */
        shortTime(at) {
            return this.#minutes.format(at);
        }

        /** @param {number} at @param {number} now @returns {string} `Sat 21 Nov`, with the year if it is another one */
        day(at, now = at) {
            const day = this.#days.format(at).replace(',', '');
            return this.#year(at) === this.#year(now) ? day : `${day} ${this.#year(at)}`;
        }

        /** @param {number} at @returns {string} `Sat 21 Nov 2026` */
        dayOfYear(at) {
            return `${this.day(at)} ${this.#year(at)}`;
        }

        #year(at) {
            return this.date(at).slice(0, 4);
        }

        /** @param {number} at @returns {string} `2026-11-21` */
        date(at) {
            // Engines differ in the order of a whole date.
            const parts = new Map(this.#dates.formatToParts(at).map(({ type, value }) => [type, value]));
            return ['year', 'month', 'day'].map((part) => parts.get(part)).join('-');
        }

        /** @param {number} one @param {number} other */
        isSameDay(one, other) {
            return this.date(one) === this.date(other);
        }

        /** @param {number} at @param {number} now @returns {string} the time, with the day if it is another one */
        timeOrDay(at, now) {
            return this.isSameDay(at, now) ? this.shortTime(at) : this.dayAndTime(at, now);
        }

        /** @param {number} at @param {number} now @returns {string} `Sat 21 Nov, 14:05` */
        dayAndTime(at, now) {
            return `${this.day(at, now)}, ${this.shortTime(at)}`;
        }

        /** @param {number} now @returns {string} `Europe/Madrid, UTC+1` */
        zoneWords(now) {
            if (this.zone === 'UTC') return 'UTC';
            const minutes = this.#offsetMinutes(now);
            const hours = `${minutes < 0 ? '−' : '+'}${Math.floor(Math.abs(minutes) / 60)}`;
            const rest = Math.abs(minutes) % 60;
            return `${this.zone}, UTC${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
        }

        /**
         * A day of the calendar. It has 23 or 25 hours if a clock is changed.
         * @param {string} date `2026-11-21`
         * @returns {{date: string, start: number, end: number}} the end is the start of the next day
         */
        dayOfDate(date) {
            if (this.#lastDay?.date !== date) {
                const next = shifted(date, 1);
                this.#lastDay = { date, start: this.#startOf(date), end: this.#startOf(next) };
            }
            return { ...this.#lastDay };
        }

        /** @param {number} at @param {number} offset days, −1 for the day before */
        dayOf(at, offset = 0) {
            return this.dayOfDate(shifted(this.date(at), offset));
        }

        /** The first instant whose date is not earlier. The date of a zone never goes back, so a search by halves finds it. */
        #startOf(date) {
            const middle = Date.parse(`${date}T00:00:00Z`);
            let [before, after] = [middle - mostOffset, middle + mostOffset];
            while (after - before > 1) {
                const half = Math.floor((before + after) / 2);
                if (this.date(half) < date) before = half;
                else after = half;
            }
            return after;
        }

        #offsetMinutes(now) {
            const local = Date.parse(`${this.date(now)}T${this.time(now)}Z`);
            return Math.round((local - now) / 60000);
        }
    }

    /** @param {string} date `2026-11-21` @param {number} days @returns {string} the date so many days later */
    function shifted(date, days) {
        return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMilliseconds).toISOString().slice(0, 10);
    }

    /** @param {string} text @returns {boolean} whether it is a day on which a vehicle can have driven, as `2026-11-21` */
    const isDate = (text) => /^[2-9]\d{3}-\d\d-\d\d$/.test(text) && Number.isFinite(Date.parse(`${text}T00:00:00Z`));

    /** @param {*} zone @returns {boolean} whether the browser knows a zone of this name */
    function isZone(zone) {
        if (typeof zone !== 'string' || zone === '') return false;
        try {
            new Intl.DateTimeFormat('en-GB', { timeZone: zone });
            return true;
        } catch {
            return false;
        }
    }

    const clocks = new Map();
    /** How long the name of the viewer's zone is used before it is read again, milliseconds. */
    const viewerZoneAge = 10000;
    let viewerZone = { name: '', readAt: -Infinity };

    /** @returns {string} the zone of the viewer's machine, which may change while the page is open */
    function zoneOfViewer() {
        const now = performance.now();
        if (now - viewerZone.readAt >= viewerZoneAge) {
            viewerZone = { name: new Intl.DateTimeFormat('en-GB').resolvedOptions().timeZone ?? '', readAt: now };
        }
        return viewerZone.name;
    }

    /** @param {?string} zone an IANA name; null: the viewer's @returns {Clock} */
    function clockOf(zone) {
        const key = isZone(zone) ? zone : zoneOfViewer();
        if (!clocks.has(key)) clocks.set(key, new Clock(key));
        return clocks.get(key);
    }

    odograph.clock = { clockOf, shifted, isDate };
})(globalThis.odograph ??= {});
