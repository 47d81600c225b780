import COdographSQLite
import Glibc

/// An error of SQLite.
package struct SQLiteFailure: Error, Hashable, Sendable {
    /// The path of the database; `memory` for a database in memory.
    package let path: String
    /// The beginning of the statement, or another name of what failed.
    package let operation: String
    /// The extended result code.
    package let code: Int32
    /// SQLite's message.
    package let message: String
    /// The `errno` of the last system call that failed; 0 for none.
    package let systemError: Int32

    /// - Parameters: As the properties of the same names.
    package init(path: String, operation: String, code: Int32, message: String, systemError: Int32 = 0) {
        self.path = path
        self.operation = operation
        self.code = code
        self.message = message
        self.systemError = systemError
    }

    /// Creates the error for the last failure on a connection.
    init(of database: OpaquePointer?, code: Int32, doing operation: String) {
        let path = sqlite3_db_filename(database, nil).map { String(cString: $0) } ?? ""
        self.init(
            path: path.isEmpty ? "memory" : path, operation: String(operation.prefix(60)), code: code,
            message: String(cString: database == nil ? sqlite3_errstr(code) : sqlite3_errmsg(database)),
            systemError: database == nil ? 0 : sqlite3_system_errno(database))
    }

    /// The kinds of errors for which programs act differently.
    package enum Kind: Hashable, Sendable {
        /// Another connection has locked the database.
        case locked
        /// There is no space: the disk, a quota, or a limit of the database.
        case full
        /// The file is damaged, or is no database.
        case damaged
        /// The disk failed to read or write.
        case inputOutput
        /// Any other error.
        case other
    }

    /// The kind of the error.
    package var kind: Kind {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: .locked
        case SQLITE_FULL: .full
        case SQLITE_IOERR where [ENOSPC, EDQUOT, EFBIG].contains(systemError): .full
        case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
        case SQLITE_IOERR: isShortRead ? .damaged : .inputOutput
        default: .other
        }
    }

    /// Whether the file is shorter than its header says.
    package var isShortRead: Bool { code == SQLITE_IOERR | (2 << 8) }
}

/// The result codes of SQLite that programs compare. The lower eight bits of an extended code are one of them.
package enum ResultCode {
    package static let noMemory = SQLITE_NOMEM
    package static let readOnly = SQLITE_READONLY
    package static let interrupted = SQLITE_INTERRUPT
    package static let inputOutput = SQLITE_IOERR
    /// The extended code of a read that failed.
    package static let readFailed = SQLITE_IOERR | 1 << 8
}

/// The error type of a program that uses SQLite, made from SQLite's error where the error occurs. So a caller gets one
/// error type, and no call needs a conversion.
package protocol SQLiteFailureConvertible: Error {
    /// Converts an error.
    init(_ failure: SQLiteFailure)
}
