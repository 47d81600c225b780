/// The tables of the recorder's database in SQLite. ``PostgreSQLSchema`` follows from them.
package enum RecorderSchema {
    /// The version of the tables, in `user_version`. The recorder reads no other one. A change of a table or of what a
    /// column contains needs a new version.
    package static let version = 9

    /// Marks the file as the database of a recorder: "ODOR".
    static let applicationID = 0x4F44_4F52

    /// The statements that create the tables in an empty database.
    package static var sql: String {
        """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);

        \(tables)
        """
    }

    /// The tables and views.
    static let tables = [archive, views, backups, erasures, requests, notifications, session, alerts]
        .joined(separator: "\n\n")

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
        guard identifier == applicationID else { throw .foreign(path: connection.name) }
        guard found == version else { throw .otherVersion(path: connection.name, version: found, known: version) }
        return true
    }

    /// Returns the random name of a database.
    static func storeID(of connection: any RecorderConnection) throws(DatabaseFailure) -> String {
        var storeID: String?
        try connection.prepare("SELECT store_id FROM store").forEach { row throws(DatabaseFailure) in
            storeID = row.text(0)
            return false
        }
        guard let storeID else { throw .damaged(path: connection.name, detail: "the table store is empty") }
        return storeID
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
