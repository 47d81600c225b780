/// The tables of the recorder's database in PostgreSQL, in the schema `odograph`. They are those of ``RecorderSchema``,
/// with the types of PostgreSQL and with partitions.
package enum PostgreSQLSchema {
    /// The statements that create the tables in a database without the schema.
    package static var sql: String {
        """
        CREATE SCHEMA odograph;
        SET search_path = odograph;
        CREATE TABLE schema_version (version bigint NOT NULL);
        INSERT INTO schema_version (version) VALUES (\(RecorderSchema.version));

        \(tables)
        \(columnsWithoutStatistics.keys.sorted().map { withoutStatistics($0) }.joined(separator: "\n"))
        """
    }

    /// Creates the tables in a database that has none of a recorder.
    static func apply(to connection: PostgreSQLRecorderConnection) throws(DatabaseFailure) {
        try connection.transaction { () throws(DatabaseFailure) in
            if try !hasTables(connection) { try connection.execute(sql) }
        }
    }

    /// Returns whether a database has the tables of a recorder.
    /// - Throws: `foreign` or `otherVersion`.
    static func hasTables(_ connection: PostgreSQLRecorderConnection) throws(DatabaseFailure) -> Bool {
        let schemas = try connection.firstInteger("SELECT count(*) FROM pg_namespace WHERE nspname = 'odograph'")
        guard schemas != 0 else { return false }
        let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'odograph' AND tablename = 'schema_version'"
        guard try connection.firstInteger(tables) != 0 else { throw .foreign(path: connection.name) }
        let found = Int(try connection.firstInteger("SELECT version FROM schema_version") ?? 0)
        guard found == RecorderSchema.version else {
            throw .otherVersion(path: connection.name, version: found, known: RecorderSchema.version)
        }
        return true
    }

    /// Opens a database for reading.
    /// - Throws: ``DatabaseFailure`` if it has no tables of a recorder.
    static func openForReading(
        _ address: PostgreSQLAddress
    ) throws(DatabaseFailure) -> PostgreSQLRecorderConnection {
        let connection = try PostgreSQLRecorderConnection(address, isReadOnly: true)
        guard try hasTables(connection) else { throw .foreign(path: connection.name) }
        return connection
    }

    /// Opens a database for writing beside a recorder.
    /// - Throws: ``DatabaseFailure`` if it has no tables of a recorder.
    static func openForWriting(
        _ address: PostgreSQLAddress, lockSeconds: Double
    ) throws(DatabaseFailure) -> PostgreSQLRecorderConnection {
        let connection = try PostgreSQLRecorderConnection(address)
        guard try hasTables(connection) else { throw .foreign(path: connection.name) }
        try connection.execute("SET lock_timeout = \(max(1, Int(lockSeconds * 1000)))")
        return connection
    }

    /// The columns with places and names, whose values must not get into the statistics of the planner: the server
    /// keeps these when the rows are deleted.
    private static let columnsWithoutStatistics = [
        "records": [
            "latitude", "longitude", "accuracy", "altitude", "speed", "heading", "odometer", "event", "subject",
            "driver",
            "payload",
        ],
        "timeline_events": ["latitude", "longitude", "venue", "distance", "duration", "tag", "driver", "idle_seconds"],
        "vehicles": ["reported", "status", "problems"],
        "conflicts": ["payload"], "rejected": ["payload"], "notifications": ["payload"],
        "alerts": ["text"],
    ]

    /// Returns the statements after which the server keeps no statistics of places and names of a table.
    /// - Parameters:
    ///   - table: The table.
    ///   - model: The table with the same columns; nil for the table itself.
    static func withoutStatistics(_ table: String, like model: String? = nil) -> String {
        (columnsWithoutStatistics[model ?? table] ?? []).map {
            "ALTER TABLE \(table) ALTER COLUMN \($0) SET STATISTICS 0;"
        }.joined(separator: " ")
    }

    /// The tables and views in the SQL of PostgreSQL.
    private static var tables: String {
        var sql = RecorderSchema.tables
        for (sqlite, postgreSQL) in replacements { sql = sql.replacing(sqlite, with: postgreSQL) }
        // Times are times, so that Grafana and people can calculate with them.
        sql = sql.replacing(#/(\n *(?:[a-z_]+_(?:seen|time|date)|time|received|at|last_backup)) TEXT/#) {
            "\($0.1) timestamptz"
        }
        return sql.replacing("TEXT", with: "text")
    }

    /// The texts of SQLite's statements and those of PostgreSQL, in this order.
    private static let replacements = [
        // A key is not given again. The places of a relay are near the newest keys, which are together in the table.
        (
            RecorderSchema.keyReuse,
            "CREATE INDEX records_by_id ON records USING brin (id) WITH (autosummarize = on);"
        ),
        (
            "-- Times are text in UTC, such as 2026-11-21T09:15:02.000Z.",
            "-- Truth values are 1 or 0."
        ),
        // A unique key of a table with partitions must contain the time. The recorder looks for a number in `runs`
        // before it inserts, so a number is stored once all the same.
        (
            "CREATE TABLE records (\n    id INTEGER PRIMARY KEY,",
            """
            CREATE SEQUENCE record_ids;
            CREATE TABLE records (
                id bigint NOT NULL DEFAULT nextval('record_ids'),
            """
        ),
        (
            "    UNIQUE (vehicle, epoch, seq)\n) STRICT;",
            """
                PRIMARY KEY (vehicle, epoch, seq, time)
            ) PARTITION BY RANGE (time);
            -- The recorder makes a partition for each month. This one is for implausible dates.
            CREATE TABLE records_other PARTITION OF records DEFAULT;
            """
        ),
        // An entry of an index has at most 2.7 kB.
        (
            "    received TEXT NOT NULL,\n    UNIQUE (topic, bytes, payload)\n) STRICT;",
            """
                received timestamptz NOT NULL
            );
            CREATE UNIQUE INDEX rejected_once ON rejected (md5(topic), bytes, md5(payload));
            """
        ),
        (
            "    payload TEXT NOT NULL,\n    UNIQUE (vehicle, epoch, seq, payload)\n) STRICT;",
            """
                payload text NOT NULL
            );
            CREATE UNIQUE INDEX conflicts_once ON conflicts (vehicle, epoch, seq, md5(payload));
            """
        ),
        (
            "ON timeline_events (driver, vehicle, start_date)",
            "ON timeline_events (substr(driver, 1, 500), vehicle, start_date)"
        ),
        ("ON records (driver, vehicle, time)", "ON records (substr(driver, 1, 500), vehicle, time)"),
        ("INTEGER PRIMARY KEY CHECK", "bigint PRIMARY KEY CHECK"),
        ("INTEGER PRIMARY KEY AUTOINCREMENT", "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
        ("INTEGER PRIMARY KEY", "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
        ("lower(hex(randomblob(8)))", "substr(replace(gen_random_uuid()::text, '-', ''), 1, 16)"),
        (") STRICT, WITHOUT ROWID;", ");"),
        (") STRICT;", ");"),
        ("INTEGER", "bigint"),
        ("REAL", "double precision"),
        ("BLOB", "bytea"),
        (
            "group_concat(DISTINCT CASE WHEN is_known THEN reason END)",
            "string_agg(DISTINCT CASE WHEN is_known THEN reason END, ',')"
        ),
    ]
}
