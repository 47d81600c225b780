import COdographPostgreSQL

/// A prepared statement, which the server forgets with the connection.
package final class PostgreSQLStatement {
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

    /// Runs the statement with an array for each parameter.
    package func run(arrays: [PostgreSQLArray]) throws(PostgreSQLFailure) -> PostgreSQLResult {
        let library = connection.library
        // One block of memory for all arrays, whose places are known when it is complete.
        var bytes: [UInt8] = []
        var offsets: [Int] = []
        bytes.reserveCapacity(arrays.reduce(0) { $0 + $1.byteCount })
        for array in arrays {
            offsets.append(bytes.count)
            array.write(to: &bytes)
        }
        let lengths = zip(offsets, offsets.dropFirst() + [bytes.count]).map { Int32($1 - $0) }
        let formats = [Int32](repeating: 1, count: arrays.count)
        let result = bytes.withUnsafeBytes { block in
            let values = offsets.map { offset -> UnsafePointer<CChar>? in
                block.baseAddress.map { ($0 + offset).assumingMemoryBound(to: CChar.self) }
            }
            return library.PQexecPrepared(connection.handle, name, Int32(arrays.count), values, lengths, formats, 0)
        }
        return try connection.checked(result, doing: sql)
    }
}
