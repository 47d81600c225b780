(function (odograph) {
    'use strict';

    /** The viewer's clock, by the zone of the machine; the page says which zone it is. */
    const viewer = () => odograph.clock.clockOf(null);
    const time = (at) => viewer().time(at);
    const shortTime = (at) => viewer().shortTime(at);
    const dayOfYear = (at) => viewer().dayOfYear(at);
    const timeOrDay = (at, now) => viewer().timeOrDay(at, now);
    const zone = (now) => viewer().zoneWords(now);

    /** @param {number} milliseconds @returns {string} `45 s`, `12 min`, `2 h 05 min`, `3 d 4 h` */
    function duration(milliseconds) {
        const seconds = Math.max(0, Math.round(milliseconds / 1000));
        if (seconds < 60) return `${seconds} s`;
        // Not of the rounded seconds: what is rounded twice can be another minute.
        const whole = Math.round(milliseconds / 60000);
        if (whole < 60) return `${whole} min`;
        if (whole < 48 * 60) return `${Math.floor(whole / 60)} h ${String(whole % 60).padStart(2, '0')} min`;
        return `${Math.floor(whole / 1440)} d ${Math.floor((whole % 1440) / 60)} h`;
    }

    /** @param {?number} meters @returns {string} `840 m`, `12.4 km`, `1 204 km` with a narrow space */
    function distance(meters) {
        if (meters === null) return '–';
        if (meters < 1000) return `${Math.round(meters)} m`;
        const kilometers = meters / 1000;
        const digits = kilometers < 1000 ? 1 : 0;
        const rounding = { minimumFractionDigits: digits, maximumFractionDigits: digits };
        // A comma is a decimal point to half of the world (ISO 80000-1).
        return `${kilometers.toLocaleString('en-GB', rounding).replaceAll(',', '\u202f')} km`;
    }

    /** @param {?number} metersPerSecond @returns {string} `41 km/h` */
    const speed = (metersPerSecond) => (metersPerSecond === null ? '–' : `${Math.round(metersPerSecond * 3.6)} km/h`);

    const winds = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];

    /** @param {?number} degrees from north @returns {string} `NW` */
    const heading = (degrees) => (degrees === null ? '–' : winds[Math.round(degrees / 45) % 8]);

    /** @param {number} share @returns {string} `93 %` */
    const percent = (share) => `${Math.round(share * 100)} %`;

    // Maps, because a vehicle's word can be a name that every object has, as `constructor`.
    const modes = new Map([
        ['CAR', 'Car'], ['BUS', 'Bus'], ['TRAIN', 'Train'], ['TRAM', 'Tram'], ['MOTORCYCLE', 'Motorcycle'], ['BICYCLE', 'Bicycle'],
        ['WALKING', 'On foot'], ['RUNNING', 'Running'],
    ]);

    /** @param {?string} mode of a trip @returns {string} */
    const mode = (word) => modes.get(word) ?? 'Trip';

    const reasons = new Map([
        ['no_fix', 'no position'], ['source_lost', 'receiver lost'], ['off_schedule', 'off schedule'], ['disabled', 'tracking off'],
        ['power_off', 'power off'], ['clock_untrusted', 'clock not set'],
    ]);

    /** @param {?string} reason of a time that nothing is known of @returns {string} */
    const reason = (word) => reasons.get(word) ?? (word === null ? 'unknown' : word.replaceAll('_', ' '));

    const actions = new Map([
        ['ENTER', 'entered'], ['EXIT', 'left'], ['DWELL', 'stays in'], ['CROSS', 'passed through'], ['OVERSPEED', 'too fast in'],
    ]);

    /** @param {?string} action of a geofence event @returns {string} */
    const action = (word) => actions.get(word) ?? (word?.toLowerCase() || 'at');

    odograph.format = {
        time, shortTime, dayOfYear, timeOrDay, duration, distance, speed, heading, percent, zone, mode, reason, action,
    };
})(globalThis.odograph ??= {});
