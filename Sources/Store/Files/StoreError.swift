import Glibc
import OdographSQLite

/// An error of the store. Its description says where, what, and how to correct it.
public enum StoreError: Error, Hashable, Sendable {
    /// Another agent has the database open, which is not damaged. Ask that agent, or stop it.
    case inUse(path: String)
    /// The disk is full, or a quota or file size limit is reached. No stored data was lost; try again later.
    case diskFull(path: String, detail: String)
    /// No database is possible at this path: the folder or the file cannot be created or written.
    case unusable(path: String, reason: String)
    /// This user may not read the file. Try again as root or as the agent's user.
    case noPermission(path: String)
    /// The file's structure is damaged. Opening the store again puts the file aside and salvages it.
    case damaged(path: String, reason: String)
    /// The record or the state exceeds the configured size even after all droppable data was dropped.
    case overQuota(path: String, maximumBytes: Int)
    /// The damaged database was replaced without the tracker's state: commit again with a complete snapshot.
    case stateLost(path: String)
    /// The next records have other identities than these records: make them again.
    case numbersChanged(path: String)
    /// The store is already closed.
    case closed(path: String)
    /// Another version of the agent wrote the file.
    case otherSchema(path: String, version: Int, known: Int)
    /// A copy of the database needs more bytes than a folder has.
    case noRoomForCopy(path: String, folder: String, bytes: Int)
    /// SQLite failed for another reason; `code` is its extended result code.
    case failed(path: String, operation: String, code: Int32, message: String)
}

extension StoreError: CustomStringConvertible {
    /// One line: where, what, and how to correct it.
    public var description: String {
        switch self {
        case .inUse(let path):
            "\(path): another agent has this database open; ask it through its control socket, or stop it"
        case .diskFull(let path, let detail):
            "\(path): no space to write (\(detail)); free some space; stored records are safe, the agent tries again"
        case .unusable(let path, let reason):
            "\(path): cannot use a database at this path: \(reason)"
        case .noPermission(let path):
            "\(path): this user cannot read it; run this as root or as the agent's user"
        case .damaged(let path, let reason):
            "\(path): the database is damaged (\(reason)); start the agent: it renames this file and recovers "
                + "the readable records into a new one"
        case .overQuota(let path, let maximumBytes):
            "\(path): too large for the maximum of \(maximumBytes) bytes; raise store.maximum_size"
        case .stateLost(let path):
            "\(path): the database was replaced without the tracker's state; a complete state must be saved first"
        case .numbersChanged(let path):
            "\(path): the next records have other numbers now; the agent makes the records again"
        case .closed(let path):
            "\(path): the store is closed; restart the agent"
        case .otherSchema(let path, let version, let known):
            "\(path): another version of the agent wrote this database (schema \(version), this version reads \(known)); "
                + "install that version; if this one starts, it renames the file and recovers the readable records"
        case .noRoomForCopy(let path, let folder, let bytes):
            "\(path): it is read from a copy, which needs \(bytes) bytes in \(folder); free some space, or set TMPDIR to a "
                + "folder with more"
        case .failed(let path, let operation, let code, let message):
            "\(path): \(operation) failed: \(message) (SQLite result \(code))"
        }
    }
}

extension StoreError {
    /// Whether the disk failed to read or write. Such an error may be temporary.
    var isDiskError: Bool {
        if case .failed(_, _, let code, _) = self { code & 0xFF == ResultCode.inputOutput } else { false }
    }

    /// Returns the same error with another path: users know the database, not its temporary copy.
    func withPath(_ path: String) -> StoreError {
        switch self {
        case .inUse: .inUse(path: path)
        case .diskFull(_, let detail): .diskFull(path: path, detail: detail)
        case .unusable(_, let reason): .unusable(path: path, reason: reason)
        case .noPermission: .noPermission(path: path)
        case .damaged(_, let reason): .damaged(path: path, reason: reason)
        case .overQuota(_, let maximumBytes): .overQuota(path: path, maximumBytes: maximumBytes)
        case .stateLost: .stateLost(path: path)
        case .numbersChanged: .numbersChanged(path: path)
        case .closed: .closed(path: path)
        case .otherSchema(_, let version, let known): .otherSchema(path: path, version: version, known: known)
        case .noRoomForCopy(_, let folder, let bytes): .noRoomForCopy(path: path, folder: folder, bytes: bytes)
        case .failed(_, let operation, let code, let message):
            .failed(path: path, operation: operation, code: code, message: message)
        }
    }
}

extension StoreError: SQLiteFailureConvertible {
    /// Creates the error for a failure of SQLite.
    package init(_ failure: SQLiteFailure) {
        let path = failure.path
        switch failure.kind {
        case .locked: self = .inUse(path: path)
        case .full:
            let reason = failure.systemError
            let isOfSystem = failure.code & 0xFF == ResultCode.inputOutput
            self = .diskFull(path: path, detail: isOfSystem ? String(cString: strerror(reason)) : failure.message)
        case .damaged:
            let reason = failure.isShortRead ? "shorter than its header says" : failure.message
            self = .damaged(path: path, reason: reason)
        case .inputOutput, .other:
            self = .failed(path: path, operation: failure.operation, code: failure.code, message: failure.message)
        }
    }
}
