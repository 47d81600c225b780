extension RecorderSchema {
    /// The secret of the client id, see ``RecorderClientIdentity``.
    static let session = """
        -- The secret from which the recorder's client id at the broker follows: one row. Who knows the id can end the
        -- recorder's session.
        CREATE TABLE broker_session (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            client_secret TEXT NOT NULL
        ) STRICT;
        INSERT INTO broker_session (id, client_secret)
        VALUES (1, lower(hex(randomblob(8))) || lower(hex(randomblob(8))));
        """

    /// Returns the secret of the client id.
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
