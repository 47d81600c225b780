import COdographPostgreSQL

/// A prepared statement, which the server forgets with the connection.
package final class PostgreSQLStatement {
    /// The number of statements that are sent before the results are read. The results of so many fit into the buffers of
    /// a socket, so that neither side waits for the other one.
    private static let pipelineLength = 250

    private let connection: PostgreSQLConnection
    let name: String
    private let sql: String

    init(_ connection: PostgreSQLConnection, name: String, sql: String) {
        (self.connection, self.name, self.sql) = (connection, name, sql)
    }

    /// Runs the statement.
    /// - Parameter values: The parameters as text; nil for NULL.
    package func run(_ values: [String?]) throws(PostgreSQLFailure) -> PostgreSQLResult {
        let library = connection.library
        let result = withTexts(values) {
            library.PQexecPrepared(connection.handle, name, Int32(values.count), $0, nil, nil, 0)
        }
        return try connection.checked(result, doing: sql)
    }

    /// Runs the statement for each row of parameters, in a transaction that is open. The statements are sent without
    /// waiting for the result of each.
    /// - Returns: The number of rows that each has changed.
    /// - Throws: The first error. The transaction must then be rolled back.
    package func runAll(_ rows: [[String?]]) throws(PostgreSQLFailure) -> [Int] {
        var changes: [Int] = []
        var start = 0
        while start < rows.count {
            let end = min(start + Self.pipelineLength, rows.count)
            changes += try runPipeline(rows[start..<end])
            start = end
        }
        return changes
    }

    private func runPipeline(_ rows: ArraySlice<[String?]>) throws(PostgreSQLFailure) -> [Int] {
        let (library, handle) = (connection.library, connection.handle)
        _ = library.PQenterPipelineMode(handle)
        defer { _ = library.PQexitPipelineMode(handle) }
        for row in rows {
            _ = withTexts(row) { library.PQsendQueryPrepared(handle, name, Int32(row.count), $0, nil, nil, 0) }
        }
        _ = library.PQpipelineSync(handle)
        var changes: [Int] = []
        var failure: PostgreSQLFailure?
        // The results end with the mark of the synchronization. A nil follows each result. Two of them in sequence mean
        // that the connection has ended.
        var wasNil = false
        while true {
            guard let next = library.PQgetResult(handle) else {
                if wasNil { break }
                wasNil = true
                continue
            }
            wasNil = false
            let result = PostgreSQLResult(handle: next, library: library)
            if result.status == ODOGRAPH_PQ_PIPELINE_SYNC { break }
            if result.isSuccess {
                changes.append(result.changes)
            } else if failure == nil {
                // The statements after a failed one are aborted, and have no message of their own.
                failure = connection.failure(of: result, doing: sql)
            }
        }
        if let failure { throw failure }
        guard changes.count == rows.count else {
            throw PostgreSQLFailure(
                database: connection.name, operation: String(sql.prefix(60)), code: "",
                message: oneLine(library.PQerrorMessage(handle)))
        }
        return changes
    }
}
