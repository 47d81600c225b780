import OdographHarness
import OdographPostgreSQL
import OdographRecorder
import OdographSQLite

/// A database that another program writes, and of which the benchmark reads how far it is.
enum WatchedDatabase {
    /// A file of SQLite.
    case file(String)
    /// An address of PostgreSQL.
    case server(String)

    /// The name in the tables of the results.
    var name: String {
        switch self {
        case .file: "SQLite"
        case .server: "PostgreSQL"
        }
    }

    /// The member `database` of a recorder's configuration.
    var configuration: String {
        switch self {
        case .file(let path): "path: \"\(path)\""
        case .server(let address): "url: \"\(address)\""
        }
    }

    /// Makes the tables of a recorder.
    func makeTables() throws {
        switch self {
        case .file(let path):
            let connection = try Connection<DatabaseFailure>(path: path)
            try connection.execute("PRAGMA journal_mode = WAL; BEGIN; \(SQLiteSchema.sql); COMMIT")
        case .server(let address):
            try PostgreSQLConnection(name: address, settings: [("dbname", address)])
                .execute("BEGIN; \(PostgreSQLSchema.sql); COMMIT")
        }
    }

    /// Runs statements.
    func execute(_ sql: String) throws {
        switch self {
        case .file(let path): try Connection<DatabaseFailure>(path: path).execute(sql)
        case .server(let address):
            let connection = try PostgreSQLConnection(name: address, settings: [("dbname", address)])
            try connection.execute("SET search_path = odograph, public")
            try connection.execute(sql)
        }
    }

    /// Returns the rows of a query. Every value is text; a null is empty.
    func rows(_ sql: String) throws -> [[String]] {
        switch self {
        case .file(let path):
            let connection = try Connection<DatabaseFailure>(path: path, isReadOnly: true)
            let statement = try connection.prepare(sql)
            var rows: [[String]] = []
            try statement.forEach { row throws(DatabaseFailure) in
                rows.append((0..<row.columnCount).map { row.text($0) ?? "" })
                return true
            }
            return rows
        case .server(let address):
            let connection = try PostgreSQLConnection(name: address, settings: [("dbname", address)])
            try connection.execute("SET search_path = odograph, public")
            let result = try connection.prepare(sql).run([])
            return (0..<result.rowCount).map { row in
                (0..<result.columnCount).map { result.text(row: row, column: $0) ?? "" }
            }
        }
    }

    /// Whether it is a database of PostgreSQL.
    var isServer: Bool {
        switch self {
        case .file: false
        case .server: true
        }
    }

    /// Returns the plan of a query whose parameters `?1`, `?2` and so on have values.
    func plan(_ sql: String, values: [String]) throws -> [String] {
        var query = sql
        for (index, value) in values.enumerated() { query = query.replacing("?\(index + 1)", with: value) }
        // The last column has the text in both databases.
        return try rows((isServer ? "EXPLAIN (ANALYZE, BUFFERS) " : "EXPLAIN QUERY PLAN ") + query)
            .compactMap(\.last)
    }

    /// A text with which two databases with the same contents can be compared.
    func summary() throws -> String {
        try rows(
            """
            SELECT (SELECT count(*) FROM records), (SELECT count(*) FROM latest),
                (SELECT count(*) FROM timeline_events), (SELECT count(*) FROM runs), (SELECT count(*) FROM covered),
                (SELECT count(*) FROM records WHERE driver IS NOT NULL),
                (SELECT CAST(round(sum(latitude) * 1000) AS BIGINT) FROM records),
                (SELECT sum(seq) FROM latest), (SELECT sum(revision) FROM timeline_events)
            """
        ).map { $0.map { String($0.prefix { $0 != "." }) }.joined(separator: " ") }.joined()
    }
}

/// Counts the numbers that a database has, which are in few rows. The connection stays open, because a new one for each
/// look would take the processor from the programs that are measured.
final class NumberWatch {
    private static let query = "SELECT CAST(coalesce(sum(last - first + 1), 0) AS BIGINT) FROM "

    private let database: WatchedDatabase
    private var server: PostgreSQLStatement?
    private var file: SQLiteLook?

    init(_ database: WatchedDatabase) { self.database = database }

    /// The count; 0 before there are tables.
    var count: Int { (try? look()) ?? 0 }

    private func look() throws -> Int {
        switch database {
        case .file(let path):
            if file == nil { file = try SQLiteLook(path: path, query: Self.query + "runs") }
            return try file?.first() ?? 0
        case .server(let address):
            if server == nil {
                server = try PostgreSQLConnection(name: address, settings: [("dbname", address)])
                    .prepare(Self.query + "odograph.runs")
            }
            return try server?.run([]).text(row: 0, column: 0).flatMap { Int($0) } ?? 0
        }
    }
}

/// A statement of a file, which is compiled once.
private final class SQLiteLook {
    private let statement: Statement<DatabaseFailure>

    init(path: String, query: String) throws {
        statement = try Connection<DatabaseFailure>(path: path, isReadOnly: true).prepare(query)
    }

    func first() throws -> Int { Int(try statement.firstInteger() ?? 0) }
}
