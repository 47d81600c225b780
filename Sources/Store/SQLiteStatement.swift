import OdographCivilTime
import COdographSQLite

/// A value for a parameter.
enum SQLiteValue {
    case integer(Int64)
    case blob([UInt8])
    case text(String)
    case null
}

/// A prepared statement: compiled once, run many times, finalized with its owner.
struct SQLiteStatement: ~Copyable {
    private let handle: OpaquePointer

    /// - Parameter handle: The statement, which this value now owns.
    init(owning handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    /// Runs a statement without a result, or one whose result is not needed.
    ///
    /// - Returns: The number of changed rows.
    @discardableResult
    borrowing func run(_ values: SQLiteValue...) throws(StoreError) -> Int { try run(values) }

    /// Runs a statement that writes a row, with the row's checksum as an additional parameter.
    ///
    /// - Parameter values: All values that the checksum protects, in the order of reading.
    /// - Returns: The number of changed rows.
    @discardableResult
    borrowing func runWithChecksum(_ values: SQLiteValue...) throws(StoreError) -> Int {
        try run(values + [.blob(Checksum(of: values).storedBytes)])
    }

    /// Runs a statement with an array of values and returns the number of changed rows.
    @discardableResult
    borrowing func run(_ values: [SQLiteValue]) throws(StoreError) -> Int {
        defer { sqlite3_reset(handle) }
        bind(values)
        while try step() {}
        return Int(sqlite3_changes64(sqlite3_db_handle(handle)))
    }

    /// Runs a statement and passes each row of the result to `body`, until it returns false.
    borrowing func forEach(
        _ values: SQLiteValue..., do body: (borrowing SQLiteStatement) throws(StoreError) -> Bool
    ) throws(StoreError) {
        defer { sqlite3_reset(handle) }
        bind(values)
        while try step(), try body(self) {}
    }

    /// Returns the first column of the first row of the result. Nil if there is no row, or for NULL.
    borrowing func firstInteger(_ values: SQLiteValue...) throws(StoreError) -> Int64? {
        defer { sqlite3_reset(handle) }
        bind(values)
        guard try step(), !isNull(0) else { return nil }
        return integer(0)
    }

    /// Returns whether the current row's last column is the checksum of the columns before it. An empty checksum is
    /// from an earlier version, and counts as intact.
    ///
    /// - Parameter first: The first column that the checksum protects.
    borrowing func isIntact(from first: Int32 = 0) -> Bool {
        let last = sqlite3_column_count(handle) - 1
        return withBytes(last) { stored in
            if stored.isEmpty { return true }
            var checksum = Checksum()
            for column in first..<last { add(column, to: &checksum) }
            return stored.elementsEqual(checksum.storedBytes)
        } ?? false
    }

    private borrowing func add(_ column: Int32, to checksum: inout Checksum) {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: checksum.add(integer(column))
        case SQLITE_TEXT: _ = withBytes(column) { checksum.add(text: $0) }
        case SQLITE_NULL: checksum.addNull()
        default: _ = withBytes(column) { checksum.add(blob: $0) }
        }
    }

    /// Returns a column of the current row as an integer.
    borrowing func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// Returns a column of the current row as bytes. Nil for NULL.
    borrowing func bytes(_ column: Int32) -> [UInt8]? { withBytes(column) { [UInt8]($0) } }

    /// Passes the bytes of a column of the current row to `body` without a copy. Nil for NULL.
    borrowing func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        guard !isNull(column) else { return nil }
        let start = sqlite3_column_blob(handle, column)
        return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : byteCount(column)))
    }

    /// Returns whether a column of the current row is NULL.
    borrowing func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Returns the number of bytes in a column of the current row.
    borrowing func byteCount(_ column: Int32) -> Int { Int(sqlite3_column_bytes(handle, column)) }

    /// Returns a column of the current row as text. Nil for NULL.
    borrowing func text(_ column: Int32) -> String? {
        bytes(column).map { String(decoding: $0, as: UTF8.self) }
    }

    private borrowing func bind(_ values: [SQLiteValue]) {
        // Binding fails only for an invalid index or lack of memory. Then the next step reports a violated constraint.
        for (index, value) in zip(Int32(1)..., values) {
            switch value {
            case .integer(let number): sqlite3_bind_int64(handle, index, number)
            case .blob(let bytes): odograph_sqlite_bind_bytes(handle, index, bytes, Int32(bytes.count))
            case .text(let text): odograph_sqlite_bind_text(handle, index, text, Int32(text.utf8.count))
            case .null: sqlite3_bind_null(handle, index)
            }
        }
    }

    private borrowing func step() throws(StoreError) -> Bool {
        let code = sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let database = sqlite3_db_handle(handle)
            let sql = sqlite3_sql(handle).map { String(cString: $0) } ?? ""
            throw StoreError(of: database, code: sqlite3_extended_errcode(database), doing: String(sql.prefix(60)))
        }
    }
}

extension SQLiteStatement {
    /// Returns the error for a row with content that the agent never wrote.
    borrowing func damageError(_ what: String) -> StoreError {
        let path = sqlite3_db_filename(sqlite3_db_handle(handle), nil).map { String(cString: $0) } ?? ""
        return .damaged(path: path.isEmpty ? "memory" : path, reason: "\(what) cannot be read")
    }

    /// Returns the current row as a record.
    ///
    /// - Throws: `damaged` for a row with content that the agent never wrote. A skipped row would stay forever.
    borrowing func record() throws(StoreError) -> StoredRecord {
        guard let record = StoredRecord(row: self) else { throw damageError("record \(integer(1))") }
        return record
    }

    /// Returns the payloads of a query of stored locations by time. `?1` (inclusive) and `?2` (exclusive) are
    /// milliseconds since 1970; `?3` is the maximum number of rows.
    borrowing func payloads(
        from: Timestamp, to: Timestamp, limit: Int
    ) throws(StoreError) -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        let (first, last) = (from.millisecondsSinceEpoch, to.millisecondsSinceEpoch)
        try forEach(.integer(first), .integer(last), .integer(Int64(limit))) { row throws(StoreError) in
            payloads.append(try row.record().payload)
            return true
        }
        return payloads
    }
}
