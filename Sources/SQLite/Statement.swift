import COdographSQLite

/// A prepared statement: compiled once, run many times, finalized with its owner.
package struct Statement<Failure: SQLiteFailureConvertible>: ~Copyable {
    private let handle: OpaquePointer

    /// - Parameter handle: The statement, which this value now owns.
    init(owning handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    /// Runs a statement without a result, or one whose result is not needed.
    ///
    /// - Returns: The number of changed rows.
    @discardableResult
    package borrowing func run(_ values: SQLiteValue...) throws(Failure) -> Int { try run(values) }

    /// Runs a statement with an array of values and returns the number of changed rows.
    @discardableResult
    package borrowing func run(_ values: [SQLiteValue]) throws(Failure) -> Int {
        defer { sqlite3_reset(handle) }
        bind(values)
        while try step() {}
        return Int(sqlite3_changes64(sqlite3_db_handle(handle)))
    }

    /// Runs a statement and passes each row of the result to `body`, until it returns false.
    package borrowing func forEach(
        _ values: SQLiteValue..., do body: (borrowing Statement<Failure>) throws(Failure) -> Bool
    ) throws(Failure) {
        try forEach(values, do: body)
    }

    /// Runs a statement with an array of values and passes each row of the result to `body`, until it returns false.
    package borrowing func forEach(
        _ values: [SQLiteValue], do body: (borrowing Statement<Failure>) throws(Failure) -> Bool
    ) throws(Failure) {
        defer { sqlite3_reset(handle) }
        bind(values)
        while try step(), try body(self) {}
    }

    /// Runs a statement and returns what `read` makes of each row of the result, without the rows of which it makes
    /// nil.
    package borrowing func rows<Value>(
        _ values: SQLiteValue..., read: (borrowing Statement<Failure>) throws(Failure) -> Value?
    ) throws(Failure) -> [Value] {
        defer { sqlite3_reset(handle) }
        bind(values)
        var found: [Value] = []
        while try step() {
            if let value = try read(self) { found.append(value) }
        }
        return found
    }

    /// Runs a statement and returns what `read` makes of the first row of the result. Nil if there is no row.
    package borrowing func first<Value>(
        _ values: SQLiteValue..., read: (borrowing Statement<Failure>) throws(Failure) -> Value?
    ) throws(Failure) -> Value? {
        defer { sqlite3_reset(handle) }
        bind(values)
        guard try step() else { return nil }
        return try read(self)
    }

    /// Returns the first column of the first row of the result. Nil if there is no row, or for NULL.
    package borrowing func firstInteger(_ values: SQLiteValue...) throws(Failure) -> Int64? {
        defer { sqlite3_reset(handle) }
        bind(values)
        guard try step(), !isNull(0) else { return nil }
        return integer(0)
    }

    /// The kinds of values that a column of a row can have.
    package enum ColumnKind: Hashable, Sendable {
        case integer, real, text, blob, null
    }

    /// The number of columns of the result.
    package var columnCount: Int32 { sqlite3_column_count(handle) }

    /// Returns the kind of a column of the current row.
    package borrowing func kind(of column: Int32) -> ColumnKind {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_NULL: .null
        default: .blob
        }
    }

    /// Returns a column of the current row as an integer.
    package borrowing func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// Returns a column of the current row as a floating-point number.
    package borrowing func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// Returns a column of the current row as bytes. Nil for NULL.
    package borrowing func bytes(_ column: Int32) -> [UInt8]? { withBytes(column) { [UInt8]($0) } }

    /// Passes the bytes of a column of the current row to `body` without a copy. Nil for NULL.
    package borrowing func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        guard !isNull(column) else { return nil }
        let start = sqlite3_column_blob(handle, column)
        return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : byteCount(column)))
    }

    /// Returns whether a column of the current row is NULL.
    package borrowing func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Returns the number of bytes in a column of the current row.
    package borrowing func byteCount(_ column: Int32) -> Int { Int(sqlite3_column_bytes(handle, column)) }

    /// Returns a column of the current row as text. Nil for NULL.
    package borrowing func text(_ column: Int32) -> String? {
        bytes(column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The path of the statement's database; `memory` for a database in memory.
    package var databasePath: String {
        let path = sqlite3_db_filename(sqlite3_db_handle(handle), nil).map { String(cString: $0) } ?? ""
        return path.isEmpty ? "memory" : path
    }

    private borrowing func bind(_ values: [SQLiteValue]) {
        // Binding fails only for an invalid index or lack of memory. Then the next step reports a violated constraint.
        for (index, value) in zip(Int32(1)..., values) {
            switch value {
            case .integer(let number): sqlite3_bind_int64(handle, index, number)
            case .real(let number): sqlite3_bind_double(handle, index, number)
            case .blob(let bytes): odograph_sqlite_bind_bytes(handle, index, bytes, Int32(bytes.count))
            case .text(let text): odograph_sqlite_bind_text(handle, index, text, Int32(text.utf8.count))
            case .null: sqlite3_bind_null(handle, index)
            }
        }
    }

    private borrowing func step() throws(Failure) -> Bool {
        let code = sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let database = sqlite3_db_handle(handle)
            let sql = sqlite3_sql(handle).map { String(cString: $0) } ?? ""
            throw Failure(SQLiteFailure(of: database, code: sqlite3_extended_errcode(database), doing: sql))
        }
    }
}
