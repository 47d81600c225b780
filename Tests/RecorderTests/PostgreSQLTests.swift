import Glibc
import Logging
import OdographCivilTime
import OdographHarness
import OdographLink
import OdographPostgreSQL
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("The recorder's database in PostgreSQL")
struct PostgreSQLTests {
    @Test("Any order, repetition and batch of messages gives the same contents as in SQLite")
    func anyOrder() async throws {
        let server = try await PostgreSQLServer.shared()
        let day = try DatabaseTests.day() + DatabaseTests.trouble()
        let expected = try Archive()
        try expected.store(day)
        var random = SplitMix64(seed: 23)
        for round in 0..<8 {
            var messages = day
            if round > 0 {
                for _ in 0..<Int.random(in: 0...10, using: &random) {
                    messages.append(day[Int.random(in: 0..<day.count, using: &random)])
                }
                // Of records with one number the first one counts, so these stay in their order.
                messages = DatabaseTests.shuffled(messages, using: &random)
            }
            let archive = try await ServerArchive(server)
            while !messages.isEmpty {
                let count = Int.random(in: 1...messages.count, using: &random)
                try archive.store(Array(messages.prefix(count)))
                messages.removeFirst(count)
            }
            let (found, wanted) = (try Archive.contents(archive.rows), try expected.contents())
            for table in wanted.keys.sorted() { #expect(found[table] == wanted[table], "\(table), round \(round)") }
        }
    }

    @Test("Times are read also if the server writes dates in another style")
    func dateStyle() async throws {
        let archive = try await ServerArchive()
        try archive.store([Payloads.position(1, at: "2026-03-04T05:06:07.890Z")])
        let name = try #require(try archive.rows("SELECT current_database()").first?.first)
        _ = try archive.rows("ALTER DATABASE \(name) SET datestyle = 'German, DMY'")
        let history = try HistoryDatabase(.server(archive.address))
        let latest = try history.latestPositions(fleet: nil, hasPayload: false)
        #expect(latest.map { $0.position?.time } == ["2026-03-04T05:06:07.890Z"])
    }

    @Test("A database of another version is refused unchanged")
    func otherVersion() async throws {
        let archive = try await ServerArchive()
        try archive.store([(van + "location", try Payloads.location(1))])
        archive.close()
        let name = archive.address.description
        for version in [0, RecorderSchema.version - 1, RecorderSchema.version + 1] {
            _ = try archive.rows("UPDATE schema_version SET version = \(version)")
            let refusal = DatabaseFailure.otherVersion(path: name, version: version, known: RecorderSchema.version)
            #expect(throws: refusal) { try archive.reopen() }
            #expect(throws: refusal) { try RecorderStatus(of: .server(archive.address)) }
            #expect(try archive.rows("SELECT version FROM schema_version") == [["\(version)"]])
            #expect(try archive.rows("SELECT count(*) FROM records") == [["1"]])
        }
    }

    @Test(
        "A message with the character 0, which PostgreSQL cannot store, is rejected", arguments: DatabaseKind.allCases)
    func nullCharacter(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.store([(van + "timeline", try Payloads.timeline(1, event: "a\0b", revision: 1))])
        #expect(try archive.rows("SELECT count(*) FROM records") == [["0"]])
        #expect(
            try archive.rows("SELECT reason FROM rejected") == [["the message has the character U+0000 in a text"]])
    }

    @Test("A value that PostgreSQL cannot store rejects only its own message")
    func refusedValue() async throws {
        let archive = try await ServerArchive()
        // An entry of an index has at most 2.7 kB, and a text that repeats would be compressed.
        var random = SplitMix64(seed: 3)
        let name = String((0..<20_000).map { _ in "0123456789abcdef".randomElement(using: &random) ?? "0" })
        var entries = Archive.entries(
            try (1...40).map {
                (van + "location", try Payloads.location($0, date: $0 == 9 ? "0000-01-01T00:00:00Z" : nil))
            })
        let strange = try Payloads.timeline(41, event: "a", revision: 1)
        var message = try MessageReader(root: "fleet").read(topic: van + "timeline/backlog", payload: strange)
        guard case .timeline(var event) = message.content else { throw HarnessError("no event") }
        event.eventID = name
        message = VehicleMessage(
            vehicle: message.vehicle, channel: message.channel, isBacklog: true, content: .timeline(event),
            payload: message.payload)
        entries.insert(BatchEntry(.message(message), received: entries[0].received), at: 17)
        try archive.write(entries)
        #expect(try archive.rows("SELECT first, last FROM runs") == [["1", "40"]])
        #expect(try archive.rows("SELECT topic FROM rejected") == [[van + "timeline/backlog"]])
        #expect(try archive.rows("SELECT time FROM records WHERE seq = 9") == [["0001-01-01T00:00:00.000Z"]])
    }

    @Test("While another program reads the table, a new month's records go elsewhere, and later to their partition")
    func lockedPartition() async throws {
        let archive = try await ServerArchive()
        let reader = try PostgreSQLConnection(name: "reader", settings: archive.address.settings)
        try reader.execute("BEGIN; SELECT count(*) FROM odograph.records")
        try archive.store([(van + "location", try Payloads.location(1))])
        #expect(try archive.rows("SELECT tableoid::regclass FROM records") == [["records_other"]])
        try reader.execute("ROLLBACK")
        // Another recorder does not wait for the next attempt.
        try archive.reopen()
        try archive.store([(van + "location", try Payloads.location(2))])
        #expect(
            try archive.rows("SELECT DISTINCT tableoid::regclass FROM records") == [["records_2026_09"]])
    }

    @Test("A status counts the same as in SQLite, and a database without tables is not a recorder's")
    func status() async throws {
        let server = try await PostgreSQLServer.shared()
        let archive = try await ServerArchive(server)
        let file = try Archive()
        try archive.store(DatabaseTests.day())
        try file.store(DatabaseTests.day())
        var status = try RecorderStatus(of: .server(archive.address))
        let expected = try RecorderStatus(of: .file(path: file.file.path))
        #expect(status.databaseID != expected.databaseID)
        status.databaseID = expected.databaseID
        #expect(status == expected)
        let empty = try #require(PostgreSQLAddress(server.address()))
        #expect(throws: DatabaseFailure.foreign(path: empty.description)) { try RecorderStatus(of: .server(empty)) }
        let missing = try #require(PostgreSQLAddress(server.address(of: "none")))
        #expect {
            try RecorderStatus(of: .server(missing))
        } throws: { error in
            if case .unavailable(_, let detail) = error as? DatabaseFailure { detail.contains("none") } else { false }
        }
    }

    @Test("A refused connection is described in one line without tabs")
    func refusedConnection() throws {
        let address = try #require(PostgreSQLAddress("postgresql://r@127.0.0.1:\(try FreePort.next())/fleet"))
        #expect {
            try RecorderStatus(of: .server(address))
        } throws: { error in
            "\(error)".contains("refused") && !"\(error)".contains { $0 == "\t" || $0 == "\n" }
        }
    }

    @Test("Each month has a partition, and an implausible date makes none until it is plausible")
    func partitions() async throws {
        let archive = try await ServerArchive()
        // The messages are received in September 2026.
        let dates = [
            "2026-08-31T23:59:59.999Z", "2026-09-01T00:00:00.000Z", "1980-01-06T00:00:00.000Z",
            "2026-12-24T00:00:00.000Z",
        ]
        for (index, date) in dates.enumerated() {
            try archive.store([(van + "location", try Payloads.location(Int64(index + 1), date: date))])
        }
        let query = "SELECT tableoid::regclass, seq FROM records ORDER BY seq"
        #expect(
            try archive.rows(query) == [
                ["records_2026_08", "1"], ["records_2026_09", "2"], ["records_other", "3"], ["records_other", "4"],
            ])
        // In December that date is plausible. The record of before moves to the partition.
        let late = try Archive.entries([
            (van + "location", Payloads.location(5, date: "2026-12-24T00:00:01.000Z"))
        ]).map { BatchEntry($0.content, received: $0.received.advanced(bySeconds: 90 * 86_400)) }
        try archive.write(late)
        #expect(
            try archive.rows(query) == [
                ["records_2026_08", "1"], ["records_2026_09", "2"], ["records_other", "3"], ["records_2026_12", "4"],
                ["records_2026_12", "5"],
            ])
    }

    @Test("After kills of the server, each record is stored once")
    func killed() async throws {
        let server = try await PostgreSQLServer()
        let broker = try await MosquittoBroker(configuration: "max_queued_messages 0")
        let service = try RecorderService(broker: broker.port, server: server.address())
        try await service.start()
        let desk = BrokerOperator(port: broker.port)
        for round in 0..<4 {
            let numbers = Int64(round * 300 + 1)...Int64(round * 300 + 300)
            try await desk.flood(
                numbers.map { String(decoding: try Payloads.location($0), as: UTF8.self) },
                to: van + "location/backlog", isRetained: false)
            try await server.kill()
            try await server.start()
        }
        let isStored = try await eventually { try service.runs() == [["1", "1200"]] ? true : nil }
        let runs = try service.runs()
        #expect(isStored != nil, "\(runs) \(service.log.lines)")
        try await service.stop()
        #expect(try service.serverRows("SELECT count(*), count(DISTINCT seq) FROM records") == [["1200", "1200"]])
        #expect(try service.serverRows("SELECT count(*) FROM conflicts") == [["0"]])
    }

    @Test("A second recorder waits without a connection to the broker, and takes over when the first one ends")
    func takeover() async throws {
        let server = try await PostgreSQLServer()
        let broker = try await MosquittoBroker()
        let first = try RecorderService(broker: broker.port, server: server.address())
        try await first.start()
        let second = try RecorderService(broker: broker.port, server: server.address())
        try await second.begin()
        let waits = try await eventually {
            second.log.lines.contains { $0.contains("another recorder writes into this database") } ? true : nil
        }
        #expect(waits != nil && !second.log.lines.contains("connected to the broker"))
        let desk = BrokerOperator(port: broker.port)
        func publish(_ number: Int64) async throws {
            try await desk.publish(
                String(decoding: try Payloads.location(number), as: UTF8.self), to: van + "location/backlog",
                isRetained: false)
        }
        try await publish(1)
        let isFirst = try await eventually { try first.runs() == [["1", "1"]] ? true : nil }
        #expect(isFirst != nil, "\(first.log.lines)")
        try await first.stop()
        // The broker keeps it for the session, which both have.
        try await publish(2)
        let isSecond = try await eventually { try second.runs() == [["1", "2"]] ? true : nil }
        #expect(isSecond != nil, "\(second.log.lines)")
        try await second.stop()
    }

    @Test("A stop ends a recorder that waits for a server")
    func stopWhileWaiting() async throws {
        let broker = try await MosquittoBroker()
        let port = try FreePort.next()
        let service = try RecorderService(broker: broker.port, server: "postgresql://recorder@127.0.0.1:\(port)/a")
        try await service.begin()
        let waits = try await eventually {
            service.log.lines.contains { $0.contains("waiting for the database") } ? true : nil
        }
        #expect(waits != nil, "\(service.log.lines)")
        try await service.stop()
    }

    @Test("The server ends the connection of a machine that is away, also if an answer to it is on its way")
    func timeouts() async throws {
        let server = try await ServerArchive()
        for (name, value) in [
            ("tcp_keepalives_idle", "3"), ("tcp_keepalives_interval", "1"), ("tcp_keepalives_count", "3"),
            ("tcp_user_timeout", "6000"),
        ] {
            #expect(try server.rows("SHOW \(name)") == [[value]], "\(name)")
        }
    }

    @Test(
        "An address has no password, and is an address",
        arguments: [
            ("postgresql://a@h/d", true), ("postgres://h:5433/d?sslmode=require", true),
            ("postgresql://a:b@h/d", false),
            ("postgresql://h/d?user=a&password=b", false), ("/var/lib/recorder.db", false),
        ])
    func address(text: String, isValid: Bool) { #expect((PostgreSQLAddress(text) != nil) == isValid) }

    @Test(
        "Times of PostgreSQL become ISO-8601 with milliseconds",
        arguments: [
            ("2026-11-21 09:15:02+00", "2026-11-21T09:15:02.000Z"),
            ("2026-11-21 09:15:02.5+00", "2026-11-21T09:15:02.500Z"),
            ("2026-11-21 09:15:02.123456+00", "2026-11-21T09:15:02.123Z"),
        ])
    func time(text: String, iso8601: String) { #expect(PostgreSQLTime.iso8601(text) == iso8601) }
}
