/// The tables of the recorder's database in SQLite. ``PostgreSQLTables`` has the same tables and columns.
enum SQLiteTables {
    /// Marks the file as the database of a recorder: "ODOR".
    static let applicationID = 0x4F44_4F52

    /// The statements that create them in an empty database.
    static let sql = """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(RecorderSchema.version);

        -- Times are text in UTC, such as 2026-11-21T09:15:02.000Z. Distances are metres, speeds metres per second.
        -- A column is NULL if the vehicle does not know the value.

        -- The database itself: one row.
        CREATE TABLE identity (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            database_id TEXT NOT NULL,     -- random name, in each receipt
            backups INTEGER NOT NULL,      -- complete backups by `odograph-recorder backup`
            last_backup TEXT               -- when the newest of them was complete
        ) STRICT;
        INSERT INTO identity (id, database_id, backups) VALUES (1, lower(hex(randomblob(8))), 0);

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
            connection INTEGER,
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

        -- Each record once: locations, geofence events, revisions of the timeline, and given-up records. Epoch 0 has the
        -- positions that were imported from files of other programs; runs and covered have none of their numbers.
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
        CREATE INDEX records_of_geofences ON records (vehicle, time) WHERE kind = 'geofence';

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

        -- The backups by programs of the operator that have begun: what the database covered at that time.
        CREATE TABLE begun_backups (
            mark TEXT PRIMARY KEY,         -- random name
            begin_time TEXT NOT NULL,
            backups INTEGER NOT NULL       -- identity.backups at that time
        ) STRICT;
        CREATE TABLE begun_backup_numbers (
            mark TEXT NOT NULL REFERENCES begun_backups (mark),
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            epoch INTEGER NOT NULL,
            last INTEGER NOT NULL,         -- the numbers from 1 to this one were covered
            PRIMARY KEY (mark, vehicle, epoch)
        ) STRICT, WITHOUT ROWID;

        -- What `odograph-recorder erase` has erased: one row for each vehicle. The numbers of the records stay in runs.
        CREATE TABLE erasures (
            id INTEGER PRIMARY KEY,
            time TEXT NOT NULL,
            fleet TEXT NOT NULL,
            device TEXT NOT NULL,
            by_driver INTEGER NOT NULL,    -- 1: only the records of a driver, whose name is not kept
            from_time TEXT,                -- the erased time, NULL for no limit
            to_time TEXT,
            positions INTEGER NOT NULL,
            revisions INTEGER NOT NULL,    -- records of the timeline
            events INTEGER NOT NULL,
            conflicts INTEGER NOT NULL,
            rejected INTEGER NOT NULL
        ) STRICT;

        -- The erased times of vehicles. A position of such a time, or an event that overlaps it, is not stored if it
        -- comes later; its number is.
        CREATE TABLE erased_times (
            id INTEGER PRIMARY KEY,
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            from_time TEXT NOT NULL,
            to_time TEXT NOT NULL
        ) STRICT;

        -- The events that were erased with a driver. Their later revisions are not stored; their numbers are.
        CREATE TABLE erased_events (
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            event_id TEXT NOT NULL,
            PRIMARY KEY (vehicle, event_id)
        ) STRICT, WITHOUT ROWID;

        -- The tables of a server whose files can still have the bytes of erased rows.
        CREATE TABLE tables_to_rewrite (
            name TEXT PRIMARY KEY
        ) STRICT, WITHOUT ROWID;

        -- Requests about the past that the recorder got over the broker. `history.log_days` limits their age.
        CREATE TABLE requests (
            id INTEGER PRIMARY KEY,
            time TEXT NOT NULL,            -- when the recorder received it
            fleet TEXT NOT NULL,
            person TEXT NOT NULL,          -- the login of the person at the broker
            request TEXT NOT NULL,         -- the identifier that the person gave it
            kind TEXT,                     -- as in the request; NULL if it was not readable
            device TEXT,                   -- the vehicle, NULL for all vehicles
            from_time TEXT,                -- the interval; of days in UTC
            to_time TEXT,
            outcome TEXT NOT NULL,         -- begun, answered, interrupted (not all was delivered), failed or refused
            code TEXT,                     -- why it was refused or failed
            row_count INTEGER NOT NULL     -- the rows that were sent
        ) STRICT;
        CREATE INDEX requests_by_time ON requests (time);

        -- The episodes of the rules that last, such as a vehicle that is silent.
        CREATE TABLE rule_episodes (
            rule TEXT NOT NULL,
            kind TEXT NOT NULL,            -- the rule's `when`
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            subject TEXT NOT NULL,         -- what it is about, if a vehicle can have several; of a gap the epoch
            begin_time TEXT NOT NULL,
            mark INTEGER NOT NULL,         -- of a gap the greatest number that was named; of a service what was due
            PRIMARY KEY (rule, vehicle, subject)
        ) STRICT, WITHOUT ROWID;

        -- The notifications that are not delivered: at most 1,000 of each rule, and 100 of each vehicle.
        CREATE TABLE notifications (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            rule TEXT NOT NULL,
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            payload TEXT NOT NULL,         -- JSON
            created_time TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            attempt_time TEXT NOT NULL     -- the earliest time of the next attempt
        ) STRICT;
        CREATE INDEX notifications_by_vehicle ON notifications (rule, vehicle, id);

        -- The vehicles whose notifications of a rule were dropped, because there were too many.
        CREATE TABLE notification_floods (
            rule TEXT NOT NULL,
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            dropped INTEGER NOT NULL,
            last_time TEXT NOT NULL,       -- when the newest of them was dropped
            PRIMARY KEY (rule, vehicle)
        ) STRICT, WITHOUT ROWID;

        -- What became of the notifications of each rule.
        CREATE TABLE notification_counts (
            rule TEXT PRIMARY KEY,
            delivered INTEGER NOT NULL,
            dropped INTEGER NOT NULL       -- beyond the limit, refused by the target, too old, or of a removed rule
        ) STRICT, WITHOUT ROWID;

        -- The place of the relay in records, by id: a row for each target.
        CREATE TABLE relays (
            name TEXT PRIMARY KEY,
            record INTEGER NOT NULL,       -- the records up to this one are done
            relayed INTEGER NOT NULL,
            refused INTEGER NOT NULL,
            removals INTEGER NOT NULL      -- how often the newest record was removed
        ) STRICT, WITHOUT ROWID;

        -- SQLite gives the key of the newest record again if that record was removed.
        CREATE TRIGGER records_removed AFTER DELETE ON records
        WHEN old.id > (SELECT coalesce(max(id), 0) FROM records)
        BEGIN
            UPDATE relays
            SET record = min(record, (SELECT coalesce(max(id), 0) FROM records)), removals = removals + 1;
        END;

        -- The secret from which the recorder's client id at the broker follows: one row. Who knows the id can end the
        -- recorder's session.
        CREATE TABLE broker_session (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            client_secret TEXT NOT NULL
        ) STRICT;
        INSERT INTO broker_session (id, client_secret)
        VALUES (1, lower(hex(randomblob(8))) || lower(hex(randomblob(8))));

        -- What the rules found and which problems the vehicles reported: the newest 200 of each vehicle.
        CREATE TABLE alerts (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            alert TEXT NOT NULL UNIQUE,    -- the identifier, the same for the same thing
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            kind TEXT NOT NULL,            -- the rule's `when`, or problem
            rule TEXT,                     -- NULL for a problem
            subject TEXT NOT NULL,         -- what it is about, of a problem its code
            time TEXT NOT NULL,            -- when it happened or began
            is_open INTEGER NOT NULL,      -- 1: it lasts
            end_time TEXT,                 -- when the recorder saw its end; NULL for what happened once
            text TEXT NOT NULL,            -- a sentence for people
            acknowledged_by TEXT,          -- the login of the first person who did; NULL for nobody
            acknowledged_time TEXT
        ) STRICT;
        CREATE INDEX alerts_by_vehicle ON alerts (vehicle, id);
        CREATE INDEX alerts_by_time ON alerts (vehicle, time);
        """
}
