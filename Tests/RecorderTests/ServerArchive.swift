import OdographHarness
import OdographPostgreSQL
import OdographThreads

@testable import OdographRecorder

/// A database of the recorder in PostgreSQL, each in a database of its own.
final class ServerArchive {
    private(set) var database: ArchiveDatabase?
    let address: PostgreSQLAddress
    private let connection: PostgreSQLConnection
    /// The server ends with its last reference.
    private let server: PostgreSQLServer

    private static let count = Lock(0)

    /// - Parameter server: By default the one of all tests.
    init(_ server: PostgreSQLServer? = nil) async throws {
        let server = if let server { server } else { try await PostgreSQLServer.shared() }
        self.server = server
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        let name = "fleet\(number)"
        let main = try PostgreSQLConnection(name: "postgres", settings: [("dbname", server.address())])
        try main.execute("CREATE DATABASE \(name) TEMPLATE template0")
        guard let address = PostgreSQLAddress(server.address(of: name)) else {
            throw HarnessError("no address: \(server.address(of: name))")
        }
        self.address = address
        database = try ArchiveDatabase(try RecordDatabase(address))
        connection = try PostgreSQLConnection(name: name, settings: address.settings)
        try connection.execute("SET search_path = odograph; SET timezone = 'UTC'")
    }

    /// Stores messages in one batch.
    func store(_ messages: [Archive.Message]) throws { try write(Archive.entries(messages)) }

    /// Stores entries in one batch.
    func write(_ entries: [BatchEntry]) throws { try database?.write(entries) }

    /// Ends the recorder.
    func close() { database = nil }

    /// Ends the recorder, and begins another one.
    func reopen() throws {
        database = nil
        let end = ContinuousClock.now + .seconds(60)
        while database == nil {
            do throws(DatabaseFailure) {
                database = try ArchiveDatabase(try RecordDatabase(address))
            } catch {
                // The server ends the former connection, which has the lock, a moment later.
                guard error == .inUse(path: address.description), ContinuousClock.now < end else { throw error }
            }
        }
    }

    /// Returns the rows of a query as those of SQLite would be: numbers without a fraction have one there, and times
    /// are text.
    func rows(_ sql: String) throws -> [[String]] {
        let result = try connection.prepare(sql).run([])
        return (0..<result.rowCount).map { row in
            (0..<result.columnCount).map { column in
                let text = result.text(row: row, column: column) ?? "NULL"
                return text.wholeMatch(of: #/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00/#) == nil
                    ? text : PostgreSQLTime.iso8601(text)
            }
        }
    }
}
