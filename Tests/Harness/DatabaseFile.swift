import OdographSQLite

/// A file of SQLite that a test reads or locks.
public struct DatabaseFile: Sendable {
    /// The path.
    public let path: String

    /// - Parameter path: The path.
    public init(_ path: String) { self.path = path }

    /// Returns the rows of a query, each value as text; `NULL` for a missing value.
    public func rows(_ sql: String) throws -> [[String]] {
        let connection = try Connection<HarnessError>(path: path, isReadOnly: true)
        connection.setBusyTimeout(milliseconds: 10_000)
        let statement = try connection.prepare(sql)
        var rows: [[String]] = []
        try statement.forEach { row throws(HarnessError) in
            rows.append((0..<row.columnCount).map { row.text($0) ?? "NULL" })
            return true
        }
        return rows
    }
}

extension HarnessError: SQLiteFailureConvertible {
    /// Creates the error for a failure of SQLite.
    package init(_ failure: SQLiteFailure) {
        self.init("\(failure.path): \(failure.operation): \(failure.message) (\(failure.code))")
    }
}
