import Odograph
import OdographCivilTime
import OdographHarness
import Testing

@testable import OdographRecorder

/// The kinds of databases.
enum DatabaseKind: CaseIterable {
    case sqlite
    case postgreSQL
}

/// A database of the recorder, in a folder of the test or on a server of the test.
final class Archive {
    typealias Message = (topic: String, payload: [UInt8])

    let folder: TemporaryFolder
    let location: DatabaseLocation
    let database: ArchiveDatabase
    private let server: ServerArchive?

    /// Makes a database of SQLite.
    init() throws {
        folder = try TemporaryFolder()
        location = .file(path: folder.file("recorder.db"))
        database = try ArchiveDatabase(try RecordDatabase(path: folder.file("recorder.db"), lockSeconds: 0.05))
        server = nil
    }

    private init(_ server: ServerArchive) throws {
        folder = try TemporaryFolder()
        location = .server(server.address)
        database = try #require(server.database)
        self.server = server
    }

    /// Makes a database of a kind.
    /// - Parameter server: By default the one of all tests.
    static func make(_ kind: DatabaseKind, on server: PostgreSQLServer? = nil) async throws -> Archive {
        switch kind {
        case .sqlite: try Archive()
        case .postgreSQL: try Archive(try await ServerArchive(server))
        }
    }

    /// Makes a database of a kind with messages.
    static func make(_ kind: DatabaseKind, _ messages: [Message]) async throws -> Archive {
        let archive = try await make(kind)
        try archive.store(messages)
        return archive
    }

    /// Returns what the server says.
    func serverFacts() throws -> ServerFacts {
        guard case .server(let address) = location else { throw HarnessError("the database is a file") }
        return try ServerFacts(address, now: .now)
    }

    /// Opens the database for queries.
    func history() throws -> HistoryDatabase { try HistoryDatabase(location) }

    var file: DatabaseFile { DatabaseFile(folder.file("recorder.db")) }

    /// Returns the entries of messages, as the shell makes them.
    static func entries(
        _ messages: [Message], received: Timestamp = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)
    ) -> [BatchEntry] {
        let reader = MessageReader(root: "fleet")
        return messages.map { message in
            do throws(RejectionReason) {
                let read = try reader.read(topic: message.topic, payload: message.payload)
                return BatchEntry(.message(read), received: received)
            } catch {
                return BatchEntry(
                    .rejected(
                        topic: message.topic, payload: message.payload, bytes: message.payload.count, reason: error),
                    received: received)
            }
        }
    }

    /// Stores messages in one batch.
    func store(_ messages: [Message]) throws { try database.write(Self.entries(messages)) }

    func rows(_ sql: String) throws -> [[String]] { try server?.rows(sql) ?? file.rows(sql) }

    /// All that the database says.
    func contents() throws -> [String: [[String]]] { try Self.contents(rows) }

    /// Returns all that a database says, without its keys, which depend on the order of arrival.
    static func contents(_ rows: (String) throws -> [[String]]) throws -> [String: [[String]]] {
        var contents: [String: [[String]]] = [:]
        let names = "(SELECT fleet || '/' || device FROM vehicles WHERE id = vehicle)"
        for (table, columns) in [
            ("records", "\(names), epoch, seq, kind, time, CAST(latitude * 1000 AS INTEGER), event, subject, payload"),
            ("latest", "\(names), kind, epoch, seq"),
            ("timeline_events", "\(names), event_id, last_update_date, revision, epoch, seq, withdrawn"),
            ("runs", "\(names), epoch, first, last"),
            ("covered", "\(names), epoch, first, last"),
            ("given_up", "\(names), epoch, first, last, reason"),
            ("ledger", "\(names), epoch, first, last, count, kind, reason, at"),
            ("gaps", "fleet, device, epoch, first, last, reasons"),
            ("open_gaps", "fleet, device, epoch, first, last"),
            ("timeline", "fleet, device, event_id, revision"),
            ("vehicles", "fleet, device, first_seen, last_seen, conflicts"),
            ("rejected", "topic, bytes, reason"),
            ("conflicts", "\(names), epoch, seq, payload"),
        ] {
            contents[table] = try rows("SELECT \(columns) FROM \(table)").sorted { $0.lexicographicallyPrecedes($1) }
        }
        return contents
    }
}

let van = "fleet/acme/van-7/"
