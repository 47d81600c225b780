/// A prepared statement.
protocol RecorderStatement: AnyObject {
    /// The database in messages.
    var databaseName: String { get }

    /// Runs the statement and returns the number of changed rows.
    @discardableResult
    func run(_ values: [SQLValue]) throws(DatabaseFailure) -> Int

    /// Runs the statement and passes each row of the result to `body`, until it returns false.
    func forEach(
        _ values: [SQLValue], do body: (any RecorderRow) throws(DatabaseFailure) -> Bool
    ) throws(DatabaseFailure)
}

extension RecorderStatement {
    /// Runs the statement and returns the number of changed rows.
    @discardableResult
    func run(_ values: SQLValue...) throws(DatabaseFailure) -> Int { try run(values) }

    /// Runs the statement and passes each row of the result to `body`, until it returns false.
    func forEach(
        _ values: SQLValue..., do body: (any RecorderRow) throws(DatabaseFailure) -> Bool
    ) throws(DatabaseFailure) {
        try forEach(values, do: body)
    }

    /// Runs the statement and returns what `read` makes of each row of the result, without the rows of which it makes
    /// nil.
    func rows<Value>(
        _ values: SQLValue..., read: (any RecorderRow) throws(DatabaseFailure) -> Value?
    ) throws(DatabaseFailure) -> [Value] {
        var found: [Value] = []
        try forEach(values) { row throws(DatabaseFailure) in
            if let value = try read(row) { found.append(value) }
            return true
        }
        return found
    }

    /// Runs the statement and returns what `read` makes of the first row of the result. Nil if there is no row.
    func first<Value>(
        _ values: SQLValue..., read: (any RecorderRow) throws(DatabaseFailure) -> Value?
    ) throws(DatabaseFailure) -> Value? {
        try first(values, read: read)
    }

    private func first<Value>(
        _ values: [SQLValue], read: (any RecorderRow) throws(DatabaseFailure) -> Value?
    ) throws(DatabaseFailure) -> Value? {
        var found: Value?
        try forEach(values) { row throws(DatabaseFailure) in
            found = try read(row)
            return false
        }
        return found
    }

    /// Returns the first column of the first row of the result. Nil if there is no row, or for NULL.
    func firstInteger(_ values: SQLValue...) throws(DatabaseFailure) -> Int64? {
        try first(values) { $0.isNull(0) ? nil : $0.integer(0) }
    }
}

/// A row of a result. It is valid until the next one is read.
protocol RecorderRow {
    /// Returns a column as an integer; a truth value is 1 or 0.
    func integer(_ column: Int32) -> Int64
    /// Returns a column as a floating-point number.
    func real(_ column: Int32) -> Double
    /// Returns a column as text. Nil for NULL.
    func text(_ column: Int32) -> String?
    /// Returns a column of text as its bytes in UTF-8. Nil for NULL.
    func bytes(_ column: Int32) -> [UInt8]?
    /// Returns a time as ISO-8601 in UTC. Nil for NULL.
    func time(_ column: Int32) -> String?
    /// Returns whether a column is NULL.
    func isNull(_ column: Int32) -> Bool
}

/// A prepared statement for many rows of values.
protocol RecorderRowStatement: AnyObject {
    /// Runs the statement for all rows.
    /// - Returns: The number of changed rows.
    @discardableResult
    func run(_ rows: [[SQLValue]]) throws(DatabaseFailure) -> Int

    /// Runs a query for all rows and passes each row of the results to `body`.
    func forEach(
        _ rows: [[SQLValue]], do body: (any RecorderRow) throws(DatabaseFailure) -> Void
    ) throws(DatabaseFailure)
}
