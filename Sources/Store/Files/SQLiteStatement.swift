import OdographCivilTime
import OdographSQLite

/// A prepared statement, with the errors of the store.
typealias SQLiteStatement = Statement<StoreError>

extension SQLiteStatement {
    /// Runs a statement that writes a row, with the row's checksum as an additional parameter.
    ///
    /// - Parameter values: All values that the checksum protects, in the order of reading.
    /// - Returns: The number of changed rows.
    @discardableResult
    borrowing func runWithChecksum(_ values: SQLiteValue...) throws(StoreError) -> Int {
        try run(values + [.blob(Checksum(of: values).storedBytes)])
    }

    /// Returns whether the current row's last column is the checksum of the columns before it.
    ///
    /// - Parameter first: The first column that the checksum protects.
    borrowing func isIntact(from first: Int32 = 0) -> Bool {
        let last = columnCount - 1
        return withBytes(last) { stored in
            var checksum = Checksum()
            for column in first..<last { add(column, to: &checksum) }
            return stored.elementsEqual(checksum.storedBytes)
        } ?? false
    }

    private borrowing func add(_ column: Int32, to checksum: inout Checksum) {
        switch kind(of: column) {
        case .integer: checksum.add(integer(column))
        case .text: _ = withBytes(column) { checksum.add(text: $0) }
        case .null: checksum.addNull()
        case .real: checksum.add(real(column))
        case .blob: _ = withBytes(column) { checksum.add(blob: $0) }
        }
    }

    /// Returns the error for a row with content that the agent never wrote.
    borrowing func damageError(_ what: String) -> StoreError {
        .damaged(path: databasePath, reason: "\(what) cannot be read")
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
        let (start, end) = (from.millisecondsSinceEpoch, to.millisecondsSinceEpoch)
        return try rows(.integer(start), .integer(end), .integer(Int64(limit))) { row throws(StoreError) in
            try row.record().payload
        }
    }
}
