extension RecorderSchema {
    /// The tables of what is erased.
    static let erasures = """
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
        """

    /// The tables of backups by other programs.
    static let backups = """
        -- The backups by programs of the operator that have begun: what the database covered at that time.
        CREATE TABLE begun_backups (
            mark TEXT PRIMARY KEY,         -- random name
            begin_time TEXT NOT NULL,
            backups INTEGER NOT NULL       -- store.backups at that time
        ) STRICT;
        CREATE TABLE begun_backup_numbers (
            mark TEXT NOT NULL REFERENCES begun_backups (mark),
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            epoch INTEGER NOT NULL,
            last INTEGER NOT NULL,         -- the numbers from 1 to this one were covered
            PRIMARY KEY (mark, vehicle, epoch)
        ) STRICT, WITHOUT ROWID;
        """
}
