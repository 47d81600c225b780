extension RecorderSchema {
    /// The table of the requests about the past.
    static let requests = """
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
        """
}
