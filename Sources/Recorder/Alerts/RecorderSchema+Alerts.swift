extension RecorderSchema {
    /// The table of the alerts.
    static let alerts = """
        -- What the rules found and which problems the vehicles reported: the newest 200 of each vehicle.
        CREATE TABLE alerts (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            alert TEXT NOT NULL UNIQUE,    -- the identifier, the same for the same thing
            vehicle INTEGER NOT NULL REFERENCES vehicles (id),
            kind TEXT NOT NULL,            -- the rule's `when`, or problem
            rule TEXT,                     -- NULL for a problem
            subject TEXT NOT NULL,         -- of a gap the epoch, of a problem its code; otherwise empty
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
