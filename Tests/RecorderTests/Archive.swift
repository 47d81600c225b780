import OdographCivilTime
import OdographHarness

@testable import OdographRecorder

/// A database of the recorder, in a folder of the test.
final class Archive {
    typealias Message = (topic: String, payload: [UInt8])

    let folder: TemporaryFolder
    let database: SQLRecordDatabase

    init() throws {
        folder = try TemporaryFolder()
        database = try SQLRecordDatabase(path: folder.file("recorder.db"), lockSeconds: 0.05)
    }

    var file: DatabaseFile { DatabaseFile(folder.file("recorder.db")) }

    /// Returns the entries of messages, as the shell makes them.
    static func entries(_ messages: [Message]) -> [BatchEntry] {
        let reader = MessageReader(root: "fleet")
        return messages.map { message in
            let received = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)
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

    func rows(_ sql: String) throws -> [[String]] { try file.rows(sql) }

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
