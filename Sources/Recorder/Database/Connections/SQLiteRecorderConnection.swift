import Glibc
import OdographSQLite

/// A connection to a recorder's database in a file of SQLite.
final class SQLiteRecorderConnection: RecorderConnection {
    /// The path of a database in memory.
    private static let memory = ":memory:"

    let name: String
    let dialect = SQLDialect.sqlite
    private let connection: Connection<DatabaseFailure>
    /// The file at the opening; nil for a database in memory.
    private let file: FileIdentity?
    /// The write-ahead log; nil before it exists. SQLite keeps it for as long as there is a connection.
    private var log: FileIdentity?

    /// Opens a database, or creates it.
    /// - Parameters:
    ///   - path: The file; `:memory:` for a database in memory.
    ///   - lockSeconds: How long to wait for another program that has locked the database.
    ///   - isReadOnly: Whether to open for reading only.
    init(path: String, lockSeconds: Double, isReadOnly: Bool = false) throws(DatabaseFailure) {
        if !isReadOnly { Self.makePrivateFile(path) }
        connection = try Connection(path: path, isReadOnly: isReadOnly)
        connection.setBusyTimeout(milliseconds: Int(lockSeconds * 1000))
        name = path
        file = path == Self.memory ? nil : FileIdentity(path)
        // It was deleted after it was opened.
        if file == nil, path != Self.memory { throw .fileLost(path: path) }
    }

    /// Creates an empty file that only this user can read: SQLite would create one that all users can read. SQLite
    /// gives its other files the same permissions. An error is the one of the opening.
    private static func makePrivateFile(_ path: String) {
        guard !path.hasPrefix(":"), !path.isEmpty else { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    func checkIdentity() throws(DatabaseFailure) {
        // SQLite would go on with a file that has no name any more, and lose it at the end.
        guard FileIdentity(name) == file else { throw .fileLost(path: name) }
        guard file != nil else { return }
        let log = FileIdentity(name + "-wal")
        guard self.log == nil || self.log == log else { throw .fileLost(path: name) }
        self.log = log
    }

    func begin() throws(DatabaseFailure) {
        try checkIdentity()
        // IMMEDIATE: a transaction that first reads could not wait for another program's lock.
        try connection.execute("BEGIN IMMEDIATE")
    }

    func execute(_ sql: String) throws(DatabaseFailure) { try connection.execute(sql) }

    func prepare(_ sql: String) throws(DatabaseFailure) -> any RecorderStatement {
        SQLiteRecorderStatement(try connection.prepare(sql))
    }

    func prepare(_ statement: RowStatement) throws(DatabaseFailure) -> any RecorderRowStatement {
        SQLiteRecorderStatement(try connection.prepare(statement.sqlOfRow))
    }

    func rollBack() { connection.rollBack() }

    /// Writes a complete copy of the database into an empty file.
    func copy(to path: String) throws(DatabaseFailure) { try connection.copy(to: path) }
}

private final class SQLiteRecorderStatement: RecorderStatement, RecorderRowStatement, RecorderRow {
    private let statement: Statement<DatabaseFailure>

    init(_ statement: consuming Statement<DatabaseFailure>) { self.statement = statement }

    var databaseName: String { statement.databasePath }

    func run(_ values: [SQLValue]) throws(DatabaseFailure) -> Int { try statement.run(values) }

    func run(_ rows: [[SQLValue]]) throws(DatabaseFailure) -> Int {
        var changes = 0
        for row in rows { changes += try statement.run(row) }
        return changes
    }

    func forEach(
        _ values: [SQLValue], do body: (any RecorderRow) throws(DatabaseFailure) -> Bool
    ) throws(DatabaseFailure) {
        try statement.forEach(values) { _ throws(DatabaseFailure) in try body(self) }
    }

    func forEach(
        _ rows: [[SQLValue]], do body: (any RecorderRow) throws(DatabaseFailure) -> Void
    ) throws(DatabaseFailure) {
        for row in rows {
            try statement.forEach(row) { _ throws(DatabaseFailure) in
                try body(self)
                return true
            }
        }
    }

    func integer(_ column: Int32) -> Int64 { statement.integer(column) }
    func real(_ column: Int32) -> Double { statement.real(column) }
    func text(_ column: Int32) -> String? { statement.text(column) }
    func bytes(_ column: Int32) -> [UInt8]? { statement.bytes(column) }
    func time(_ column: Int32) -> String? { text(column) }
    func isNull(_ column: Int32) -> Bool { statement.isNull(column) }
}
