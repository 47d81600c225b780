import OdographSQLite
import OdographSettings

/// An error of the recorder's database. Its description says where, what, and how to correct it.
package enum DatabaseFailure: Error, Hashable, Sendable {
    /// Another program has locked the database for too long.
    case locked(path: String)
    /// There is no space.
    case full(path: String, detail: String)
    /// The file is damaged.
    case damaged(path: String, detail: String)
    /// There is no such file, or this user cannot open it.
    case cannotOpen(path: String, detail: String)
    /// The file is the database of another program.
    case foreign(path: String)
    /// The database server does not respond, or has ended the connection.
    case unavailable(path: String, detail: String)
    /// Another recorder writes into the database.
    case inUse(path: String)
    /// The file was deleted or replaced while the recorder had it open.
    case fileLost(path: String)
    /// Another database has receipts under the same name at the same time.
    case receiptsShared(path: String, topic: String, databaseID: String)
    /// The output of a backup cannot be written, or is the database itself.
    case backupFailed(path: String, detail: String)
    /// The database cannot store a value of a message.
    case refusedValue(path: String, detail: String)
    /// Another version of the recorder wrote the database.
    case otherVersion(path: String, version: Int, known: Int)
    /// The database failed for another reason.
    case failed(path: String, operation: String, detail: String)
}

extension DatabaseFailure {
    /// Whether the error can end without a person: a recorder at its start then waits.
    var mayEnd: Bool {
        switch self {
        // The next attempt makes a new file.
        case .unavailable, .inUse, .fileLost: true
        case .locked, .full, .damaged, .cannotOpen, .foreign, .receiptsShared, .backupFailed, .refusedValue,
            .otherVersion,
            .failed:
            false
        }
    }
}

extension DatabaseFailure: CustomStringConvertible {
    /// The end of the sentence of a recorder that waits for the one that has the database.
    static let heldByOther = "another recorder writes into this database"

    /// One line: where, what, and how to correct it.
    package var description: String {
        switch self {
        case .locked(let path): "\(path): another program has locked the database; end its transaction"
        case .full(let path, let detail): "\(path): no space to write (\(detail)); free some space"
        case .damaged(let path, let detail):
            "\(path): the database is damaged (\(detail)); stop the recorder and restore a backup, or rename the file"
        case .cannotOpen(let path, let detail): "\(path): cannot open the database (\(detail)); check path and user"
        case .foreign(let path): "\(path): this is the database of another program; set another database.path"
        case .fileLost(let path): "\(path): the database was deleted or replaced; restore it, or a new one is begun"
        case .unavailable(let path, let detail): "\(path): no connection to the database (\(detail))"
        case .inUse(let path): "\(path): \(Self.heldByOther)"
        case .receiptsShared(let path, let topic, let databaseID):
            "\(path): the database \(databaseID) of another recorder publishes receipts on \(topic); stop that "
                + "recorder, or set another \"name\" in one of the two configurations"
        case .backupFailed(let path, let detail): "\(path): cannot write the backup: \(detail)"
        case .refusedValue(let path, let detail): "\(path): the database cannot store a value (\(detail))"
        case .otherVersion(let path, let version, let known):
            "\(path): another version of the recorder wrote this database (schema \(version), this version reads \(known)); "
                + "install that version, or set another database.path"
        case .failed(let path, let operation, let detail): "\(path): \(operation) failed: \(detail)"
        }
    }
}

extension DatabaseFailure: SQLiteFailureConvertible {
    /// Creates the error for a failure of SQLite.
    package init(_ failure: SQLiteFailure) {
        let path = failure.path
        var detail = "\(failure.message), SQLite result \(failure.code)"
        switch failure.kind {
        case .locked: self = .locked(path: path)
        case .full: self = .full(path: path, detail: detail)
        case .damaged: self = .damaged(path: path, detail: detail)
        case .inputOutput, .other:
            guard failure.operation == "opening" else {
                self = .failed(path: path, operation: failure.operation, detail: detail)
                return
            }
            if let owner = FileReader.ownerText(of: path) { detail += ", \(owner)" }
            self = .cannotOpen(path: path, detail: detail)
        }
    }
}
