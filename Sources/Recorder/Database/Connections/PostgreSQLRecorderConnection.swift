import Glibc
import OdographPostgreSQL

/// A connection to a recorder's database in PostgreSQL.
final class PostgreSQLRecorderConnection: RecorderConnection {
    /// The advisory lock of the recorder that writes: "ODOR" as a number.
    static let writerLock: Int64 = 0x4F44_4F52

    let name: String
    let dialect = SQLDialect.postgreSQL
    private let connection: PostgreSQLConnection

    /// Connects.
    /// - Parameters:
    ///   - address: The address of the database.
    ///   - isReadOnly: Whether only to read.
    init(_ address: PostgreSQLAddress, isReadOnly: Bool = false) throws(DatabaseFailure) {
        name = address.description
        connection = try Self.converting { () throws(PostgreSQLFailure) in
            try PostgreSQLConnection(name: address.description, settings: address.settings)
        }
        // UTC: dates without a zone do not occur, but a person who reads the results sees one zone.
        // The form of dates is what the recorder reads.
        try execute(
            "SET timezone = 'UTC'; SET datestyle = 'ISO'; SET client_encoding = 'UTF8'; SET search_path = odograph")
        if isReadOnly {
            // Without jit: to compile a query takes longer than each of them.
            try execute("SET default_transaction_read_only = on; SET jit = off")
        } else {
            // A commit is on the disk when it returns, also if the server's setting is another one.
            try execute("SET synchronous_commit = on; SET lock_timeout = '10s'")
        }
    }

    /// Tries to become the recorder that writes. The lock ends with the connection.
    /// - Returns: Whether no other recorder writes into this database.
    /// - Throws: ``DatabaseFailure`` if the server is a copy of another one, or the database is not in UTF-8.
    func lock() throws(DatabaseFailure) -> Bool {
        guard try firstInteger("SELECT pg_is_in_recovery()") == 0 else {
            throw .unavailable(path: name, detail: "the server is a standby, which cannot write")
        }
        guard try firstInteger("SELECT current_setting('server_encoding') = 'UTF8'") == 1 else {
            throw .cannotOpen(path: name, detail: "the encoding of the database is not UTF8; create it with that one")
        }
        return try firstInteger("SELECT pg_try_advisory_lock(\(Self.writerLock))") == 1
    }

    /// The lock belongs to the connection. Without it, each statement fails.
    func checkIdentity() {}

    func begin() throws(DatabaseFailure) { try execute("BEGIN") }

    func execute(_ sql: String) throws(DatabaseFailure) {
        try Self.converting { () throws(PostgreSQLFailure) in try connection.execute(sql) }
    }

    func prepare(_ sql: String) throws(DatabaseFailure) -> any RecorderStatement {
        let sql = Self.numbered(sql)
        return PostgreSQLRecorderStatement(
            try Self.converting { () throws(PostgreSQLFailure) in try connection.prepare(sql) }, databaseName: name)
    }

    func prepare(_ statement: RowStatement) throws(DatabaseFailure) -> any RecorderRowStatement {
        let sql = Self.numbered(statement.sqlOfArrays)
        let prepared = try Self.converting { () throws(PostgreSQLFailure) in try connection.prepare(sql) }
        return PostgreSQLRowStatement(prepared, columns: statement.columns)
    }

    /// Returns a statement with the parameters of PostgreSQL.
    private static func numbered(_ sql: String) -> String { sql.replacing(#/\?([0-9]+)/#) { "$\($0.1)" } }

    func rollBack() { connection.rollBack() }

    fileprivate static func converting<Result>(
        _ body: () throws(PostgreSQLFailure) -> Result
    ) throws(DatabaseFailure) -> Result {
        do throws(PostgreSQLFailure) {
            return try body()
        } catch {
            throw DatabaseFailure(error)
        }
    }
}

private final class PostgreSQLRecorderStatement: RecorderStatement {
    let databaseName: String
    private let statement: PostgreSQLStatement

    init(_ statement: PostgreSQLStatement, databaseName: String) {
        (self.statement, self.databaseName) = (statement, databaseName)
    }

    func run(_ values: [SQLValue]) throws(DatabaseFailure) -> Int { try result(values).changes }

    func forEach(
        _ values: [SQLValue], do body: (any RecorderRow) throws(DatabaseFailure) -> Bool
    ) throws(DatabaseFailure) {
        let result = try result(values)
        for row in 0..<result.rowCount {
            guard try body(PostgreSQLRow(result: result, row: row)) else { return }
        }
    }

    private func result(_ values: [SQLValue]) throws(DatabaseFailure) -> PostgreSQLResult {
        try PostgreSQLRecorderConnection.converting { () throws(PostgreSQLFailure) in
            try statement.run(values.map(\.postgreSQLText))
        }
    }
}

private final class PostgreSQLRowStatement: RecorderRowStatement {
    private let statement: PostgreSQLStatement
    private let columns: [RowStatement.Column]

    init(_ statement: PostgreSQLStatement, columns: [RowStatement.Column]) {
        (self.statement, self.columns) = (statement, columns)
    }

    func run(_ rows: [[SQLValue]]) throws(DatabaseFailure) -> Int {
        guard !rows.isEmpty else { return 0 }
        return try result(rows).changes
    }

    func forEach(
        _ rows: [[SQLValue]], do body: (any RecorderRow) throws(DatabaseFailure) -> Void
    ) throws(DatabaseFailure) {
        guard !rows.isEmpty else { return }
        let result = try result(rows)
        for row in 0..<result.rowCount { try body(PostgreSQLRow(result: result, row: row)) }
    }

    private func result(_ rows: [[SQLValue]]) throws(DatabaseFailure) -> PostgreSQLResult {
        let arrays = columns.enumerated().map { index, column in
            var array = PostgreSQLArray(column.kind.element, count: rows.count)
            for row in rows { array.append(row[index]) }
            return array
        }
        return try PostgreSQLRecorderConnection.converting { () throws(PostgreSQLFailure) in
            try statement.run(arrays: arrays)
        }
    }
}

extension RowStatement.Column.Kind {
    /// The type of the elements of an array.
    fileprivate var element: PostgreSQLArray.Element {
        switch self {
        case .integer: .bigint
        case .real: .doublePrecision
        case .text, .time: .text
        }
    }
}

extension PostgreSQLArray {
    /// Adds a value, which must be of the type of the elements or null.
    fileprivate mutating func append(_ value: SQLValue) {
        switch value {
        case .integer(let number): append(number)
        case .real(let number): append(number)
        case .text(let text): append(text.withoutZeros)
        case .null, .blob: appendNull()
        }
    }
}

extension String {
    /// The text without the character 0, which a vehicle's tag can have: PostgreSQL has no text with it.
    fileprivate var withoutZeros: String {
        // memchr looks at many bytes at a time.
        let hasZero = utf8.withContiguousStorageIfAvailable { bytes in
            bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
        }
        return hasZero ?? utf8.contains(0) ? replacing("\0", with: "\u{FFFD}") : self
    }
}

private struct PostgreSQLRow: RecorderRow {
    let result: PostgreSQLResult
    let row: Int32

    func integer(_ column: Int32) -> Int64 {
        switch result.text(row: row, column: column) {
        case "t": 1
        case let text?: Int64(text) ?? 0
        case nil: 0
        }
    }

    func real(_ column: Int32) -> Double { text(column).flatMap(Double.init) ?? 0 }
    func text(_ column: Int32) -> String? { result.text(row: row, column: column) }
    func bytes(_ column: Int32) -> [UInt8]? { result.bytes(row: row, column: column) }
    func isNull(_ column: Int32) -> Bool { result.isNull(row: row, column: column) }

    func time(_ column: Int32) -> String? { text(column).map(PostgreSQLTime.iso8601) }
}

extension SQLValue {
    /// The value as PostgreSQL reads it; nil for NULL.
    fileprivate var postgreSQLText: String? {
        switch self {
        case .integer(let number): String(number)
        case .real(let number): "\(number)"
        case .text(let text): text.withoutZeros
        case .blob(let bytes): "\\x" + bytes.map { hexadecimal($0) }.joined()
        case .null: nil
        }
    }

    private func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}

extension DatabaseFailure {
    /// Creates the error for a failure of PostgreSQL.
    init(_ failure: PostgreSQLFailure) {
        let (path, detail) = (failure.database, failure.message)
        switch failure.kind {
        case .unavailable: self = .unavailable(path: path, detail: detail)
        case .full: self = .full(path: path, detail: detail)
        case .damaged: self = .damaged(path: path, detail: detail)
        case .locked: self = .locked(path: path)
        case .refusedValue: self = .refusedValue(path: path, detail: detail)
        case .refused: self = .cannotOpen(path: path, detail: detail)
        case .other: self = .failed(path: path, operation: failure.operation, detail: detail)
        }
    }
}
