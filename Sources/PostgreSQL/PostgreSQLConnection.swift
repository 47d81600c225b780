import COdographPostgreSQL

/// The sole owner of a connection to a PostgreSQL database.
///
/// The functions wait for the server. Source: chapter 34 of PostgreSQL's manual.
package final class PostgreSQLConnection {
    /// The address of the database in messages, without a password.
    package let name: String
    let library: odograph_pq
    let handle: OpaquePointer
    private var statementCount = 0

    /// Connects.
    /// - Parameters:
    ///   - name: The address of the database in messages.
    ///   - settings: The keywords and values of libpq; `dbname` can be an address (`postgresql://…`).
    /// - Throws: ``PostgreSQLFailure`` if libpq is missing, or there is no connection.
    package init(name: String, settings: [(keyword: String, value: String)]) throws(PostgreSQLFailure) {
        self.name = name
        var library = odograph_pq()
        guard odograph_pq_load(&library) == 1 else {
            throw PostgreSQLFailure(
                database: name, operation: "connecting", code: "58P01",
                message: "this machine has no libpq of version 14 or newer; install the package libpq5")
        }
        self.library = library
        let keywords = settings.map(\.keyword)
        let values = settings.map(\.value)
        let opened = withTexts(keywords) { keywords in
            withTexts(values) { values in library.PQconnectdbParams(keywords, values, 1) }
        }
        guard let opened else {
            throw PostgreSQLFailure(database: name, operation: "connecting", code: "", message: "not enough memory")
        }
        guard library.PQstatus(opened) == ODOGRAPH_PQ_CONNECTION_OK else {
            defer { library.PQfinish(opened) }
            throw PostgreSQLFailure(
                database: name, operation: "connecting", code: "",
                message: oneLine(library.PQerrorMessage(opened)))
        }
        handle = opened
        // Notices, such as that a table exists already, are not for the standard error of this program.
        _ = library.PQsetNoticeProcessor(opened, { _, _ in }, nil)
    }

    deinit { library.PQfinish(handle) }

    /// Runs statements without parameters, in one transaction of their own if none is open.
    package func execute(_ sql: String) throws(PostgreSQLFailure) {
        _ = try checked(library.PQexec(handle, sql), doing: sql)
    }

    /// Compiles a statement. Its parameters are `$1`, `$2` and so on.
    package func prepare(_ sql: String) throws(PostgreSQLFailure) -> PostgreSQLStatement {
        statementCount += 1
        let statement = PostgreSQLStatement(self, name: "s\(statementCount)", sql: sql)
        _ = try checked(library.PQprepare(handle, statement.name, sql, 0, nil), doing: sql)
        return statement
    }

    /// Rolls back the open transaction. An error is no further error: the server then rolls back by itself.
    package func rollBack() { library.PQclear(library.PQexec(handle, "ROLLBACK")) }

    /// Returns a result, or throws the error in it.
    func checked(_ result: OpaquePointer?, doing operation: String) throws(PostgreSQLFailure) -> PostgreSQLResult {
        let result = PostgreSQLResult(handle: result, library: library)
        guard result.isSuccess else { throw failure(of: result, doing: operation) }
        return result
    }

    func failure(of result: PostgreSQLResult, doing operation: String) -> PostgreSQLFailure {
        let message = result.errorMessage.isEmpty ? oneLine(library.PQerrorMessage(handle)) : result.errorMessage
        return PostgreSQLFailure(
            database: name, operation: String(operation.prefix(60)), code: result.errorCode, message: message)
    }
}

/// Returns a message of the server as one line.
func oneLine(_ message: UnsafePointer<CChar>?) -> String {
    guard let message else { return "" }
    let lines = String(cString: message).split(separator: "\n")
    return lines.map { $0.split(separator: "\t").joined(separator: " ") }.joined(separator: "; ")
}

/// Passes texts as C strings, followed by a null pointer, to `body`. Nil is a null pointer.
func withTexts<Result>(
    _ texts: [String?], _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
    // One block of memory for all texts, because a batch has thousands.
    var bytes: [CChar] = []
    var offsets: [Int?] = []
    for text in texts {
        offsets.append(text.map { _ in bytes.count })
        guard let text else { continue }
        bytes.append(contentsOf: text.utf8.lazy.map { CChar(bitPattern: $0) })
        bytes.append(0)
    }
    return bytes.withUnsafeBufferPointer { buffer in
        var pointers = offsets.map { offset in offset.flatMap { offset in buffer.baseAddress.map { $0 + offset } } }
        pointers.append(nil)
        return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    }
}
