import Logging
import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Answers about the past and a real broker")
struct HistoryServiceTests {
    private static let day = #""from":"2026-11-21T00:00:00Z","to":"2026-11-22T00:00:00Z""#

    @Test(
        "Each kind of request gets its answer over MQTT 5 and 3.1.1, and an entry in the log",
        arguments: DatabaseKind.allCases)
    func kinds(_ kind: DatabaseKind) async throws {
        let scene = try await HistoryScene(HistoryPagesTests.day(), in: kind)
        let track = try await scene.answer(
            to: #"{"kind":"track","device":"van-7",\#(Self.day)}"#, id: "q1",
            options: ["-V", "5", "-D", "PUBLISH", "correlation-data", "c-1"])
        #expect(track.count == 1 && track[0].rows.count == 40 && track[0].correlation == "c-1")
        #expect(track[0]["recorder"] == .string("main") && track[0]["count"] == .integer(40) && track[0]["next"] == nil)
        let events = try await scene.answer(
            to: #"{"kind":"timeline","device":"van-7",\#(Self.day)}"#, id: "q2", options: ["-V", "mqttv311"])
        #expect(events.flatMap(\.rows).map { $0["event_id"] } == ["night", "trip", "home"].map { .string($0) })
        let days = try await scene.answer(
            to: #"{"kind":"days","device":"van-7","first_day":"2026-11-20","last_day":"2026-11-23"}"#, id: "q3")
        #expect(days[0]["time_zone"] == .string("Europe/Madrid") && days[0].rows.count == 4)
        let latest = try await scene.answer(to: #"{"kind":"latest"}"#, id: "q4", person: "bob")
        #expect(latest[0].rows.count == 3)
        try await scene.ask(#"{"kind":"track","device":"van-99",\#(Self.day)}"#, id: "q5")
        #expect(try await scene.listener.answer(to: "q5")[0]["code"] == .string("unknown_device"))
        try await scene.stop()
        #expect(
            try scene.entries() == [
                ["ann", "q1", "track", "van-7", "answered", "NULL", "40"],
                ["ann", "q2", "timeline", "van-7", "answered", "NULL", "3"],
                ["ann", "q3", "days", "van-7", "answered", "NULL", "4"],
                ["bob", "q4", "latest", "NULL", "answered", "NULL", "3"],
                ["ann", "q5", "track", "van-99", "refused", "unknown_device", "0"],
            ])
        #expect(
            try scene.archive.rows("SELECT from_time, to_time FROM requests WHERE request = 'q1'")
                == [["2026-11-21T00:00:00.000Z", "2026-11-22T00:00:00.000Z"]])
        #expect(
            scene.log.lines.contains(
                "ann asks q1 about acme/van-7, track from 2026-11-21T00:00:00.000Z to 2026-11-22T00:00:00.000Z: "
                    + "answered, 40 rows"), "\(scene.log.lines)")
    }

    @Test("Alerts are told, and acknowledged in the name of the first person", arguments: DatabaseKind.allCases)
    func alerts(_ kind: DatabaseKind) async throws {
        let since = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)
        let status = try JSONCoder.bytes(
            of: StatusMessage(
                deviceID: "van-7", state: .online, reason: .connected, connection: 1, bootID: "b", runID: "r",
                version: "1.0",
                timestamp: since,
                problems: [
                    Problem(code: .sourceLost, text: "no data", since: since.advanced(bySeconds: -90)),
                    Problem(code: .storeFailed, text: "the disk is full", since: since.advanced(bySeconds: -60)),
                ]))
        let scene = try await HistoryScene([(van + "status", status), ("fleet/beta/van-9/status", status)], in: kind)
        let request = #"{"kind":"alerts","from":"2026-09-21T00:00:00Z","to":"2026-09-22T00:00:00Z"}"#
        let first = try await scene.answer(to: request, id: "q1").flatMap(\.rows)
        #expect(first.map { $0["text"] } == [.string("the disk is full"), .string("no data")])
        #expect(first.allSatisfy { $0["device"] == .string("van-7") && $0["acknowledged_by"] == nil })
        guard case .string(let alert)? = first.first?["id"] else {
            Issue.record("no identifier")
            return
        }
        let wish = #"{"kind":"acknowledge","alerts":["\#(alert)","unknown"]}"#
        let taken = try await scene.answer(to: wish, id: "q2").flatMap(\.rows)
        #expect(taken.map { $0["acknowledged_by"] } == [.string("ann")], "\(scene.log.lines)")
        #expect(taken.first?["acknowledged_at"] != nil)
        let late = try await scene.answer(to: wish, id: "q3", person: "bob").flatMap(\.rows)
        #expect(late == taken)
        let second = try await scene.answer(to: request, id: "q4", person: "bob").flatMap(\.rows)
        #expect(second.map { $0["acknowledged_by"] } == [.string("ann"), nil])
        try await scene.stop()
        #expect(try scene.archive.rows("SELECT count(*) FROM alerts WHERE acknowledged_by IS NOT NULL") == [["1"]])
        #expect(
            try scene.entries() == [
                ["ann", "q1", "alerts", "NULL", "answered", "NULL", "2"],
                ["ann", "q2", "acknowledge", "NULL", "answered", "NULL", "1"],
                ["bob", "q3", "acknowledge", "NULL", "answered", "NULL", "1"],
                ["bob", "q4", "alerts", "NULL", "answered", "NULL", "2"],
            ])
    }

    @Test("A large answer has several bounded parts in order, and continues after its limit without a hole")
    func parts() async throws {
        let count = 3000
        let scene = try await HistoryScene(
            try (1...count).map {
                let second = ($0 % 60).description, minute = ($0 / 60).description
                let time =
                    "2026-11-21T10:\(minute.count < 2 ? "0" : "")\(minute):\(second.count < 2 ? "0" : "")\(second)Z"
                return try Payloads.position(Int64($0), at: time, driver: .string(String(repeating: "x", count: 100)))
            }, keys: "rows: 2000")
        let first = try await scene.answer(to: #"{"kind":"track","device":"van-7",\#(Self.day)}"#, id: "q1")
        #expect(first.count >= 4)
        #expect(first.map { $0["part"] } == (1...first.count).map { .integer(Int64($0)) })
        #expect(first.allSatisfy { $0.bytes <= 128_000 } && first.dropLast().allSatisfy { $0.bytes > 100_000 })
        #expect(first.last?["count"] == .integer(2000))
        guard case .string(let next)? = first.last?["next"] else {
            Issue.record("no continuation")
            return
        }
        let second = try await scene.answer(
            to: #"{"kind":"track","device":"van-7","after":"\#(next)",\#(Self.day)}"#, id: "q2")
        let numbers = (first + second).flatMap(\.rows).map { $0["seq"] }
        #expect(numbers == (1...count).map { .integer(Int64($0)) })
        #expect(second.last?["next"] == nil)
        try await scene.stop()
        #expect(
            try scene.entries().map { $0[4...].joined(separator: " ") } == ["answered NULL 2000", "answered NULL 1000"])
    }

    @Test("A wrong request, a foreign response topic and a long payload are refused, also in the log")
    func refusals() async throws {
        let scene = try await HistoryScene(HistoryPagesTests.day())
        let right = #"{"kind":"latest"}"#
        var expected: [[String]] = []
        for (id, payload, options) in [
            ("q1", "no JSON", []), ("q2", #"{"kind":"track"}"#, []), ("q3", String(repeating: "x", count: 5000), []),
            ("q4", right, ["-D", "PUBLISH", "response-topic", "elsewhere/x"]),
            ("q5", right, ["-D", "PUBLISH", "response-topic", "fleet/history:acme/bob/answer/q5"]),
            ("q6", right, ["-D", "PUBLISH", "correlation-data", String(repeating: "c", count: 1025)]),
        ] {
            let answer = try await scene.answer(to: payload, id: id, options: ["-V", "5"] + options)
            #expect(answer.count == 1 && answer[0]["code"] == .string("invalid"), "\(id)")
            expected.append(["ann", id, "NULL", "NULL", "refused", "invalid", "0"])
        }
        let own = try await scene.answer(
            to: right, id: "q7",
            options: ["-V", "5", "-D", "PUBLISH", "response-topic", "fleet/history:acme/ann/answer/q7"])
        #expect(own[0]["status"] == .string("ok"))
        try await scene.stop()
        #expect(scene.listener.lines.allSatisfy { $0.hasPrefix("fleet/history:acme/ann/answer/") })
        #expect(try scene.entries().dropLast() == expected[...])
    }

    @Test("A retained request, one for another store and one that arrives while the service is away get no answer")
    func ignored() async throws {
        let scene = try await HistoryScene(HistoryPagesTests.day())
        try await scene.ask(#"{"kind":"latest","recorder":"other"}"#, id: "q1")
        #expect(try await scene.answer(to: #"{"kind":"latest","recorder":"main"}"#, id: "q2").count == 1)
        try await scene.stop()
        try await scene.ask(#"{"kind":"latest"}"#, id: "away")
        try await scene.ask(#"{"kind":"latest"}"#, id: "kept", options: ["-r"])
        let log = scene.log
        let second = try HistoryService(
            scene.configuration.recording, scene.configuration.history,
            link: scene.configuration.recording.historyLinkConfiguration(password: nil),
            logger: Logger(label: "test", factory: { _ in log })
        ) { [database = scene.configuration.recording.database] () throws(DatabaseFailure) in
            try HistoryDatabase(database)
        }
        let running = Task { await second.run() }
        let isUp = try await eventually { () -> Bool? in
            try await scene.ask(#"{"kind":"latest"}"#, id: "q3")
            return try scene.listener.parts(of: "q3").isEmpty ? nil : true
        }
        #expect(isUp == true)
        let hasEnded = try await eventually { try scene.entries().allSatisfy { $0[4] != "begun" } ? true : nil }
        #expect(hasEnded == true)
        await second.stop()
        await running.value
        for id in ["q1", "away", "kept"] { #expect(try scene.listener.parts(of: id).isEmpty, "\(id)") }
        #expect(Set(try scene.entries().map { $0[1] }) == ["q2", "q3"])
    }

    @Test("More requests than the limit are refused as too many, with one answer and one entry in the log for a minute")
    func tooMany() async throws {
        let scene = try await HistoryScene(HistoryPagesTests.day(), keys: "requests_per_minute: 1")
        #expect(
            try await scene.answer(to: #"{"kind":"latest"}"#, id: "q1", person: "eve")[0]["status"] == .string("ok"))
        #expect(
            try await scene.answer(to: #"{"kind":"latest"}"#, id: "q2", person: "eve")[0]["code"]
                == .string("too_many"))
        try await scene.ask(#"{"kind":"latest"}"#, id: "q3", person: "eve")
        // Another person is not affected.
        #expect(
            try await scene.answer(to: #"{"kind":"latest"}"#, id: "q4", person: "bob")[0]["status"] == .string("ok"))
        try await scene.stop()
        #expect(try scene.listener.parts(of: "q3", person: "eve").isEmpty)
        #expect(
            try scene.entries() == [
                ["eve", "q1", "latest", "NULL", "answered", "NULL", "3"],
                ["eve", "q2", "NULL", "NULL", "refused", "too_many", "0"],
                ["bob", "q4", "latest", "NULL", "answered", "NULL", "3"],
            ])
    }

    @Test("Without a database the answer is an error without a path, and the service goes on")
    func unavailable() async throws {
        let scene = try await HistoryScene([], isPresent: false)
        for id in ["q1", "q2"] {
            let answer = try await scene.answer(to: #"{"kind":"latest"}"#, id: id)
            #expect(answer[0]["code"] == .string("unavailable"))
        }
        try await scene.stop()
        #expect(!scene.listener.lines.contains { $0.contains(".db") })
        #expect(scene.log.lines.contains { $0.contains("cannot be answered") && $0.contains("absent.db") })
    }

    @Test("While a long answer is read and sent, the recorder commits as before")
    func recordingGoesOn() async throws {
        let count = 6000
        let scene = try await HistoryScene(
            try (1...count).map {
                let time = Timestamp(millisecondsSinceEpoch: 1_795_219_200_000 + Int64($0) * 1000).iso8601
                return try Payloads.position(Int64($0), at: time)
            }, keys: "rows: 100000")
        try await scene.ask(
            #"{"kind":"track","device":"van-7","from":"2026-11-20T00:00:00Z","to":"2026-12-20T00:00:00Z"}"#, id: "q1")
        var slowest = Duration.zero
        var commits = 0
        // The recorder's connection has a lock timeout of 50 ms here, so a longer lock would be an error.
        while !scene.listener.lines.contains(where: { $0.contains("/q1\t") && $0.contains("\"is_last\":true") }) {
            commits += 1
            let message = try Payloads.position(Int64(count + commits), at: "2026-12-24T00:00:00Z")
            let began = ContinuousClock.now
            try scene.archive.store([message])
            slowest = max(slowest, began.duration(to: .now))
            guard commits < 5000 else { break }
        }
        let parts = try await scene.listener.answer(to: "q1")
        try await scene.stop()
        #expect(parts.flatMap(\.rows).count == count && commits > 0)
        #expect(try scene.archive.rows("SELECT count(*) FROM records") == [["\(count + commits)"]])
        print("history: \(commits) commits during an answer of \(parts.count) parts, the slowest took \(slowest)")
    }
}
