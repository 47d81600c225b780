extension RecorderSchema {
    /// The tables of rules, notifications and the relay.
    static let notifications = """
        -- The episodes of the rules that last, such as a vehicle that is silent.
        CREATE TABLE rule_episodes (
            rule TEXT NOT NULL,
            kind TEXT NOT NULL,            -- the rule's `when`
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            subject TEXT NOT NULL,         -- of a gap the epoch; otherwise empty
            begin_time TEXT NOT NULL,
            mark INTEGER NOT NULL,         -- of a gap the greatest number that a notification has named; otherwise 0
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

        \(keyReuse)
        """

    /// Keeps the place of a relay valid. ``PostgreSQLSchema`` needs an index instead.
    static let keyReuse = """
        -- SQLite gives the key of the newest record again if that record was removed.
        CREATE TRIGGER records_removed AFTER DELETE ON records
        WHEN old.id > (SELECT coalesce(max(id), 0) FROM records)
        BEGIN
            UPDATE relays
            SET record = min(record, (SELECT coalesce(max(id), 0) FROM records)), removals = removals + 1;
        END;
        """
}
