/// Makes and opens a recorder's database in PostgreSQL: the schema `odograph` of a database.
package enum PostgreSQLSchema {
    /// The statements that create the tables and views in a database without the schema.
    package static var sql: String {
        let tables = PostgreSQLTables.sql + "\n\n" + RecorderViews.sql(.postgreSQL) + "\n\n"
        return tables + columnsWithoutStatistics.keys.sorted().map { withoutStatistics($0) }.joined(separator: "\n")
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
}
