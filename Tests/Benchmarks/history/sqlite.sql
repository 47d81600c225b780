-- Fills a recorder's database in SQLite: {vehicles} vehicles with {days} days of {records_per_day} records in the order in
-- which they arrive, so the records of a vehicle lie between those of the others; and 10,000 vehicles with one position.
PRAGMA synchronous = OFF;
PRAGMA cache_size = -500000;
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {vehicles} - 1)
INSERT INTO vehicles (id, fleet, device, first_seen, last_seen, time_zone)
SELECT i + 1, 'acme', 'van-' || i, '2026-10-01T00:00:00.000Z', '2026-11-10T00:00:00.000Z', 'UTC' FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
INSERT INTO vehicles (id, fleet, device, first_seen, last_seen, state)
SELECT {vehicles} + i + 1, 'large', 'car-' || i, '2026-10-01T00:00:00.000Z', '2026-11-10T00:00:00.000Z', 'online' FROM n;

CREATE TEMPORARY TABLE moments (seq INTEGER PRIMARY KEY, time TEXT);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {days} * {records_per_day} - 1)
INSERT INTO moments
SELECT i + 1, strftime('%Y-%m-%dT%H:%M:%f', 1790812800 + i * 86400 / {records_per_day}, 'unixepoch') || 'Z' FROM n;

-- Every eightieth record is a revision of a trip, which follows the trip before it.
INSERT INTO records (vehicle, epoch, seq, kind, time, clock_untrusted, latitude, longitude, accuracy, altitude, speed,
    heading, is_moving, odometer, event, subject, mock, received, payload, driver)
SELECT vehicles.id, 1790812800, seq, iif(seq % 80 = 0, 'timeline', 'location'), time, 0,
    48.2 + (seq * 37 % 1000) / 1e4, 16.37 + (vehicles.id % 1000) / 1e3, 4.2, 171.3, seq % 25, seq % 360, 1,
    seq * 100.0, iif(seq % 80 = 0, 'IN_TRANSPORT', NULL), iif(seq % 80 = 0, 'trip-' || seq, NULL), 0, time,
    iif(seq % 80 = 0,
        '{"device_id":"' || device || '","timeline_event":{"distance_in_meters":8000,"duration":6000,"end_date":"' || time
            || '","epoch":1790812800,"event_id":"trip-' || seq || '","is_provisional":false,"last_update_date":"' || time
            || '","revision":7,"seq":' || seq || ',"start_date":"'
            || strftime('%Y-%m-%dT%H:%M:%f', time, '-100 minutes') || 'Z'
            || '","transport_mode":"CAR","type":"IN_TRANSPORT","uuid":"0192f0c4-7d5e-7a31-8b52-'
            || printf('%012x', seq) || '"}}',
        '{"device_id":"' || device || '","location":{"activity":{"confidence":97,"type":"in_vehicle"},"age":120,'
            || '"coords":{"accuracy":4.2,"altitude":171.3,"ellipsoidal_altitude":214.9,"heading":' || seq % 360
            || ',"latitude":' || (48.2 + (seq * 37 % 1000) / 1e4) || ',"longitude":'
            || (16.37 + (vehicles.id % 1000) / 1e3) || ',"speed":' || seq % 25 || '},"epoch":1790812800,'
            || '"is_moving":true,"mock":false,"odometer":' || seq * 100.0 || ',"odometer_error":1.5,"sample":false,'
            || '"seq":' || seq || ',"timestamp":"' || time || '","uuid":"0192f0c4-7d5e-7a31-8b52-'
            || printf('%012x', seq) || '"}}'),
    NULL
FROM moments CROSS JOIN vehicles WHERE fleet = 'acme';

INSERT INTO timeline_events (vehicle, event_id, last_update_date, revision, epoch, seq, withdrawn, is_provisional, type,
    start_date, end_date, duration, transport_mode, distance)
SELECT vehicle, subject, time, 7, epoch, seq, 0, 0, 'IN_TRANSPORT',
    strftime('%Y-%m-%dT%H:%M:%f', time, '-100 minutes') || 'Z', time, 6000, 'CAR', 8000
FROM records WHERE kind = 'timeline';

INSERT INTO records (vehicle, epoch, seq, kind, time, clock_untrusted, latitude, longitude, accuracy, altitude, speed,
    heading, is_moving, odometer, mock, received, payload)
SELECT id, 1790812800, 1, 'location', '2026-11-09T23:59:00.000Z', 0, 48.2, 16.37, 4.2, 171.3, 12, 90, 1, 1000, 0,
    '2026-11-09T23:59:01.000Z',
    '{"device_id":"' || device || '","location":{"activity":{"confidence":97,"type":"in_vehicle"},"age":120,'
        || '"coords":{"accuracy":4.2,"altitude":171.3,"ellipsoidal_altitude":214.9,"heading":90,"latitude":48.2,'
        || '"longitude":16.37,"speed":12},"epoch":1790812800,"is_moving":true,"mock":false,"odometer":1000,'
        || '"odometer_error":1.5,"sample":false,"seq":1,"timestamp":"2026-11-09T23:59:00.000Z",'
        || '"uuid":"0192f0c4-7d5e-7a31-8b52-000000000001"}}'
FROM vehicles WHERE fleet = 'large';
INSERT INTO latest (vehicle, kind, epoch, seq, time)
SELECT vehicle, 'location', 1790812800, max(seq), max(time) FROM records WHERE kind = 'location' GROUP BY vehicle;
INSERT INTO runs (vehicle, epoch, first, last)
SELECT id, 1790812800, 1, iif(fleet = 'large', 1, {days} * {records_per_day}) FROM vehicles;
INSERT INTO covered SELECT * FROM runs;
COMMIT;
PRAGMA wal_checkpoint(TRUNCATE);
