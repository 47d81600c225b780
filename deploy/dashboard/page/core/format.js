(function (odograph) {
    'use strict';

    // Times are the viewer's, by the zone of the machine; the page says which it is. 24 hours, for fleets drive by night.
    const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
    const minutes = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
    const days = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });

    const isSameDay = (one, other) => new Date(one).toDateString() === new Date(other).toDateString();

    /** @param {number} at milliseconds since 1970 @returns {string} `14:05:47` */
    const time = (at) => clock.format(at);

    /** @param {number} at @returns {string} `14:05` */
    const shortTime = (at) => minutes.format(at);

    /** @param {number} at @returns {string} `Sat 21 Nov` */
    const day = (at) => days.format(at).replace(',', '');

    /** @param {number} at @param {number} now @returns {string} the time, and the day where it is another one */
    const timeOrDay = (at, now) => (isSameDay(at, now) ? minutes.format(at) : `${day(at)}, ${minutes.format(at)}`);

    /** @param {number} milliseconds @returns {string} `45 s`, `12 min`, `2 h 05 min`, `3 d 4 h` */
    function duration(milliseconds) {
        const seconds = Math.max(0, Math.round(milliseconds / 1000));
        if (seconds < 60) return `${seconds} s`;
        const whole = Math.round(seconds / 60);
        if (whole < 60) return `${whole} min`;
        if (whole < 48 * 60) return `${Math.floor(whole / 60)} h ${String(whole % 60).padStart(2, '0')} min`;
        return `${Math.floor(whole / 1440)} d ${Math.floor((whole % 1440) / 60)} h`;
    }

    /** @param {?number} meters @returns {string} `840 m`, `12.4 km`, `1,204 km` */
    function distance(meters) {
        if (meters === null) return '–';
        if (meters < 1000) return `${Math.round(meters)} m`;
        const kilometers = meters / 1000;
        const digits = kilometers < 1000 ? 1 : 0;
        const rounding = { minimumFractionDigits: digits, maximumFractionDigits: digits };
        return `${kilometers.toLocaleString('en-GB', rounding)} km`;
    }

    /** @param {?number} metersPerSecond @returns {string} `41 km/h` */
    const speed = (metersPerSecond) => (metersPerSecond === null ? '–' : `${Math.round(metersPerSecond * 3.6)} km/h`);

    const winds = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];

    /** @param {?number} degrees from north @returns {string} `NW` */
    const heading = (degrees) => (degrees === null ? '–' : winds[Math.round(degrees / 45) % 8]);

    /** @param {number} share @returns {string} `93 %` */
    const percent = (share) => `${Math.round(share * 100)} %`;

    /** @param {number} now @returns {string} `Europe/Madrid, UTC+1` */
    function zone(now) {
        const offset = -new Date(now).getTimezoneOffset();
        const whole = `${offset < 0 ? '−' : '+'}${Math.floor(Math.abs(offset) / 60)}`;
        const rest = Math.abs(offset) % 60;
        const name = clock.resolvedOptions().timeZone;
        if (name === 'UTC') return 'UTC';
        return `${name}, UTC${whole}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
    }

    const modes = {
        CAR: 'Car', BUS: 'Bus', TRAIN: 'Train', TRAM: 'Tram', MOTORCYCLE: 'Motorcycle', BICYCLE: 'Bicycle',
        WALKING: 'On foot', RUNNING: 'Running',
    };

    /** @param {?string} mode of a trip @returns {string} */
    const mode = (word) => modes[word] ?? 'Trip';

    const reasons = {
        no_fix: 'no position', source_lost: 'receiver lost', off_schedule: 'off schedule', disabled: 'tracking off',
        power_off: 'power off', clock_untrusted: 'clock not set',
    };

    /** @param {?string} reason of a time that nothing is known of @returns {string} */
    const reason = (word) => reasons[word] ?? (word === null ? 'unknown' : word.replaceAll('_', ' '));

    const actions = {
        ENTER: 'entered', EXIT: 'left', DWELL: 'stays in', CROSS: 'passed through', OVERSPEED: 'too fast in',
    };

    /** @param {?string} action of a geofence event @returns {string} */
    const action = (word) => actions[word] ?? String(word ?? 'at').toLowerCase();

    odograph.format = {
        time, shortTime, day, timeOrDay, duration, distance, speed, heading, percent, zone, mode, reason, action,
        isSameDay,
    };
})(globalThis.odograph ??= {});
