extension RecorderSchema {
    /// The tables of what the vehicles send, and of what the database covers.
    static let archive = """
        -- Times are text in UTC, such as 2026-11-21T09:15:02.000Z. Distances are metres, speeds metres per second.
        -- A column is NULL if the vehicle does not know the value.

        -- The database itself: one row.
        CREATE TABLE store (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            store_id TEXT NOT NULL,        -- random name, in each receipt
            backups INTEGER NOT NULL,      -- complete backups by `odograph-recorder backup`
            last_backup TEXT               -- when the newest of them was complete
        ) STRICT;
        INSERT INTO store (id, store_id, backups) VALUES (1, lower(hex(randomblob(8))), 0);

        -- One row for each vehicle that has published something.
        CREATE TABLE vehicles (
            id INTEGER PRIMARY KEY,
            fleet TEXT NOT NULL,
            device TEXT NOT NULL,
            first_seen TEXT NOT NULL,      -- when the recorder received the first message and the newest one
            last_seen TEXT NOT NULL,
            state TEXT,                    -- online or offline, from status
            state_reason TEXT,
            state_time TEXT,
            session INTEGER,
            problems TEXT,                 -- JSON, NULL for none
            agent_version TEXT,
            time_zone TEXT,                -- of the vehicle's days; NULL if it has not stated one
            queue_depth INTEGER,           -- records that waited in the vehicle, by its report or its last status
            report_time TEXT,
            status TEXT,                   -- the newest payloads, JSON
            reported TEXT,
            reads_receipts INTEGER NOT NULL DEFAULT 0,    -- 1: its agent reads receipts
            receipt_revision INTEGER NOT NULL DEFAULT 0,  -- of the newest receipt, as far as it is stored
            conflicts INTEGER NOT NULL DEFAULT 0,         -- found conflicts, also those that are no longer kept
            -- The time after which a parked vehicle makes a record (tracking.heartbeat_interval), seconds. NULL if no
            -- report with its configuration was received.
            heartbeat_interval REAL,
            refused INTEGER NOT NULL DEFAULT 0,           -- messages beyond `limits`, and when the newest was refused
            refused_time TEXT,
            UNIQUE (fleet, device)
        ) STRICT;

        -- Each record once: locations, geofence events, revisions of the timeline, and given-up records.
        CREATE TABLE records (
            id INTEGER PRIMARY KEY,
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            epoch INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            kind TEXT NOT NULL,            -- location, geofence, timeline or given_up
            time TEXT NOT NULL,            -- timestamp of a record, last_update_date of a revision
            clock_untrusted INTEGER NOT NULL,
            latitude REAL,
            longitude REAL,
            accuracy REAL,
            altitude REAL,
            speed REAL,
            heading REAL,
            is_moving INTEGER,
            odometer REAL,
            event TEXT,                    -- the cause of a location; ENTER, EXIT, … of a geofence; type of a revision
            subject TEXT,                  -- identifier of the geofence, event_id of the timeline event
            mock INTEGER NOT NULL,
            received TEXT NOT NULL,
            payload TEXT NOT NULL,         -- the message as it came, JSON
            driver TEXT,                   -- of a position: driver, or else extras.driver
            UNIQUE (vehicle, epoch, seq)
        ) STRICT;
        CREATE INDEX records_by_time ON records (vehicle, time);
        CREATE INDEX records_by_driver ON records (driver, vehicle, time) WHERE driver IS NOT NULL;

        -- The newest record of each kind of a vehicle.
        CREATE TABLE latest (
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            kind TEXT NOT NULL,
            epoch INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            time TEXT NOT NULL,            -- of this record
            PRIMARY KEY (vehicle, kind)
        ) STRICT, WITHOUT ROWID;

        -- The newest revision of each timeline event. Withdrawn events stay, so that an older revision that comes later
        -- does not bring them back. The view timeline is without them.
        CREATE TABLE timeline_events (
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            event_id TEXT NOT NULL,
            last_update_date TEXT NOT NULL,
            revision INTEGER NOT NULL,
            epoch INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            withdrawn INTEGER NOT NULL,
            is_provisional INTEGER NOT NULL,
            type TEXT NOT NULL,
            start_date TEXT NOT NULL,
            end_date TEXT,                 -- NULL while the event lasts
            duration REAL NOT NULL,
            transport_mode TEXT,
            distance REAL,
            latitude REAL,                 -- the centre of a stop
            longitude REAL,
            venue TEXT,                    -- the geofence that contains the stop
            reason TEXT,                   -- why there are no positions
            tag TEXT,
            driver TEXT,                   -- whom a program on the vehicle has set
            idle_seconds REAL,             -- the time in which the engine ran at a halt
            PRIMARY KEY (vehicle, event_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX timeline_events_by_start ON timeline_events (vehicle, start_date);
        CREATE INDEX timeline_events_by_driver ON timeline_events (driver, vehicle, start_date)
            WHERE driver IS NOT NULL;

        -- The numbers that were stored at any time, as runs without a gap.
        CREATE TABLE runs (
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            epoch INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (vehicle, epoch, first)
        ) STRICT, WITHOUT ROWID;

        -- The numbers for which no record comes, as stored given-up records name them. A record that is stored although
        -- its number is named here is valid.
        CREATE TABLE given_up (
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            epoch INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            reason TEXT NOT NULL,
            PRIMARY KEY (vehicle, epoch, first, last, reason)
        ) STRICT, WITHOUT ROWID;

        -- The numbers that were stored or given up at any time, as runs without a gap. Receipts follow from it.
        CREATE TABLE covered (
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            epoch INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (vehicle, epoch, first)
        ) STRICT, WITHOUT ROWID;

        -- The newest complete backup covers the numbers from 1 to this one.
        CREATE TABLE backed_up (
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            epoch INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (vehicle, epoch)
        ) STRICT, WITHOUT ROWID;

        -- The entries of the ledgers: numbers for which no record comes. An entry is removed if a larger one with the
        -- same reason contains it.
        CREATE TABLE ledger (
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            epoch INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            count INTEGER NOT NULL,
            kind TEXT NOT NULL,            -- empty for several kinds
            reason TEXT NOT NULL,
            at TEXT NOT NULL,
            PRIMARY KEY (vehicle, epoch, first, last, count, kind, reason)
        ) STRICT, WITHOUT ROWID;

        -- Records with the number of another record and other contents. Table records has the one that came first.
        CREATE TABLE conflicts (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            epoch INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            received TEXT NOT NULL,
            payload TEXT NOT NULL,
            UNIQUE (vehicle, epoch, seq, payload)
        ) STRICT;

        -- Messages that violate the contract: the newest 10,000, each payload up to 4096 bytes.
        CREATE TABLE rejected (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            topic TEXT NOT NULL,
            bytes INTEGER NOT NULL,        -- the length of the whole payload
            payload BLOB NOT NULL,
            reason TEXT NOT NULL,
            received TEXT NOT NULL,
            UNIQUE (topic, bytes, payload)
        ) STRICT;
        """

    /// The views for people and other programs.
    static let views = """
        CREATE VIEW timeline AS
        SELECT fleet, device, timeline_events.*
        FROM timeline_events JOIN vehicles ON vehicles.id = timeline_events.vehicle
        WHERE withdrawn = 0;

        CREATE VIEW positions AS
        SELECT fleet, device, records.*
        FROM records JOIN vehicles ON vehicles.id = records.vehicle
        WHERE kind IN ('location', 'geofence');

        -- Each range of missing numbers, with the reasons of the given-up records and ledger entries that overlap it: of
        -- an epoch the first 20 reasons by name. For each reason one pass over the numbers finds how far its entries
        -- reach at the end of a range, so the work grows as the number of ranges and entries.
        CREATE VIEW gaps AS
        WITH known AS (
            SELECT vehicle, epoch, first, last, reason
            FROM (SELECT stated.*, dense_rank() OVER (PARTITION BY vehicle, epoch ORDER BY reason) AS place
                  FROM (SELECT vehicle, epoch, first, last, reason FROM ledger
                        UNION ALL SELECT vehicle, epoch, first, last, reason FROM given_up) AS stated) AS ranked
            WHERE place <= 20
        ), hole AS (
            SELECT * FROM (
                SELECT vehicle, epoch,
                       lag(stored.last, 1, 0) OVER (PARTITION BY vehicle, epoch ORDER BY stored.first) + 1 AS first,
                       stored.first - 1 AS last
                FROM (SELECT vehicle, epoch, first, last FROM runs
                      UNION ALL SELECT vehicle, epoch, max(last) + 1, NULL FROM covered GROUP BY vehicle, epoch
                     ) AS stored) AS space
            WHERE first <= last
        ), asked AS (
            SELECT vehicle, epoch, reason, first AS place, 0 AS is_hole, NULL AS first, last AS reach FROM known
            UNION ALL
            SELECT hole.vehicle, hole.epoch, named.reason, hole.last, 1, hole.first, NULL
            FROM hole LEFT JOIN (SELECT DISTINCT vehicle, epoch, reason FROM known) AS named
                ON named.vehicle = hole.vehicle AND named.epoch = hole.epoch
        ), answered AS (
            SELECT asked.*, max(reach) OVER (PARTITION BY vehicle, epoch, reason ORDER BY place, is_hole
                                             ROWS UNBOUNDED PRECEDING) >= first AS is_known
            FROM asked)
        SELECT fleet, device, vehicle, epoch, first, place AS last,
               group_concat(DISTINCT CASE WHEN is_known THEN reason END) AS reasons
        FROM answered JOIN vehicles ON vehicles.id = answered.vehicle
        WHERE is_hole = 1
        GROUP BY fleet, device, vehicle, epoch, first, place;

        -- The missing numbers that are in no given-up record and no ledger entry: they wait in the vehicle, or are
        -- lost. The numbers before the first record of a vehicle's first epoch do not count: they are from before the
        -- recorder's time.
        CREATE VIEW open_gaps AS
        WITH known AS (
            SELECT vehicle, epoch, first, last FROM covered
            UNION ALL SELECT vehicle, epoch, first, last FROM ledger
        ), ordered AS (
            SELECT *, coalesce(max(last) OVER (PARTITION BY vehicle, epoch ORDER BY first
                                               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS reached
            FROM known)
        SELECT fleet, device, vehicle, epoch, reached + 1 AS first, ordered.first - 1 AS last
        FROM ordered JOIN vehicles ON vehicles.id = ordered.vehicle
        WHERE ordered.first > reached + 1
            AND (reached > 0 OR epoch > (SELECT min(epoch) FROM covered WHERE covered.vehicle = ordered.vehicle));
        """
}
