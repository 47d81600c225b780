(function (odograph) {
    'use strict';

    /** Events that a panel shows of a day. */
    const mostEvents = 200;

    /**
     * An event of a geofence on a day.
     * @typedef {object} DayEvent
     * @property {number} at of its record, milliseconds since 1970 @property {number} occurredAt
     * @property {Crossing} geofence
     */

    /**
     * The geofence events that a recorder tells of a day. Of a long record it tells neither the name nor when it happened.
     * @param {object[]} rows of a track @param {object[]} parts the day's stops and trips, which say what is private
     * @returns {DayEvent[]}
     */
    function eventsOfRows(rows, parts) {
        const points = rows.filter(({ geofence }) => typeof geofence === 'string').map(odograph.history.readTrackPoint).filter((point) => point !== null);
        return odograph.track.publicPoints(points, parts).map(({ at, geofence, action, crossing }) => ({
            at, occurredAt: crossing?.occurredAt ?? at,
            geofence: crossing ?? { identifier: geofence, name: '', action, peak: null, dwell: null, occurredAt: at, isInitial: false },
        }));
    }

    /**
     * The geofence events of a day, newest first: those that the page heard, which tell more, and those of a recorder.
     * @param {DayEvent[]} heard @param {DayEvent[]} told @param {{start: number, end: number}} day
     */
    function eventsOfDay(heard, told, { start, end }) {
        const events = new Map();
        for (const event of [...told, ...heard]) {
            const { identifier, action } = event.geofence;
            if (event.occurredAt >= start && event.occurredAt < end) events.set(JSON.stringify([event.at, identifier, action]), event);
        }
        return [...events.values()].sort((one, other) => other.occurredAt - one.occurredAt).slice(0, mostEvents);
    }

    odograph.dayEvents = { eventsOfRows, eventsOfDay };
})(globalThis.odograph ??= {});
