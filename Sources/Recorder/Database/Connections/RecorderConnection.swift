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
