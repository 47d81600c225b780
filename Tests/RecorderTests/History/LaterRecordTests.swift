import Odograph
import OdographCivilTime
import OdographHarness
import OdographPostgreSQL
import Testing

@testable import OdographRecorder

@Suite("Records that come after an erasure, and erasures on a server")
struct LaterRecordTests {
    @Test(
        "After the erasure of a time, no position and no event of it comes back, and the numbers count as stored",
        arguments: DatabaseKind.allCases)
    func later(kind: DatabaseKind) async throws {
        let archive = try await ErasureTests.archive(kind)
        let vehicle = try ErasureTests.vehicle(archive)
        _ = try ErasureTests.erase(archive, .vehicle(vehicle), from: "2026-11-21T07:10:00Z", to: "2026-11-21T08:30:00Z")
        let before = try archive.rows("SELECT seq FROM records WHERE vehicle = \(vehicle.key) ORDER BY seq")
        #expect(before == [["3"], ["11"], ["12"]])
        try archive.store([
            // A later revision of an erased event, and an event that was not known.
            Payloads.event(20, "stop", from: "2026-11-21T08:00:00Z", to: "2026-11-21T09:10:00Z"),
            Payloads.event(21, "new", from: "2026-11-21T08:29:00Z", to: "2026-11-21T08:29:30Z"),
            // A position that waited in the vehicle, and those at both ends of the time.
            Payloads.position(22, at: "2026-11-21T07:10:00Z", geofence: "depot"),
            Payloads.position(23, at: "2026-11-21T07:09:59.999Z"), Payloads.position(24, at: "2026-11-21T08:30:00Z"),
            // A conflict of a stored record whose contents are of the time.
            Payloads.position(12, at: "2026-11-21T07:20:00Z"),
            Payloads.event(25, "after", from: "2026-11-21T08:30:00Z", to: "2026-11-21T08:40:00Z"),
            (van + "given_up", Payloads.givenUp(26, [Payloads.named(27...28)])),
        ])
        #expect(
            try archive.rows("SELECT seq FROM records WHERE vehicle = \(vehicle.key) ORDER BY seq")
                == (before + [["23"], ["24"], ["25"], ["26"]]))
        #expect(
            try archive.rows("SELECT event_id FROM timeline_events WHERE vehicle = \(vehicle.key) ORDER BY start_date")
                == [["after"], ["later"]])
        #expect(try archive.rows("SELECT count(*) FROM conflicts") == [["0"]])
        #expect(
            try archive.rows("SELECT first, last FROM covered WHERE vehicle = \(vehicle.key) ORDER BY first")
                == [["1", "3"], ["10", "12"], ["20", "28"]])
        #expect(
            try archive.rows("SELECT kind, seq FROM latest WHERE vehicle = \(vehicle.key) ORDER BY seq")
                == [["geofence", "11"], ["location", "24"], ["timeline", "25"], ["given_up", "26"]])
    }

    @Test(
        "A recorder that is open learns of an erasure of a driver, and stores no later revision of the erased events",
        arguments: DatabaseKind.allCases)
    func laterOfDriver(kind: DatabaseKind) async throws {
        let archive = try await ErasureTests.archive(kind)
        _ = try ErasureTests.erase(archive, .driver("anna"))
        try archive.store([
            Payloads.event(20, "trip", from: "2026-11-21T07:00:00Z", to: "2026-11-21T08:01:00Z", meters: 1000),
            Payloads.event(21, "stop", from: "2026-11-21T08:01:00Z", to: "2026-11-21T09:00:00Z"),
        ])
        #expect(
            try archive.rows("SELECT event_id, seq FROM timeline_events ORDER BY start_date")
                == [["stop", "21"], ["later", "3"]])
        #expect(try archive.rows("SELECT first, last FROM runs WHERE first = 20") == [["20", "21"]])
    }

    @Test(
        "An older revision that tells the place of an erased time goes, and the event of another time stays",
        arguments: DatabaseKind.allCases)
    func olderRevision(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(
            kind,
            [
                Payloads.position(1, at: "2026-11-21T07:30:00Z", driver: .string("anna")),
                Payloads.event(2, "a", from: "2026-11-21T07:00:00Z", to: "2026-11-21T08:00:00Z"),
                Payloads.event(3, "a", from: "2026-11-21T08:30:00Z", to: "2026-11-21T09:00:00Z"),
                Payloads.event(4, "b", from: "2026-11-21T09:10:00Z", to: "2026-11-21T09:20:00Z"),
                Payloads.event(5, "b", from: "2026-11-21T09:40:00Z", to: "2026-11-21T09:50:00Z"),
            ])
        #expect(try ErasureTests.erase(archive, .driver("anna")).map(\.revisions) == [1])
        #expect(try archive.rows("SELECT seq FROM records ORDER BY seq") == [["3"], ["4"], ["5"]])
        let vehicle = try ErasureTests.vehicle(archive)
        _ = try ErasureTests.erase(
            archive, .vehicle(vehicle), from: "2026-11-21T09:15:00Z", to: "2026-11-21T09:16:00Z")
        #expect(try archive.rows("SELECT seq FROM records ORDER BY seq") == [["3"], ["5"]])
        #expect(
            try archive.rows("SELECT event_id, seq FROM timeline_events ORDER BY seq") == [["a", "3"], ["b", "5"]])
    }

    @Test("A withdrawal is stored also of an erased time, because it has no place", arguments: DatabaseKind.allCases)
    func withdrawal(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(
            kind, [(van + "timeline", try Payloads.timeline(1, event: "a", revision: 1, update: 60))])
        let vehicle = try ErasureTests.vehicle(archive)
        // The events of these payloads begin in September 2026, at 14:13:20.
        _ = try ErasureTests.erase(archive, .vehicle(vehicle), to: "2026-09-21T14:13:30Z")
        #expect(try archive.rows("SELECT count(*) FROM timeline_events") == [["0"]])
        try archive.store([
            (van + "timeline", try Payloads.timeline(2, event: "a", revision: 2, update: 61)),
            (van + "timeline", try Payloads.timeline(3, event: "a", revision: 3, update: 62, withdrawn: true)),
        ])
        #expect(try archive.rows("SELECT seq, withdrawn FROM timeline_events") == [["3", "1"]])
        #expect(try archive.rows("SELECT seq FROM records") == [["3"]])
    }

    @Test("A repeated erasure keeps one row of the erased time", arguments: DatabaseKind.allCases)
    func repeated(kind: DatabaseKind) async throws {
        let archive = try await ErasureTests.archive(kind)
        let vehicle = try ErasureTests.vehicle(archive)
        for to in ["2026-11-21T08:00:00Z", "2026-11-21T08:30:00Z", "2026-11-21T08:30:00Z"] {
            _ = try ErasureTests.erase(archive, .vehicle(vehicle), to: to)
        }
        #expect(try archive.rows("SELECT to_time FROM erased_times") == [["2026-11-21T08:30:00.000Z"]])
        // The future is not erased.
        _ = try ErasureTests.erase(archive, .vehicle(vehicle), from: "2030-01-01T00:00:00Z")
        #expect(try archive.rows("SELECT count(*) FROM erased_times") == [["1"]])
        #expect(try archive.rows("SELECT count(*) FROM erasures") == [["4"]])
    }

    @Test("After an erasure in PostgreSQL, no byte of a position is in the files of the tables, and others stay")
    func serverBytes() async throws {
        let archive = try await Archive.make(.postgreSQL)
        try archive.store(
            try (1...600).flatMap { seq -> [Archive.Message] in
                let start = instant("2026-11-21T00:00:00Z").advanced(bySeconds: Double(seq))
                let position = try Payloads.position(Int64(seq), at: start.iso8601, latitude: 41.2468013)
                let other = try Payloads.position(Int64(seq), at: start.iso8601, latitude: 52.1357924)
                return [position, ("fleet/acme/van-8/location", other.payload)]
            })
        func count(_ text: String) throws -> Int {
            let query = """
                SELECT coalesce(sum((length(file) - length(replace(file, '\(text)', ''))) / length('\(text)')), 0)
                FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace,
                    LATERAL (SELECT encode(pg_read_binary_file(pg_relation_filepath(pg_class.oid)), 'escape'))
                        AS f (file)
                WHERE nspname IN ('odograph', 'pg_toast') AND relkind IN ('r', 't', 'i')
                """
            // The files have what is in the memory of the server after a checkpoint.
            try archive.database.records.connection.execute("CHECKPOINT")
            return Int(Double(try archive.rows(query).first?.first ?? "") ?? -1)
        }
        #expect(try count("41.2468013") >= 600 && count("52.1357924") >= 600)
        // The statistics of the planner are made of common values.
        try archive.database.records.connection.execute("ANALYZE")
        func statistics() throws -> [[String]] {
            try archive.rows(
                """
                SELECT tablename, attname FROM pg_stats WHERE schemaname = 'odograph'
                    AND (most_common_vals::text LIKE '%41.2468013%' OR histogram_bounds::text LIKE '%41.2468013%')
                """)
        }
        #expect(try statistics() == [])
        // A reader that began before the erasure is the reason why its rows can still be in the files.
        let reader = try archive.location.openForReading()
        #expect(try reader.firstInteger("SELECT count(*) FROM records") == 1200)
        let erasure = Erasure(.vehicle(try ErasureTests.vehicle(archive)), from: nil, to: nil)
        let eraser = try RecordEraser(archive.location, lockSeconds: 0.3)
        #expect(throws: DatabaseFailure.locked(path: archive.location.description)) { try eraser.erase(erasure) }
        #expect(try count("41.2468013") >= 600)
        reader.rollBack()
        // So is a transaction that writes to another database of the server.
        let writer = try await ServerArchive()
        let other = try PostgreSQLConnection(name: "other", settings: writer.address.settings)
        try other.execute("BEGIN; SELECT pg_current_xact_id()")
        #expect(throws: DatabaseFailure.locked(path: archive.location.description)) { try eraser.erase(erasure) }
        try other.execute("ROLLBACK")
        // Other tests write to the same server.
        let patient = try RecordEraser(archive.location)
        #expect(try patient.erase(erasure).map(\.positions) == [0])
        #expect(try count("41.2468013") == 0)
        #expect(try count("52.1357924") >= 600)
        try archive.store([Payloads.position(2000, at: "2030-01-01T00:00:00Z")])
        #expect(try archive.rows("SELECT count(*) FROM records") == [["601"]])
    }

    @Test("A batch of a recorder waits for an erasure in PostgreSQL, and then knows what is erased")
    func race() async throws {
        // On a server of its own: the open transaction would stop the erasures of other tests.
        let archive = try await ErasureTests.archive(.postgreSQL, on: PostgreSQLServer())
        let vehicle = try ErasureTests.vehicle(archive)
        let message = try Payloads.position(30, at: "2026-11-21T07:31:00Z")
        // The usual limit can end on a busy machine before the test sees the wait.
        try archive.database.records.connection.execute("SET lock_timeout = '5min'")
        // An erasure that is not committed yet.
        let eraser = try archive.location.openForWriting(lockSeconds: 5)
        try eraser.begin()
        try eraser.execute(try #require(eraser.dialect.eraserLock))
        try eraser.execute(
            """
            INSERT INTO erasures (time, fleet, device, by_driver, positions, revisions, events, conflicts, rejected)
            VALUES ('2026-11-22', 'acme', 'van-7', 0, 0, 0, 0, 0, 0);
            INSERT INTO erased_times (vehicle, from_time, to_time)
            VALUES (\(vehicle.key), '2026-11-21T07:00:00Z', '2026-11-21T08:00:00Z')
            """)
        // Only the thread uses the recorder's connection.
        nonisolated(unsafe) let database = archive.database
        async let waiting: Void = onThread { _ = try database.write(Archive.entries([message])) }
        let waits = try await eventually { () -> Bool? in
            let waiting = """
                SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
                WHERE NOT granted AND datname = current_database()
                """
            return try archive.rows(waiting) == [["1"]] ? true : nil
        }
        #expect(waits != nil)
        try eraser.execute("COMMIT")
        try await waiting
        #expect(try archive.rows("SELECT count(*) FROM records WHERE seq = 30") == [["0"]])
        #expect(try archive.rows("SELECT count(*) FROM runs WHERE first = 30") == [["1"]])
    }

    @Test("Whenever an erasure comes, no place of its time is in a table at the end, and all numbers are covered")
    func anyMoment() async throws {
        let server = try await Archive.make(.postgreSQL)
        var random = SplitMix64(seed: 41)
        for round in 0..<40 {
            // Each round has a vehicle of its own on the server, and a file of its own.
            let topic = "fleet/acme/van-\(round)/"
            var messages = try Self.randomDay(on: topic, using: &random)
            messages.shuffle(using: &random)
            let minutes = [Int.random(in: 0...600, using: &random), Int.random(in: 0...600, using: &random)].sorted()
            let (from, to) = (Self.time(minutes[0]), Self.time(minutes[1] + 1))
            let isKnown = Int.random(in: 1...messages.count, using: &random)
            var contents: [[[String]]] = []
            for archive in [try Archive(), server] {
                try archive.store(Array(messages.prefix(isKnown)))
                let vehicle = try archive.history().vehicle(named: "van-\(round)", fleet: "acme")
                let erasure = Erasure(.vehicle(vehicle), from: from, to: to)
                _ = try RecordEraser(archive.location).erase(erasure)
                try archive.store(Array(messages.dropFirst(isKnown)) + messages)
                let key = "vehicle = \(vehicle.key)"
                #expect(
                    try archive.rows(
                        """
                        SELECT count(*) FROM records WHERE \(key) AND kind = 'location'
                            AND time >= '\(from.iso8601)' AND time < '\(to.iso8601)'
                        """) == [["0"]])
                #expect(
                    try archive.rows(
                        """
                        SELECT count(*) FROM timeline_events WHERE \(key) AND start_date < '\(to.iso8601)'
                            AND coalesce(end_date, last_update_date) >= '\(from.iso8601)'
                        """) == [["0"]])
                let payloads = try archive.rows(
                    "SELECT payload FROM records WHERE \(key) UNION ALL SELECT payload FROM conflicts WHERE \(key)")
                let places = payloads.compactMap { DatedContent(payload: $0[0]) }
                #expect(places.count == payloads.count && !places.contains { $0.overlaps(from..<to) }, "round \(round)")
                #expect(try archive.rows("SELECT first, last FROM covered WHERE \(key)") == [["1", "60"]])
                contents.append(
                    try archive.rows("SELECT seq, payload FROM records WHERE \(key) ORDER BY seq")
                        + archive.rows("SELECT event_id, seq FROM timeline_events WHERE \(key)")
                        .sorted { $0.lexicographicallyPrecedes($1) })
            }
            #expect(contents[0] == contents[1], "round \(round)")
        }
    }

    private static func time(_ minute: Int) -> Timestamp {
        instant("2026-11-21T07:00:00Z").advanced(bySeconds: Double(minute) * 60)
    }

    /// Returns 40 positions and 20 revisions of eight events, all of ten hours.
    private static func randomDay(
        on topic: String, using random: inout SplitMix64
    ) throws -> [Archive.Message] {
        func minute() -> Int { Int.random(in: 0...600, using: &random) }
        var messages: [Archive.Message] = []
        for seq in 1...40 {
            messages.append(
                (topic + "location", try Payloads.position(Int64(seq), at: time(minute()).iso8601).payload))
        }
        for seq in 41...60 {
            let (start, end) = (minute(), minute())
            let event = try Payloads.event(
                Int64(seq), "event \(Int.random(in: 1...8, using: &random))", from: time(min(start, end)).iso8601,
                to: Bool.random(using: &random) ? time(max(start, end)).iso8601 : nil,
                meters: Bool.random(using: &random) ? 1000 : nil)
            messages.append((topic + "timeline", event.payload))
        }
        return messages
    }
}
