/// A connection to the recorder's database. The tables use it, so that they are the same in SQLite and PostgreSQL.
///
/// Statements are in the SQL that both understand. Their parameters are `?1`, `?2` and so on.
protocol RecorderConnection: AnyObject {
    /// The database in messages: a path, or an address without a password.
    var name: String { get }

    /// The kind of the database, for the parts of SQL in which they differ.
    var dialect: SQLDialect { get }

    /// Throws an error if the database is not the one that was opened.
    func checkIdentity() throws(DatabaseFailure)

    /// Begins a transaction that writes.
    /// - Throws: ``DatabaseFailure`` also if the database is not the one that was opened.
    func begin() throws(DatabaseFailure)

    /// Runs statements that have no parameters and no result.
    func execute(_ sql: String) throws(DatabaseFailure)

    /// Compiles a statement.
    func prepare(_ sql: String) throws(DatabaseFailure) -> any RecorderStatement

    /// Compiles a statement for many rows of values.
    func prepare(_ statement: RowStatement) throws(DatabaseFailure) -> any RecorderRowStatement

    /// Rolls back the open transaction, if there is one.
    func rollBack()
}

extension RecorderConnection {
    /// Runs a function in a transaction that writes. After an error the transaction has no effect.
    @discardableResult
    func transaction<Result>(_ body: () throws(DatabaseFailure) -> Result) throws(DatabaseFailure) -> Result {
        try begin()
        do throws(DatabaseFailure) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Returns the first integer in the result of a statement. Nil if there is none.
    func firstInteger(_ sql: String) throws(DatabaseFailure) -> Int64? { try prepare(sql).firstInteger() }
}

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

    /// Returns the first column of the first row of the result. Nil if there is no row, or for NULL.
    func firstInteger(_ values: SQLValue...) throws(DatabaseFailure) -> Int64? {
        var first: Int64?
        try forEach(values) { row throws(DatabaseFailure) in
            if !row.isNull(0) { first = row.integer(0) }
            return false
        }
        return first
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
