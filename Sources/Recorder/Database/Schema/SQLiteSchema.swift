/// Makes and opens a recorder's database in SQLite.
package enum SQLiteSchema {
    /// The statements that create the tables and views in an empty database.
    package static var sql: String { SQLiteTables.sql + "\n\n" + RecorderViews.sql(.sqlite) }

    /// Creates the tables in an empty database.
    static func apply(to connection: SQLiteRecorderConnection) throws(DatabaseFailure) {
        try connection.transaction { () throws(DatabaseFailure) in
            if try !hasTables(connection) { try connection.execute(sql) }
        }
    }

    /// Returns whether a database has the tables; an empty one has none.
    /// - Throws: `foreign` or `otherVersion`.
    static func hasTables(_ connection: SQLiteRecorderConnection) throws(DatabaseFailure) -> Bool {
        let identifier = try connection.firstInteger("PRAGMA application_id") ?? 0
        let found = Int(try connection.firstInteger("PRAGMA user_version") ?? 0)
        if found == 0, try connection.firstInteger("SELECT count(*) FROM sqlite_schema") == 0 { return false }
        guard identifier == SQLiteTables.applicationID else { throw .foreign(path: connection.name) }
        guard found == RecorderSchema.version else {
            throw .otherVersion(path: connection.name, version: found, known: RecorderSchema.version)
        }
        return true
    }

    /// Opens a database for reading. Another program can write it meanwhile.
    /// - Throws: ``DatabaseFailure`` if there is no recorder's database at the path.
    static func openForReading(
        _ path: String, lockSeconds: Double = 5
    ) throws(DatabaseFailure) -> SQLiteRecorderConnection {
        let connection = try SQLiteRecorderConnection(path: path, lockSeconds: lockSeconds, isReadOnly: true)
        guard try hasTables(connection) else { throw .foreign(path: path) }
        return connection
    }

    /// Opens a database for writing beside a recorder.
    /// - Throws: ``DatabaseFailure`` if there is no recorder's database at the path.
    static func openForWriting(
        _ path: String, lockSeconds: Double
    ) throws(DatabaseFailure) -> SQLiteRecorderConnection {
        // A connection that can write would create a missing file.
        _ = try openForReading(path, lockSeconds: lockSeconds)
        return try SQLiteRecorderConnection(path: path, lockSeconds: lockSeconds)
    }
}
