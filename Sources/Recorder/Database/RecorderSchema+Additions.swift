extension RecorderSchema {
    /// The tables of backups by other programs and of what is erased, and the time of the newest records. Databases of
    /// version 3 have them or not, so each statement works with both.
    static let additions = """
        -- The newest record of each kind of a vehicle.
        ALTER TABLE latest RENAME TO former_latest;
        CREATE TABLE latest (
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            kind TEXT NOT NULL,
            epoch INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            time TEXT NOT NULL,            -- of this record
            PRIMARY KEY (vehicle, kind)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO latest (vehicle, kind, epoch, seq, time)
        SELECT records.vehicle, records.kind, records.epoch, records.seq, records.time
        FROM former_latest JOIN records ON records.vehicle = former_latest.vehicle
            AND records.epoch = former_latest.epoch AND records.seq = former_latest.seq
            AND records.kind = former_latest.kind;
        DROP TABLE former_latest;

        -- The backups by programs of the operator that have begun: what the database covered at that time.
        CREATE TABLE IF NOT EXISTS begun_backups (
            mark TEXT PRIMARY KEY,         -- random name
            begin_time TEXT NOT NULL,
            backups INTEGER NOT NULL       -- store.backups at that time
        ) STRICT;
        CREATE TABLE IF NOT EXISTS begun_backup_numbers (
            mark TEXT NOT NULL REFERENCES begun_backups (mark),
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            epoch INTEGER NOT NULL,
            last INTEGER NOT NULL,         -- the numbers from 1 to this one were covered
            PRIMARY KEY (mark, vehicle, epoch)
        ) STRICT, WITHOUT ROWID;

        -- The erased times of vehicles. A position of such a time, or an event that overlaps it, is not stored if it
        -- comes later; its number is.
        CREATE TABLE IF NOT EXISTS erased_times (
            id INTEGER PRIMARY KEY,
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            from_time TEXT NOT NULL,
            to_time TEXT NOT NULL
        ) STRICT;

        -- The events that were erased with a driver. Their later revisions are not stored; their numbers are.
        CREATE TABLE IF NOT EXISTS erased_events (
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            event_id TEXT NOT NULL,
            PRIMARY KEY (vehicle, event_id)
        ) STRICT, WITHOUT ROWID;

        -- The tables of a server whose files can still have the bytes of erased rows.
        CREATE TABLE tables_to_rewrite (
            name TEXT PRIMARY KEY
        ) STRICT, WITHOUT ROWID;
        """
}
