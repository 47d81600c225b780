import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Alerts")
struct AlertTests {
    private static let start = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)
    private static let times = start.advanced(bySeconds: -86_400)..<start.advanced(bySeconds: 86_400)

    /// A rule for the geofence of the tests, and one for the configuration.
    private static let rules = [
        Rule(name: "depot", condition: .geofence(identifiers: [], events: [.enter]), target: .command(["/bin/true"])),
        Rule(name: "refused", condition: .rejectedConfiguration, target: .command(["/bin/true"])),
    ]

    private static func status(
        _ problems: [Problem]?, connection: Int64 = 1, reason: StatusMessage.Reason = .connected
    ) throws -> [UInt8] {
        try JSONCoder.bytes(
            of: StatusMessage(
                deviceID: "van-7", state: reason == .connected ? .online : .offline, reason: reason,
                connection: connection,
                bootID: "b", runID: "r", version: "1.0", timestamp: start, problems: problems))
    }

    private static func problem(_ code: Problem.Code, minutes: Double = -5) -> Problem {
        Problem(code: code, text: "\(code.rawValue) at the vehicle", since: start.advanced(bySeconds: minutes * 60))
    }

    private static func alerts(in archive: Archive, device: String? = nil) throws -> [StoredAlert] {
        try archive.history().alerts(fleet: "acme", device: device, in: times, after: nil, limit: 1000)
    }

    private static func rows(_ archive: Archive) throws -> [[String: JSONValue]] {
        let database = try archive.history()
        var pages: any HistoryPages = try AlertPages(fleet: "acme", device: nil, times: times, after: nil)
        return try pages.read(from: database, limit: 1000).rows.compactMap {
            if case .object(let row) = try JSONCoder.decode(JSONValue.self, from: $0) { row } else { nil }
        }
    }

    @Test("What rules find is an alert: an event once, an episode until it ends", arguments: DatabaseKind.allCases)
    func ofRules(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.database.begin(Self.rules)
        let enter = try Payloads.location(1, isGeofence: true)
        try archive.store([(van + "geofence", enter), (van + "geofence", enter)])
        let refusal = ReportedConfigurationError(topic: "t", path: "x", value: nil, message: "is wrong")
        func report(_ errors: [ReportedConfigurationError], at second: Int64) throws -> [UInt8] {
            var message = try JSONCoder.decode(ReportedMessage.self, from: Payloads.reported([], at: second))
            message.errors = errors
            return try JSONCoder.bytes(of: message)
        }
        try archive.store([(van + "reported", try report([refusal], at: 10))])
        var alerts = try Self.alerts(in: archive)
        #expect(alerts.map(\.kind) == ["rejected_configuration", "geofence"])
        #expect(alerts.map(\.isOpen) == [true, false] && alerts.allSatisfy { $0.end == nil })
        #expect(alerts.map(\.text).last == "van-7 of acme entered depot" && alerts.map(\.rule).last == "depot")
        try archive.store([(van + "reported", try report([], at: 20))])
        alerts = try Self.alerts(in: archive)
        #expect(alerts.count == 2 && alerts.allSatisfy { !$0.isOpen } && alerts.first?.end != nil)
        // A rule that is removed leaves no open alert.
        try archive.store([(van + "reported", try report([refusal], at: 30))])
        #expect(try Self.alerts(in: archive).filter(\.isOpen).count == 1)
        try archive.database.begin([])
        #expect(try Self.alerts(in: archive).filter(\.isOpen).isEmpty)
    }

    @Test(
        "A problem is an alert from its status to the status without it; a last will says nothing about it",
        arguments: DatabaseKind.allCases)
    func ofProblems(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        let (lost, full) = (Self.problem(.sourceLost), Self.problem(.storeFailed, minutes: 60))
        try archive.store([(van + "status", try Self.status([lost, full]))])
        try archive.store([(van + "status", try Self.status([lost, full], connection: 2))])
        var alerts = try Self.alerts(in: archive)
        #expect(alerts.map(\.kind) == ["problem", "problem"] && alerts.allSatisfy { $0.isOpen && $0.rule == nil })
        // A time that is ahead of the recorder's is that of the recorder.
        #expect(alerts.map(\.time) == [Self.start.iso8601, lost.since.iso8601])
        #expect(alerts.map(\.text) == ["store_failed at the vehicle", "source_lost at the vehicle"])
        try archive.store([(van + "status", try Self.status(nil, connection: 2, reason: .connectionLost))])
        #expect(try Self.alerts(in: archive).allSatisfy(\.isOpen))
        try archive.store([(van + "status", try Self.status([lost], connection: 3))])
        alerts = try Self.alerts(in: archive)
        #expect(alerts.map(\.isOpen) == [false, true] && alerts.first?.end == Self.start.iso8601)
        // The same one again, later, is another one.
        try archive.store([(van + "status", try Self.status(nil, connection: 4, reason: .stopped))])
        try archive.store([(van + "status", try Self.status([Self.problem(.sourceLost, minutes: -1)], connection: 5))])
        #expect(try Self.alerts(in: archive).count == 3)
    }

    @Test("An alert with a date from a wrong clock counts from its reception", arguments: DatabaseKind.allCases)
    func future(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.database.begin(Self.rules)
        try archive.store([Payloads.position(1, at: "9999-12-31T23:59:59Z", geofence: "depot")])
        #expect(try Self.alerts(in: archive).map(\.time) == [Self.start.iso8601])
    }

    @Test("A vehicle with many alerts displaces only its own", arguments: DatabaseKind.allCases)
    func bound(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.database.begin(Self.rules)
        try archive.store([("fleet/acme/van-8/geofence", try Payloads.location(1, isGeofence: true))])
        try archive.store(
            try (1...300).map { (van + "geofence", try Payloads.location(Int64($0), isGeofence: true)) })
        #expect(try Self.alerts(in: archive, device: "van-8").count == 1)
        let flood = try Self.alerts(in: archive, device: "van-7")
        #expect(flood.count == AlertTable.maximumOfVehicle)
        #expect(flood.first?.time == Self.start.advanced(bySeconds: 300).iso8601)
    }

    @Test(
        "Of private time an alert tells neither a place nor its beginning and end",
        arguments: [
            // kind, time, end; the answer: nil for nothing, else the end.
            ("geofence", 99, nil, true, nil), ("geofence", 100, nil, false, nil), ("overspeed", 150, nil, false, nil),
            ("driving", 199, nil, false, nil), ("geofence", 200, nil, true, nil), ("overspeed", 50, 200, true, nil),
            ("overspeed", 50, 100, true, nil), ("overspeed", 50, 150, true, nil), ("overspeed", 50, 99, true, 99),
            ("overspeed", 50, 201, true, 201), ("problem", 150, 300, true, 300), ("silent", 150, 180, true, nil),
        ] as [(String, Double, Double?, Bool, Double?)])
    func privacy(kind: String, time: Double, end: Double?, isTold: Bool, told: Double?) {
        func text(_ second: Double) -> String { Self.start.advanced(bySeconds: second).iso8601 }
        let alert = StoredAlert(
            key: 1, identifier: "a", vehicle: ArchivedVehicle(key: 1, fleet: "acme", device: "van-7", timeZone: nil),
            kind: kind, rule: nil, time: text(time), isOpen: false, end: end.map(text), text: "t", acknowledgement: nil)
        let span = Self.start.advanced(bySeconds: 100)...Self.start.advanced(bySeconds: 200)
        let disclosed = AlertPrivacy.disclosed(alert, [span])
        #expect((disclosed != nil) == isTold)
        #expect(disclosed?.end == told.map(text))
    }

    @Test(
        "In a backlog, an alert ends when the vehicle says so, and the next one begins after it",
        arguments: DatabaseKind.allCases)
    func backlog(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.database.begin([
            Rule(
                name: "fast", condition: .overspeed(speed: 25, seconds: 2), target: .command(["/bin/true"]),
                lateSeconds: 1e9)
        ])
        // Faster for 5 s, slow, faster again.
        try archive.store(
            try [30, 33.1, 30, 31, 30, 5, 30, 30, 30].enumerated().map { second, speed in
                var message = try JSONCoder.decode(LocationMessage.self, from: Payloads.location(Int64(second + 1)))
                message.location.coords.speed = speed
                return (van + "location", try JSONCoder.bytes(of: message))
            })
        let alerts = try Self.alerts(in: archive)
        #expect(alerts.map(\.isOpen) == [true, false])
        #expect(alerts.last?.end == Self.start.advanced(bySeconds: 6).iso8601 && alerts.first?.end == nil)
        #expect(alerts.last?.text == "van-7 of acme was faster than 90 km/h, up to 119 km/h")
    }

    @Test("An alert of a certificate says whose it is", arguments: DatabaseKind.allCases)
    func certificates(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.database.begin([
            Rule(name: "ends", condition: .certificate(days: 45), target: .command(["/bin/true"]))
        ])
        var report = try JSONCoder.decode(ReportedMessage.self, from: Payloads.reported([], at: 0))
        let soon = Timestamp.now.advanced(bySeconds: 86_400)
        report.certificates = CertificateEnds(vehicle: soon, broker: soon, authority: soon)
        try archive.store([(van + "reported", try JSONCoder.bytes(of: report))])
        // The recorder looks when it has been connected for long enough.
        try archive.database.tick(connectedSince: .now - .seconds(3600), gaps: nil)
        let alerts = try archive.history().alerts(
            fleet: "acme", device: nil, in: .now.advanced(bySeconds: -3600)..<soon, after: nil, limit: 10)
        let owners = Set(alerts.map { $0.row["certificate"] })
        #expect(owners == [.string("vehicle"), .string("broker"), .string("authority")])
    }

    @Test("An answer has no alert of a private drive that lasts, also if the alert is the newest thing")
    func openDrive() async throws {
        let archive = try Archive()
        try archive.database.begin(Self.rules)
        try archive.store([(van + "geofence", try Payloads.location(500, isGeofence: true))])
        #expect(try Self.rows(archive).count == 1)
        let begin = Self.start.advanced(bySeconds: 100).iso8601
        try archive.store([Payloads.event(900, "private", from: begin, to: nil, meters: 700, isPrivate: true)])
        #expect(try Self.rows(archive).isEmpty)
        // What comes after it ends it.
        let next = Self.start.advanced(bySeconds: 500).iso8601
        try archive.store([Payloads.event(901, "stop", from: next, to: nil)])
        #expect(try Self.rows(archive).count == 1)
    }

    @Test("An answer has no alert of a drive in private time, and no coordinates", arguments: DatabaseKind.allCases)
    func disclosure(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.database.begin(Self.rules)
        try archive.store([
            (van + "geofence", try Payloads.location(1, isGeofence: true)),
            (van + "geofence", try Payloads.location(500, isGeofence: true)),
            (van + "status", try Self.status([Self.problem(.sourceLost)])),
        ])
        #expect(try Self.rows(archive).count == 3)
        let event = try Payloads.event(
            900, "private", from: Self.start.advanced(bySeconds: 100).iso8601,
            to: Self.start.advanced(bySeconds: 900).iso8601, meters: 700, isPrivate: true)
        try archive.store([event])
        let rows = try Self.rows(archive)
        #expect(rows.map { $0["kind"] } == [.string("geofence"), .string("problem")])
        #expect(rows.first?["time"] == .string(Self.start.advanced(bySeconds: 1).iso8601))
        let keys = Set(rows.flatMap(\.keys))
        #expect(keys == ["id", "device", "kind", "rule", "time", "text", "is_open"])
    }

    @Test("An erasure and the retention remove alerts", arguments: DatabaseKind.allCases)
    func removal(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.database.begin(Self.rules)
        for device in ["van-7", "van-8"] {
            try archive.store([("fleet/acme/\(device)/geofence", try Payloads.location(1, isGeofence: true))])
        }
        let remover = try OldRecordRemover(archive.location)
        for vehicle in try remover.vehicles() { try remover.removeReferences(of: vehicle, before: Self.start) }
        #expect(try Self.alerts(in: archive).count == 2)
        let key = try #require(try archive.history().vehicles(fleet: "acme", device: "van-8").first?.key)
        try remover.removeReferences(of: key, before: Self.start.advanced(bySeconds: 2))
        let rest = try Self.alerts(in: archive)
        #expect(rest.map(\.vehicle.device) == ["van-7"])
        let vehicle = try #require(rest.first?.vehicle)
        _ = try RecordEraser(archive.location).erase(Erasure(.vehicle(vehicle), from: nil, to: nil))
        #expect(try archive.rows("SELECT count(*) FROM alerts") == [["0"]])
    }
}
