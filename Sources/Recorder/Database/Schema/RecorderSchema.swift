/// What the databases of recorders have in common, in SQLite and in PostgreSQL.
package enum RecorderSchema {
    /// The version of the tables, in `user_version` of SQLite or the table `schema_version` of PostgreSQL. The recorder
    /// reads no other one. A change of a table or of what a column contains needs a new version.
    package static let version = 9

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

    /// Returns the secret of the client id, see ``RecorderClientIdentity``.
    static func clientSecret(of connection: any RecorderConnection) throws(DatabaseFailure) -> String {
        var secret: String?
        try connection.prepare("SELECT client_secret FROM broker_session").forEach { row throws(DatabaseFailure) in
            secret = row.text(0)
            return false
        }
        guard let secret else { throw .damaged(path: connection.name, detail: "the table broker_session is empty") }
        return secret
    }
}
