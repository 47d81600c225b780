(function (odograph) {
    'use strict';

    /** A time between two positions after which a new segment of a GPX file begins, milliseconds. */
    const segmentMilliseconds = 7200000;

    const iso = (at) => (at === null ? '' : new Date(at).toISOString());

    /**
     * A field of a table with commas (RFC 4180). A text cannot be a formula: a spreadsheet would run it.
     * @param {*} value
     */
    function field(value) {
        if (value === null || value === undefined) return '';
        if (typeof value === 'number') return String(value);
        if (typeof value === 'boolean') return value ? '1' : '0';
        let text = String(value).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ');
        if (/^[ "]*[=+\-@＝＋－＠]/.test(text)) text = `'${text}`;
        return /[",;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    }

    const line = (values) => `${values.map(field).join(',')}\n`;

    /**
     * The positions of a track as a table, with columns of `odograph-recorder export`.
     * @param {Track} track @param {{fleet: string, name: string}} vehicle
     */
    function positionsCSV({ points }, { fleet, name }) {
        const head = ['time', 'fleet', 'device', 'kind', 'event', 'geofence', 'latitude', 'longitude', 'accuracy', 'altitude',
            'speed', 'heading', 'is_moving', 'odometer', 'mock'];
        return line(head) + points.map((point) => line([
            // An instant is no text of a vehicle.
            iso(point.at), fleet, name, point.geofence === null ? 'location' : 'geofence', point.action ?? point.event,
            point.geofence, point.latitude, point.longitude, point.accuracy, point.altitude, point.speed, point.heading,
            point.isMoving, point.odometer, point.isMock,
        ])).join('');
    }

    /** Where a stop or trip begins and ends; nowhere if it is private. */
    function endsOf(part, before, after) {
        if (part.kind === 'stop') return { from: part.place, to: part.place, fromName: part.venue, toName: part.venue };
        if (part.kind !== 'trip' || part.isPrivate) return { from: null, to: null, fromName: null, toName: null };
        // A trip has the names of the stops that it is between.
        const nameOf = (other, isJoined) => (other?.kind === 'stop' && isJoined ? other.venue : null);
        return {
            from: part.waypoints[0], to: part.waypoints.at(-1),
            fromName: nameOf(before, before?.end === part.start), toName: nameOf(after, after?.start === part.end),
        };
    }

    /**
     * The stops and trips of a day as a table. Of what is private it has times and distances only.
     * @param {object[]} parts in order of time @param {{fleet: string, name: string}} vehicle
     */
    function timelineCSV(parts, { fleet, name }) {
        const head = ['start', 'end', 'fleet', 'device', 'kind', 'what', 'is_private', 'duration', 'distance', 'driver', 'tag',
            'from', 'from_latitude', 'from_longitude', 'to', 'to_latitude', 'to_longitude'];
        return line(head) + parts.map((part, index) => {
            const { from, to, fromName, toName } = endsOf(part, parts[index - 1], parts[index + 1]);
            return line([
                iso(part.start), iso(part.end), fleet, name, part.kind, part.words, part.isPrivate, Math.round(part.duration / 1000),
                part.distance, part.driver, part.tag, fromName, from?.latitude, from?.longitude, toName, to?.latitude, to?.longitude,
            ]);
        }).join('');
    }

    const escaped = (text) => text.replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g, ' ')
        .replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

    function gpxPoint({ at, latitude, longitude, altitude, speed, heading, isMock }) {
        const movement = [['speed', speed], ['course', heading]].filter(([, value]) => value !== null)
            .map(([tag, value]) => `<gpxtpx:${tag}>${value.toFixed(2)}</gpxtpx:${tag}>`).join('');
        return `<trkpt lat="${latitude.toFixed(7)}" lon="${longitude.toFixed(7)}">`
            + `${altitude === null ? '' : `<ele>${altitude.toFixed(2)}</ele>`}<time>${iso(at)}</time>`
            + `${isMock ? '<src>mock</src>' : ''}`
            + `${movement === '' ? '' : `<extensions><gpxtpx:TrackPointExtension>${movement}</gpxtpx:TrackPointExtension></extensions>`}`
            + '</trkpt>\n';
    }

    /**
     * A track as GPX 1.1, as `odograph-recorder export` writes it.
     * @param {Track} track @param {{name: string}} vehicle
     */
    function gpx({ points }, { name }) {
        const segments = [];
        points.forEach((point, index) => {
            if (index === 0 || point.isApart || point.at - points[index - 1].at > segmentMilliseconds) segments.push([]);
            segments.at(-1).push(gpxPoint(point));
        });
        return '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="odograph dashboard" '
            + 'xmlns="http://www.topografix.com/GPX/1/1" '
            + 'xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">\n'
            + `<trk>\n<name>${escaped(name)}</name>\n`
            + `${segments.map((rows) => `<trkseg>\n${rows.join('')}</trkseg>\n`).join('')}</trk>\n</gpx>\n`;
    }

    const isNumber = (text) => /^-?\d+(\.\d+)?$/.test(text);

    /**
     * The table of a report with commas. A name or a plate that looks like a number is a text.
     * @param {{columns: Array<{words: string, isNumber: boolean}>, rows: Cell[][], total: Cell[]}} table @returns {string}
     */
    function tableCSV({ columns, rows, total }) {
        const value = (text, index) => (columns[index].isNumber && isNumber(text) ? Number(text) : text);
        const lines = [...rows, total].map((row) => row.map(odograph.report.fileOf).map(value));
        return [columns.map(({ words }) => words), ...lines].map(line).join('');
    }

    odograph.exports = { tableCSV, positionsCSV, timelineCSV, gpx };
})(globalThis.odograph ??= {});
