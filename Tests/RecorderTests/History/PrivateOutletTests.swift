import Odograph
import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographOperator
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Private use in each way out of the recorder")
struct PrivateOutletTests {
    /// The kinds of rules about where and how a vehicle drives.
    private static let drivingKinds: Set<RuleKind> = [.geofence, .overspeed, .driving, .beacon, .tow]

    /// Rules of all kinds.
    private static let rules: [Rule] = {
        let conditions: [RuleCondition] = [
            .silent(seconds: 60), .geofence(identifiers: [], events: [.enter, .exit]),
            .overspeed(speed: 20, seconds: 1), .geofenceOverspeed(identifiers: []), .driving,
            .beacon(identifiers: [], events: [.enter, .exit]), .tow, .rejectedConfiguration, .gap(seconds: 0),
            .noPosition(seconds: 60),
        ]
        return conditions.enumerated().map {
            Rule(name: "r\($0)", condition: $1, target: .command(["/bin/true"]), notifiesEnd: true)
        }
    }()

    /// A recorder with rules of all kinds and a relay, which got the messages as the vehicle sent them.
    private static func archive(_ kind: DatabaseKind, _ scene: PrivateScene) async throws -> Archive {
        let archive = try await Archive.make(kind)
        try archive.database.begin(rules)
        try archive.database.beginRelay()
        try record(scene, in: archive)
        return archive
    }

    private static func record(_ scene: PrivateScene, in archive: Archive) throws {
        let lost = Problem(code: .positionLost, text: "no position", since: scene.events[0].start)
        let status = StatusMessage(
            deviceID: "van-7", state: .online, reason: .connected, connection: 1, bootID: "b", runID: "r",
            version: "1.0",
            timestamp: scene.end, problems: [lost])
        var report = try JSONCoder.decode(ReportedMessage.self, from: Payloads.reported([], timeZone: "UTC"))
        report.errors = [ReportedConfigurationError(topic: "t", path: "x", value: nil, message: "is wrong")]
        let received =
            scene.sent.map { ($0.time.advanced(byMilliseconds: 1500), $0.message) } + [
                (scene.end, (van + "status", try JSONCoder.bytes(of: status))),
                (scene.end, (van + "reported", try JSONCoder.bytes(of: report))),
            ]
        try archive.database.write(received.flatMap { Archive.entries([$1], received: $0) })
        let gap = OpenGap(vehicle: 1, epoch: 7, numbers: 100_000...100_001)
        for _ in 0..<2 { try archive.database.tick(connectedSince: .now - .seconds(90_000), gaps: [gap]) }
    }

    /// A computed text has neither a place nor a time of private use.
    private func expectNothingPrivate(_ text: String, _ scene: PrivateScene, _ outlet: String) {
        for time in scene.secretTimes {
            #expect(!text.contains(time.iso8601), "\(outlet)")
            #expect(!text.contains(ZoneRules.utc.offsetTime(at: time)), "\(outlet)")
            #expect(!text.contains("\(time.millisecondsSinceEpoch / 1000)"), "\(outlet)")
        }
        for name in scene.secretNames { #expect(!text.contains(name), "\(outlet)") }
        #expect(!text.contains("\(PrivateScene.privateLatitude)"), "\(outlet)")
    }

    /// A text with positions has the times of recorded ones, and no other time. In private time none was recorded.
    private func expectPositionsOnly(_ text: String, _ scene: PrivateScene, _ outlet: String) {
        let recorded = Set(scene.positions.map(\.time.iso8601))
        let told = Set(text.matches(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#).map { String($0.output) })
        #expect(!told.isEmpty && told.isSubset(of: recorded), "\(outlet): \(told.subtracting(recorded))")
        #expect(!text.contains("Secret"), "\(outlet)")
    }

    /// A revision goes on as it came: one of private time then has its times, and neither place nor driver.
    private func expectRevisions(_ lines: [String], _ scene: PrivateScene, _ outlet: String) {
        let revisions = lines.filter { $0.contains("\"event_id\"") }
        #expect(revisions.count == scene.events.count, "\(outlet)")
        let marked = revisions.filter { $0.contains("\"is_private\":true") }
        let count = scene.events.count { $0.use == .privateTime || $0.use == .privateTimeWithTag }
        #expect(marked.count == count && count > 0, "\(outlet)")
        for word in ["latitude", "venue", "waypoints", "driver", "Secret"] {
            #expect(!marked.contains { $0.contains(word) }, "\(outlet): \(word)")
        }
    }

    private func expectAlerts(_ rows: [[String: JSONValue]], _ scene: PrivateScene) -> Set<String> {
        var kinds: Set<String> = []
        for row in rows {
            let kind = row["kind"]?.text ?? ""
            kinds.insert(kind)
            let times = ["time", "end"].compactMap { row[$0]?.text }.compactMap { Timestamp(iso8601: $0) }
            if RuleKind(rawValue: kind).map(Self.drivingKinds.contains) == true {
                #expect(times.first.map(scene.publicTimes.contains) == true, "\(row)")
                // Also not at the beginning of private use, which the last position before it can have.
                #expect(times.first.map(scene.isPrivate) == false, "\(row)")
            }
            #expect(row["position"] == nil && row["latitude"] == nil)
        }
        return kinds
    }

    @Test(
        "No query, export, alert, notification, relay or metric tells more of private use than its sums",
        arguments: [(DatabaseKind.sqlite, 0..<12 as Range<UInt64>), (.postgreSQL, 100..<101)])
    func outlets(kind: DatabaseKind, seeds: Range<UInt64>) async throws {
        var (alertKinds, notificationKinds): (Set<String>, Set<RuleKind>) = ([], [])
        for seed in seeds {
            let scene = try PrivateScene(seed: seed, events: 60, isOpen: seed % 2 == 1)
            let archive = try await Self.archive(kind, scene)
            try exports(of: archive, scene)
            try positions(of: archive, scene)
            let rows = try answers(of: archive, scene)
            alertKinds.formUnion(expectAlerts(rows, scene))
            for payload in try archive.rows("SELECT payload FROM notifications").map({ $0[0] }) {
                let notification = try JSONCoder.decode(RuleNotification.self, from: Array(payload.utf8))
                notificationKinds.insert(notification.when)
                expectNothingPrivate(payload, scene, "notification")
                if Self.drivingKinds.contains(notification.when) {
                    #expect(scene.publicTimes.contains(notification.time), "seed \(seed): \(payload)")
                }
            }
            let status = try RecorderStatus(of: archive.location)
            let metrics = RecorderMetrics(counters: RecorderCounters().current(), status: status, date: .now).text
            expectNothingPrivate(status.text + String(describing: try status.json()) + metrics, scene, "status")
        }
        // The checks find what is public.
        #expect(alertKinds.isSuperset(of: Self.drivingKinds.map(\.rawValue) + ["problem"]), "\(alertKinds)")
        #expect(notificationKinds.isSuperset(of: Self.drivingKinds), "\(notificationKinds)")
        #expect(notificationKinds.isSuperset(of: [.rejectedConfiguration, .gap, .noPosition]), "\(notificationKinds)")
    }

    private func exports(of archive: Archive, _ scene: PrivateScene) throws {
        let history = try archive.history()
        let vehicle = try history.vehicle(named: "van-7", fleet: nil)
        let times = instant("2026-11-20T00:00:00Z")..<scene.end.advanced(bySeconds: 86_400)
        for format in ExportFormat.allCases {
            var bytes: [UInt8] = []
            let count = try RecordExport(vehicle, in: times, as: format).write(from: history) { bytes += $0 }
            let text = String(decoding: bytes, as: UTF8.self)
            if format == .jsonl {
                #expect(count == scene.messages.count)
                expectRevisions(text.split(separator: "\n").map(String.init), scene, "jsonl")
            } else {
                #expect(count == scene.positions.count)
                expectPositionsOnly(text, scene, format.rawValue)
            }
        }
    }

    private func positions(of archive: Archive, _ scene: PrivateScene) throws {
        let history = try archive.history()
        for hasPayload in [true, false] {
            let latest = try history.latestPositions(fleet: nil, hasPayload: hasPayload)
            #expect(latest.map { $0.position?.time } == [scene.positions.last?.time.iso8601])
            expectSecretsAbsent(LatestPosition.table(latest), scene, "latest")
            if hasPayload { expectSecretsAbsent(try LatestPosition.jsonLines(latest), scene, "latest") }
        }
        var bodies: [String] = []
        while true {
            let page = try archive.database.relayPage()
            bodies += page.records.compactMap { TraccarMessage.body(of: $0.payload, identifier: $0.device) }
                .map { String(decoding: $0, as: UTF8.self) }
            guard let end = page.end else { break }
            try archive.database.moveRelay(to: end, in: page, relayed: page.records.count, refused: 0)
        }
        #expect(bodies.count == scene.positions.count)
        expectPositionsOnly(bodies.joined(), scene, "relay")
    }

    /// A text has no time that only private time has.
    private func expectSecretsAbsent(_ text: String, _ scene: PrivateScene, _ outlet: String) {
        let recorded = Set(scene.positions.map(\.time))
        for time in scene.secretTimes where !recorded.contains(time) {
            #expect(!text.contains(time.iso8601) && !text.contains(time.iso8601.prefix(19)), "\(outlet)")
        }
        #expect(!text.contains("Secret"), "\(outlet)")
    }

    /// Checks the answers of the history.
    /// - Returns: The alerts.
    private func answers(of archive: Archive, _ scene: PrivateScene) throws -> [[String: JSONValue]] {
        let history = try archive.history()
        let times = instant("2026-11-20T00:00:00Z")..<scene.end.advanced(bySeconds: 86_400)
        var alerts: [[String: JSONValue]] = []
        let days = (first: CivilDate(year: 2026, month: 11, day: 20), last: CivilDate(year: 2026, month: 11, day: 30))
        let queries: [HistoryRequest.Query] = [
            .track(device: "van-7", times: times), .timeline(device: "van-7", times: times), .latest,
            .days(device: "van-7", first: days.first, last: days.last), .alerts(device: "van-7", times: times),
        ]
        for query in queries {
            var pages = try HistoryRequest(query).pages(of: "acme", within: HistorySettings(), in: history)
            var rows: [String] = []
            while true {
                let page = try pages.read(from: history, limit: 50)
                rows += page.rows.map { String(decoding: $0, as: UTF8.self) }
                if page.next == nil { break }
            }
            try check(rows, of: HistoryRequest(query).kind, scene)
            if case .alerts = query {
                alerts = try rows.map { try JSONCoder.decode([String: JSONValue].self, from: Array($0.utf8)) }
            }
        }
        return alerts
    }

    private func check(_ rows: [String], of kind: String, _ scene: PrivateScene) throws {
        #expect(!rows.isEmpty, "\(kind)")
        let text = rows.joined(separator: "\n")
        switch kind {
        case "track":
            #expect(rows.count == scene.positions.count)
            expectPositionsOnly(text, scene, kind)
        case "timeline": expectRevisions(rows, scene, kind)
        case "latest": expectSecretsAbsent(text, scene, kind)
        default: expectNothingPrivate(text, scene, kind)
        }
    }

    @Test("The same holds for the answers over the broker, also to an acknowledgement")
    func broker() async throws {
        let scene = try PrivateScene(seed: 7, events: 60)
        let desk = try await HistoryScene([])
        try desk.archive.database.begin(Self.rules)
        try Self.record(scene, in: desk.archive)
        let times = #""from":"2026-11-20T00:00:00.000Z","to":"2026-11-30T00:00:00.000Z""#
        var alerts: [[String: JSONValue]] = []
        for (kind, members) in [
            ("track", #","device":"van-7",\#(times)"#), ("timeline", #","device":"van-7",\#(times)"#), ("latest", ""),
            ("days", #","device":"van-7","first_day":"2026-11-20","last_day":"2026-11-30""#), ("alerts", ",\(times)"),
        ] {
            let parts = try await desk.answer(to: #"{"kind":"\#(kind)"\#(members)}"#, id: kind)
            let rows = parts.flatMap(\.rows)
            if kind == "alerts" { alerts = rows }
            try check(try rows.map { try JSONCoder.string(of: JSONValue.object($0)) }, of: kind, scene)
        }
        #expect(expectAlerts(alerts, scene).count > 3)
        let names = alerts.prefix(50).compactMap { $0["id"]?.text }.map { "\"\($0)\"" }.joined(separator: ",")
        let parts = try await desk.answer(to: #"{"kind":"acknowledge","alerts":[\#(names)]}"#, id: "done")
        #expect(expectAlerts(parts.flatMap(\.rows), scene).count > 3)
        try await desk.stop()
    }
}
