import COdographPostgreSQL

/// The sole owner of the result of a statement.
package final class PostgreSQLResult {
    private let handle: OpaquePointer?
    private let library: odograph_pq

    init(handle: OpaquePointer?, library: odograph_pq) {
        self.handle = handle
        self.library = library
    }

    deinit { if let handle { library.PQclear(handle) } }

    var status: Int32 { handle.map { library.PQresultStatus($0) } ?? -1 }
    var isSuccess: Bool { [Int32(ODOGRAPH_PQ_COMMAND_OK), Int32(ODOGRAPH_PQ_TUPLES_OK)].contains(status) }

    /// The primary message. The details can contain values of a row, such as coordinates.
    var errorMessage: String {
        guard let handle else { return "" }
        return oneLine(
            library.PQresultErrorField(handle, Int32(ODOGRAPH_PQ_MESSAGE)) ?? library.PQresultErrorMessage(handle))
    }

    var errorCode: String {
        guard let handle, let code = library.PQresultErrorField(handle, Int32(ODOGRAPH_PQ_SQLSTATE)) else { return "" }
        return String(cString: code)
    }

    /// The number of rows that the statement has changed.
    package var changes: Int {
        guard let handle, let text = library.PQcmdTuples(handle) else { return 0 }
        return Int(String(cString: text)) ?? 0
    }

    /// The number of rows of the result.
    package var rowCount: Int32 { handle.map { library.PQntuples($0) } ?? 0 }

    /// The number of columns of the result.
    package var columnCount: Int32 { handle.map { library.PQnfields($0) } ?? 0 }

    /// Returns a column of a row as text. Nil for NULL.
    package func text(row: Int32, column: Int32) -> String? {
        guard let handle, library.PQgetisnull(handle, row, column) == 0 else { return nil }
        return library.PQgetvalue(handle, row, column).map { String(cString: $0) }
    }

    /// Returns a column of a row of text as bytes. Nil for NULL.
    package func bytes(row: Int32, column: Int32) -> [UInt8]? {
        guard let handle, !isNull(row: row, column: column) else { return nil }
        let count = Int(library.PQgetlength(handle, row, column))
        return Array(UnsafeRawBufferPointer(start: library.PQgetvalue(handle, row, column), count: count))
    }

    /// Returns whether a column of a row is NULL.
    package func isNull(row: Int32, column: Int32) -> Bool {
        handle.map { library.PQgetisnull($0, row, column) != 0 } ?? true
    }
}
