/// The tables of the recorder's database in PostgreSQL. ``SQLiteTables`` has the same tables and columns.
enum PostgreSQLTables {
    /// The statements that create them in a database without the schema `odograph`.
    static let sql = """
        CREATE SCHEMA odograph;
        SET search_path = odograph;
        CREATE TABLE schema_version (version bigint NOT NULL);
        INSERT INTO schema_version (version) VALUES (\(RecorderSchema.version));

        -- Times are times, so that Grafana and people can calculate with them. Truth values are 1 or 0.
        -- Distances are metres, speeds metres per second. A column is NULL if the vehicle does not know the value.

        -- The database itself: one row.
        CREATE TABLE identity (
            id bigint PRIMARY KEY CHECK (id = 1),
            database_id text NOT NULL,     -- random name, in each receipt
            backups bigint NOT NULL,       -- complete backups by `odograph-recorder backup`
            last_backup timestamptz        -- when the newest of them was complete
        );
        INSERT INTO identity (id, database_id, backups)
        VALUES (1, substr(replace(gen_random_uuid()::text, '-', ''), 1, 16), 0);

        -- One row for each vehicle that has published something.
        CREATE TABLE vehicles (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            fleet text NOT NULL,
            device text NOT NULL,
            first_seen timestamptz NOT NULL,  -- when the recorder received the first message and the newest one
            last_seen timestamptz NOT NULL,
            state text,                    -- online or offline, from status
            state_reason text,
            state_time timestamptz,
            connection bigint,
            problems text,                 -- JSON, NULL for none
            agent_version text,
            time_zone text,                -- of the vehicle's days; NULL if it has not stated one
            queue_depth bigint,            -- records that waited in the vehicle, by its report or its last status
            report_time timestamptz,
            status text,                   -- the newest payloads, JSON
            reported text,
            reads_receipts bigint NOT NULL DEFAULT 0,     -- 1: its agent reads receipts
            receipt_revision bigint NOT NULL DEFAULT 0,   -- of the newest receipt, as far as it is stored
            conflicts bigint NOT NULL DEFAULT 0,          -- found conflicts, also those that are no longer kept
            -- The time after which a parked vehicle makes a record (tracking.heartbeat_interval), seconds. NULL if no
            -- report with its configuration was received.
            heartbeat_interval double precision,
            refused bigint NOT NULL DEFAULT 0,            -- messages beyond `limits`, and when the newest was refused
            refused_time timestamptz,
            UNIQUE (fleet, device)
        );

        -- Each record once: locations, geofence events, revisions of the timeline, and given-up records. Epoch 0 has the
        -- positions that were imported from files of other programs; runs and covered have none of their numbers.
        CREATE SEQUENCE record_ids;
        CREATE TABLE records (
            id bigint NOT NULL DEFAULT nextval('record_ids'),
            vehicle bigint NOT NULL REFERENCES vehicles (id),
            epoch bigint NOT NULL,
            seq bigint NOT NULL,
            kind text NOT NULL,            -- location, geofence, timeline or given_up
            time timestamptz NOT NULL,     -- timestamp of a record, last_update_date of a revision
            clock_untrusted bigint NOT NULL,
            latitude double precision,
            longitude double precision,
            accuracy double precision,
            altitude double precision,
            speed double precision,
            heading double precision,
            is_moving bigint,
            odometer double precision,
            event text,                    -- the cause of a location; ENTER, EXIT, … of a geofence; type of a revision
            subject text,                  -- identifier of the geofence, event_id of the timeline event
            mock bigint NOT NULL,
            received timestamptz NOT NULL,
            payload text NOT NULL,         -- the message as it came, JSON
            driver text,                   -- of a position: driver, or else extras.driver
            -- A unique key of a table with partitions must contain the time. The recorder looks for a number in runs
            -- before it inserts, so a number is stored once all the same.
            PRIMARY KEY (vehicle, epoch, seq, time)
        ) PARTITION BY RANGE (time);
        -- The recorder makes a partition for each month. This one is for implausible dates.
        CREATE TABLE records_other PARTITION OF records DEFAULT;
        CREATE INDEX records_by_time ON records (vehicle, time);
        -- Of the beginning of the name, because an entry of an index has at most 2.7 kB.
        CREATE INDEX records_by_driver ON records (substr(driver, 1, 500), vehicle, time) WHERE driver IS NOT NULL;
        CREATE INDEX records_of_geofences ON records (vehicle, time) WHERE kind = 'geofence';

        -- The newest record of each kind of a vehicle.
        CREATE TABLE latest (
            vehicle bigint NOT NULL REFERENCES vehicles (id),
            kind text NOT NULL,
            epoch bigint NOT NULL,
            seq bigint NOT NULL,
            time timestamptz NOT NULL,     -- of this record
            PRIMARY KEY (vehicle, kind)
        );

        -- The newest revision of each timeline event. Withdrawn events stay, so that an older revision that comes later
        -- does not bring them back. The view timeline is without them.
        CREATE TABLE timeline_events (
            vehicle bigint NOT NULL REFERENCES vehicles (id),
            event_id text NOT NULL,
            last_update_date timestamptz NOT NULL,
            revision bigint NOT NULL,
            epoch bigint NOT NULL,
            seq bigint NOT NULL,
            withdrawn bigint NOT NULL,
            is_provisional bigint NOT NULL,
            type text NOT NULL,
            start_date timestamptz NOT NULL,
            end_date timestamptz,          -- NULL while the event lasts
            duration double precision NOT NULL,
            transport_mode text,
            distance double precision,
            latitude double precision,     -- the centre of a stop
            longitude double precision,
            venue text,                    -- the geofence that contains the stop
            reason text,                   -- why there are no positions
            tag text,
            driver text,                   -- whom a program on the vehicle has set
            idle_seconds double precision,  -- the time in which the engine ran at a halt
            PRIMARY KEY (vehicle, event_id)
        );
        CREATE INDEX timeline_events_by_start ON timeline_events (vehicle, start_date);
        CREATE INDEX timeline_events_by_driver ON timeline_events (substr(driver, 1, 500), vehicle, start_date)
            WHERE driver IS NOT NULL;

        -- The numbers that were stored at any time, as runs without a gap.
        CREATE TABLE runs (
            vehicle bigint NOT NULL REFERENCES vehicles (id),
            epoch bigint NOT NULL,
            first bigint NOT NULL,
            last bigint NOT NULL,
            PRIMARY KEY (vehicle, epoch, first)
        );

        -- The numbers for which no record comes, as stored given-up records name them. A record that is stored although
        -- its number is named here is valid.
        CREATE TABLE given_up (
            vehicle bigint NOT NULL REFERENCES vehicles (id),
            epoch bigint NOT NULL,
            first bigint NOT NULL,
            last bigint NOT NULL,
            reason text NOT NULL,
            PRIMARY KEY (vehicle, epoch, first, last, reason)
        );

        -- The numbers that were stored or given up at any time, as runs without a gap. Receipts follow from it.
        CREATE TABLE covered (
            vehicle bigint NOT NULL REFERENCES vehicles (id),
            epoch bigint NOT NULL,
            first bigint NOT NULL,
            last bigint NOT NULL,
            PRIMARY KEY (vehicle, epoch, first)
        );

        -- The newest complete backup covers the numbers from 1 to this one.
        CREATE TABLE backed_up (
            vehicle bigint NOT NULL REFERENCES vehicles (id),
            epoch bigint NOT NULL,
            last bigint NOT NULL,
            PRIMARY KEY (vehicle, epoch)
        );

        -- The entries of the ledgers: numbers for which no record comes. An entry is removed if a larger one with the
        -- same reason contains it.
        CREATE TABLE ledger (
            vehicle bigint NOT NULL REFERENCES vehicles (id),
            epoch bigint NOT NULL,
            first bigint NOT NULL,
            last bigint NOT NULL,
            count bigint NOT NULL,
            kind text NOT NULL,            -- empty for several kinds
            reason text NOT NULL,
            at timestamptz NOT NULL,
            PRIMARY KEY (vehicle, epoch, first, last, count, kind, reason)
        );

        -- Records with the number of another record and other contents. Table records has the one that came first.
        CREATE TABLE conflicts (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            vehicle bigint NOT NULL REFERENCES vehicles (id),
            epoch bigint NOT NULL,
            seq bigint NOT NULL,
            received timestamptz NOT NULL,
            payload text NOT NULL
        );
        -- Of the sum, because an entry of an index has at most 2.7 kB.
        CREATE UNIQUE INDEX conflicts_once ON conflicts (vehicle, epoch, seq, md5(payload));

        -- Messages that violate the contract: the newest 10,000, each payload up to 4096 bytes.
        CREATE TABLE rejected (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            topic text NOT NULL,
            bytes bigint NOT NULL,         -- the length of the whole payload
            payload bytea NOT NULL,
            reason text NOT NULL,
            received timestamptz NOT NULL
        );
        -- Of the sums, because an entry of an index has at most 2.7 kB.
        CREATE UNIQUE INDEX rejected_once ON rejected (md5(topic), bytes, md5(payload));

        -- The backups by programs of the operator that have begun: what the database covered at that time.
        CREATE TABLE begun_backups (
            mark text PRIMARY KEY,         -- random name
            begin_time timestamptz NOT NULL,
            backups bigint NOT NULL        -- identity.backups at that time
        );
        CREATE TABLE begun_backup_numbers (
            mark text NOT NULL REFERENCES begun_backups (mark),
            vehicle bigint NOT NULL REFERENCES vehicles (id),
            epoch bigint NOT NULL,
            last bigint NOT NULL,          -- the numbers from 1 to this one were covered
            PRIMARY KEY (mark, vehicle, epoch)
        );

        -- What `odograph-recorder erase` has erased: one row for each vehicle. The numbers of the records stay in runs.
        CREATE TABLE erasures (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            time timestamptz NOT NULL,
            fleet text NOT NULL,
            device text NOT NULL,
            by_driver bigint NOT NULL,     -- 1: only the records of a driver, whose name is not kept
            from_time timestamptz,         -- the erased time, NULL for no limit
            to_time timestamptz,
            positions bigint NOT NULL,
            revisions bigint NOT NULL,     -- records of the timeline
            events bigint NOT NULL,
            conflicts bigint NOT NULL,
            rejected bigint NOT NULL
        );

        -- The erased times of vehicles. A position of such a time, or an event that overlaps it, is not stored if it
        -- comes later; its number is.
        CREATE TABLE erased_times (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            vehicle bigint NOT NULL REFERENCES vehicles (id),
            from_time timestamptz NOT NULL,
            to_time timestamptz NOT NULL
        );

        -- The events that were erased with a driver. Their later revisions are not stored; their numbers are.
        CREATE TABLE erased_events (
            vehicle bigint NOT NULL REFERENCES vehicles (id),
            event_id text NOT NULL,
            PRIMARY KEY (vehicle, event_id)
        );

        -- The tables of a server whose files can still have the bytes of erased rows.
        CREATE TABLE tables_to_rewrite (
            name text PRIMARY KEY
        );

        -- Requests about the past that the recorder got over the broker. `history.log_days` limits their age.
        CREATE TABLE requests (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            time timestamptz NOT NULL,     -- when the recorder received it
            fleet text NOT NULL,
            person text NOT NULL,          -- the login of the person at the broker
            request text NOT NULL,         -- the identifier that the person gave it
            kind text,                     -- as in the request; NULL if it was not readable
            device text,                   -- the vehicle, NULL for all vehicles
            from_time timestamptz,         -- the interval; of days in UTC
            to_time timestamptz,
            outcome text NOT NULL,         -- begun, answered, interrupted (not all was delivered), failed or refused
            code text,                     -- why it was refused or failed
            row_count bigint NOT NULL      -- the rows that were sent
        );
        CREATE INDEX requests_by_time ON requests (time);

        -- The episodes of the rules that last, such as a vehicle that is silent.
        CREATE TABLE rule_episodes (
            rule text NOT NULL,
            kind text NOT NULL,            -- the rule's `when`
            vehicle bigint NOT NULL REFERENCES vehicles (id),
            subject text NOT NULL,         -- what it is about, if a vehicle can have several; of a gap the epoch
            begin_time timestamptz NOT NULL,
            mark bigint NOT NULL,          -- of a gap the greatest number that was named; of a service what was due
            PRIMARY KEY (rule, vehicle, subject)
        );

        -- The notifications that are not delivered: at most 1,000 of each rule, and 100 of each vehicle.
        CREATE TABLE notifications (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            rule text NOT NULL,
            vehicle bigint NOT NULL REFERENCES vehicles (id),
            payload text NOT NULL,         -- JSON
            created_time timestamptz NOT NULL,
            attempts bigint NOT NULL,
            attempt_time timestamptz NOT NULL  -- the earliest time of the next attempt
        );
        CREATE INDEX notifications_by_vehicle ON notifications (rule, vehicle, id);

        -- The vehicles whose notifications of a rule were dropped, because there were too many.
        CREATE TABLE notification_floods (
            rule text NOT NULL,
            vehicle bigint NOT NULL REFERENCES vehicles (id),
            dropped bigint NOT NULL,
            last_time timestamptz NOT NULL,  -- when the newest of them was dropped
            PRIMARY KEY (rule, vehicle)
        );

        -- What became of the notifications of each rule.
        CREATE TABLE notification_counts (
            rule text PRIMARY KEY,
            delivered bigint NOT NULL,
            dropped bigint NOT NULL        -- beyond the limit, refused by the target, too old, or of a removed rule
        );

        -- The place of the relay in records, by id: a row for each target. A key is not given again.
        CREATE TABLE relays (
            name text PRIMARY KEY,
            record bigint NOT NULL,        -- the records up to this one are done
            relayed bigint NOT NULL,
            refused bigint NOT NULL,
            removals bigint NOT NULL       -- how often the newest record was removed
        );

        -- The records after the place of a relay. The newest keys are together in the table.
        CREATE INDEX records_by_id ON records USING brin (id) WITH (autosummarize = on);

        -- The secret from which the recorder's client id at the broker follows: one row. Who knows the id can end the
        -- recorder's session.
        CREATE TABLE broker_session (
            id bigint PRIMARY KEY CHECK (id = 1),
            client_secret text NOT NULL
        );
        INSERT INTO broker_session (id, client_secret)
        VALUES (
            1, substr(replace(gen_random_uuid()::text, '-', ''), 1, 16)
                || substr(replace(gen_random_uuid()::text, '-', ''), 1, 16)
        );

        -- What the rules found and which problems the vehicles reported: the newest 200 of each vehicle.
        CREATE TABLE alerts (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            alert text NOT NULL UNIQUE,    -- the identifier, the same for the same thing
            vehicle bigint NOT NULL REFERENCES vehicles (id),
            kind text NOT NULL,            -- the rule's `when`, or problem
            rule text,                     -- NULL for a problem
            subject text NOT NULL,         -- what it is about, of a problem its code
            time timestamptz NOT NULL,     -- when it happened or began
            is_open bigint NOT NULL,       -- 1: it lasts
            end_time timestamptz,          -- when the recorder saw its end; NULL for what happened once
            text text NOT NULL,            -- a sentence for people
            acknowledged_by text,          -- the login of the first person who did; NULL for nobody
            acknowledged_time timestamptz
        );
        CREATE INDEX alerts_by_vehicle ON alerts (vehicle, id);
        CREATE INDEX alerts_by_time ON alerts (vehicle, time);
        """
}
