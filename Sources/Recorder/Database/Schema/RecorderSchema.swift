/// The common parts of the databases of recorders, in SQLite and in PostgreSQL.
package enum RecorderSchema {
    /// The version of the tables, in `user_version` of SQLite or the table `schema_version` of PostgreSQL. The recorder
    /// reads no other one. A change of a table or of what a column contains needs a new version.
    package static let version = 12

    /// Returns the random name of a database.
    static func databaseID(of connection: any RecorderConnection) throws(DatabaseFailure) -> String {
        try text("database_id", of: "identity", in: connection)
    }

    /// Returns the secret of the client id, see ``RecorderClientIdentity``.
    static func clientSecret(of connection: any RecorderConnection) throws(DatabaseFailure) -> String {
        try text("client_secret", of: "broker_session", in: connection)
    }

    /// Returns a column of a table that always has one row.
    private static func text(
        _ column: String, of table: String, in connection: any RecorderConnection
    ) throws(DatabaseFailure) -> String {
        let text = try connection.prepare("SELECT \(column) FROM \(table)").first { $0.text(0) }
        guard let text else { throw .damaged(path: connection.name, detail: "the table \(table) is empty") }
        return text
    }
}
