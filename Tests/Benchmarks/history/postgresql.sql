-- Fills a recorder's database in PostgreSQL with the same as sqlite.sql.
CREATE TABLE records_2026_10 PARTITION OF records FOR VALUES FROM ('2026-10-01') TO ('2026-11-01');
CREATE TABLE records_2026_11 PARTITION OF records FOR VALUES FROM ('2026-11-01') TO ('2026-12-01');
SET timezone = 'UTC';
INSERT INTO vehicles (fleet, device, first_seen, last_seen, time_zone)
SELECT 'acme', 'van-' || i, '2026-10-01T00:00:00Z', '2026-11-10T00:00:00Z', 'UTC'
FROM generate_series(0, {vehicles} - 1) AS i ORDER BY i;
INSERT INTO vehicles (fleet, device, first_seen, last_seen, state)
SELECT 'large', 'car-' || i, '2026-10-01T00:00:00Z', '2026-11-10T00:00:00Z', 'online'
FROM generate_series(0, 9999) AS i ORDER BY i;

INSERT INTO records (vehicle, epoch, seq, kind, time, clock_untrusted, latitude, longitude, accuracy, altitude, speed,
    heading, is_moving, odometer, event, subject, mock, received, payload)
SELECT id, 1790812800, seq, CASE WHEN is_event THEN 'timeline' ELSE 'location' END, time, 0,
    48.2 + (seq * 37 % 1000) / 1e4, 16.37 + (id % 1000) / 1e3, 4.2, 171.3, seq % 25, seq % 360, 1, seq * 100.0,
    CASE WHEN is_event THEN 'IN_TRANSPORT' END, CASE WHEN is_event THEN 'trip-' || seq END, 0, time,
    CASE WHEN is_event
        THEN '{"device_id":"' || device || '","timeline_event":{"distance_in_meters":8000,"duration":6000,"end_date":"'
            || text || '","epoch":1790812800,"event_id":"trip-' || seq
            || '","is_provisional":false,"last_update_date":"' || text || '","revision":7,"seq":' || seq
            || ',"start_date":"' || to_char(time - interval '100 minutes', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
            || '","transport_mode":"CAR","type":"IN_TRANSPORT","uuid":"0192f0c4-7d5e-7a31-8b52-'
            || lpad(to_hex(seq), 12, '0') || '"}}'
        ELSE '{"device_id":"' || device || '","location":{"activity":{"confidence":97,"type":"in_vehicle"},"age":120,'
            || '"coords":{"accuracy":4.2,"altitude":171.3,"ellipsoidal_altitude":214.9,"heading":' || seq % 360
            || ',"latitude":' || (48.2 + (seq * 37 % 1000) / 1e4) || ',"longitude":' || (16.37 + (id % 1000) / 1e3)
            || ',"speed":' || seq % 25 || '},"epoch":1790812800,"is_moving":true,"mock":false,"odometer":'
            || seq * 100.0 || ',"odometer_error":1.5,"sample":false,"seq":' || seq || ',"timestamp":"' || text
            || '","uuid":"0192f0c4-7d5e-7a31-8b52-' || lpad(to_hex(seq), 12, '0') || '"}}' END
FROM (SELECT seq, seq % 80 = 0 AS is_event, time, to_char(time, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS text
      FROM (SELECT seq, to_timestamp(1790812800 + (seq - 1) * 86400 / {records_per_day}) AS time
            FROM generate_series(1, ({days} * {records_per_day})::bigint) AS seq) AS numbers) AS moments
CROSS JOIN (SELECT id, device FROM vehicles WHERE fleet = 'acme') AS vehicles;

INSERT INTO timeline_events (vehicle, event_id, last_update_date, revision, epoch, seq, withdrawn, is_provisional, type,
    start_date, end_date, duration, transport_mode, distance)
SELECT vehicle, subject, time, 7, epoch, seq, 0, 0, 'IN_TRANSPORT', time - interval '100 minutes', time, 6000, 'CAR', 8000
FROM records WHERE kind = 'timeline';

INSERT INTO records (vehicle, epoch, seq, kind, time, clock_untrusted, latitude, longitude, accuracy, altitude, speed,
    heading, is_moving, odometer, mock, received, payload)
SELECT id, 1790812800, 1, 'location', '2026-11-09T23:59:00Z', 0, 48.2, 16.37, 4.2, 171.3, 12, 90, 1, 1000, 0,
    '2026-11-09T23:59:01Z',
    '{"device_id":"' || device || '","location":{"activity":{"confidence":97,"type":"in_vehicle"},"age":120,'
        || '"coords":{"accuracy":4.2,"altitude":171.3,"ellipsoidal_altitude":214.9,"heading":90,"latitude":48.2,'
        || '"longitude":16.37,"speed":12},"epoch":1790812800,"is_moving":true,"mock":false,"odometer":1000,'
        || '"odometer_error":1.5,"sample":false,"seq":1,"timestamp":"2026-11-09T23:59:00.000Z",'
        || '"uuid":"0192f0c4-7d5e-7a31-8b52-000000000001"}}'
FROM vehicles WHERE fleet = 'large';
INSERT INTO latest (vehicle, kind, epoch, seq, time)
SELECT vehicle, 'location', 1790812800, max(seq), max(time) FROM records WHERE kind = 'location' GROUP BY vehicle;
INSERT INTO runs (vehicle, epoch, first, last)
SELECT id, 1790812800, 1, CASE WHEN fleet = 'large' THEN 1 ELSE {days} * {records_per_day} END FROM vehicles;
INSERT INTO covered SELECT * FROM runs;
ANALYZE;
