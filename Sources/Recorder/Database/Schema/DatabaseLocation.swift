/// The place of a recorder's database.
package enum DatabaseLocation: Hashable, Sendable, CustomStringConvertible {
    /// A file of SQLite.
    case file(path: String)
    /// A database of a PostgreSQL server.
    case server(PostgreSQLAddress)

    /// Creates the place from an argument; nil for an address that is not valid or has a password.
    /// - Parameter text: A path, or an address that begins with `postgresql://`.
    package init?(_ text: String) {
        guard PostgreSQLAddress.isAddress(text) else {
            self = .file(path: text)
            return
        }
        guard let address = PostgreSQLAddress(text) else { return nil }
        self = .server(address)
    }

    /// The path or the address.
    package var description: String {
        switch self {
        case .file(let path): path
        case .server(let address): address.description
        }
    }

    /// Opens the database of a recorder for reading, in one transaction: all that is read is of one moment.
    func openForReading() throws(DatabaseFailure) -> any RecorderConnection {
        switch self {
        case .file(let path):
            let connection = try SQLiteSchema.openForReading(path)
            try connection.execute("BEGIN")
            return connection
        case .server(let address):
            let connection = try PostgreSQLSchema.openForReading(address)
            try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            return connection
        }
    }

    /// Opens the database for writing beside a recorder.
    /// - Parameter lockSeconds: How long to wait for another program that has locked it.
    /// - Throws: ``DatabaseFailure`` if there is no recorder's database at the place.
    func openForWriting(lockSeconds: Double) throws(DatabaseFailure) -> any RecorderConnection {
        switch self {
        case .file(let path): try SQLiteSchema.openForWriting(path, lockSeconds: lockSeconds)
        case .server(let address): try PostgreSQLSchema.openForWriting(address, lockSeconds: lockSeconds)
        }
    }
}
