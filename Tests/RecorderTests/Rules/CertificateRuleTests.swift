import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("The rule certificate")
struct CertificateRuleTests {
    private static let start = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)
    private static let day = 86_400.0
    private static let rule = Rule(
        name: "r", condition: .certificate(days: 45), target: .command(["/bin/true"]), notifiesEnd: true)
    private let origin = ContinuousClock.now

    private func moment(_ seconds: Double) -> RuleMoment {
        RuleMoment(date: Self.start.advanced(bySeconds: seconds), instant: origin + .seconds(seconds))
    }

    private static func vehicle(_ key: Int64) -> RuleVehicle {
        RuleVehicle(key: key, fleet: key < 100 ? "acme" : "other", device: "van-\(key)")
    }

    private static func after(_ days: Double) -> Timestamp { start.advanced(bySeconds: days * day) }

    private static func report(_ ends: CertificateEnds, at second: Int64 = 0) throws -> ReportedMessage {
        var report = try JSONCoder.decode(ReportedMessage.self, from: Payloads.reported([], at: second))
        report.certificates = ends
        return report
    }

    private func texts(_ engine: inout RuleEngine, at seconds: Double) -> [String] {
        engine.findCertificates(at: moment(seconds), connectedSince: origin).notifications.map(\.text)
    }

    @Test("A certificate triggers once from the days before its end on, and a new one ends that")
    func vehicleCertificate() throws {
        var engine = RuleEngine(rules: [Self.rule])
        let ends = CertificateEnds(vehicle: Self.after(50))
        _ = engine.handle(try Self.report(ends), of: Self.vehicle(7), at: moment(0))
        let days = (0...60).filter { !texts(&engine, at: Double($0) * Self.day + 60).isEmpty }
        #expect(days == [5])
        let renewed = CertificateEnds(vehicle: Self.after(400))
        let report = try Self.report(renewed, at: Int64(61 * Self.day))
        _ = engine.handle(report, of: Self.vehicle(7), at: moment(61 * Self.day))
        let changes = engine.findCertificates(at: moment(61 * Self.day), connectedSince: origin)
        #expect(changes.notifications.map(\.phase) == [.end])
        #expect(changes.notifications.first?.text == "van-7 of acme has a certificate that is valid until 2027-10-26")
    }

    @Test(
        "The sentence names the certificate and the day",
        arguments: [
            (CertificateEnds(vehicle: after(10)), ["van-7 of acme has a certificate that ends on 2026-10-01"]),
            (CertificateEnds(vehicle: after(-1)), ["van-7 of acme has a certificate that ended on 2026-09-20"]),
            (CertificateEnds(broker: after(10)), ["van-7 of acme sees a broker whose certificate ends on 2026-10-01"]),
            (
                CertificateEnds(authority: after(10)),
                ["van-7 of acme trusts an authority whose certificate ends on 2026-10-01"]
            ),
            (CertificateEnds(vehicle: after(46), broker: after(46), authority: after(46)), []), (CertificateEnds(), []),
        ])
    func sentences(ends: CertificateEnds, expected: [String]) throws {
        var engine = RuleEngine(rules: [Self.rule])
        _ = engine.handle(try Self.report(ends), of: Self.vehicle(7), at: moment(0))
        // Until the broker has sent its retained messages, what the database has can be old.
        #expect(engine.findCertificates(at: moment(20), connectedSince: origin).isEmpty)
        #expect(engine.findCertificates(at: moment(60), connectedSince: nil).isEmpty)
        #expect(texts(&engine, at: 60) == expected)
        #expect(texts(&engine, at: 65) == [])
    }

    @Test("The certificate of the broker triggers once for each fleet, and not while a vehicle knows a later one")
    func shared() throws {
        var engine = RuleEngine(rules: [Self.rule])
        for key: Int64 in [1, 2, 3, 101, 102] {
            _ = engine.handle(
                try Self.report(CertificateEnds(vehicle: Self.after(400), broker: Self.after(10))),
                of: Self.vehicle(key), at: moment(0))
        }
        #expect(texts(&engine, at: 60).count == 2)
        #expect(texts(&engine, at: 65).isEmpty)
        // One vehicle of each fleet has connected since the renewal.
        for key: Int64 in [2, 101] {
            _ = engine.handle(
                try Self.report(CertificateEnds(broker: Self.after(400)), at: 100),
                of: Self.vehicle(key), at: moment(100))
        }
        let changes = engine.findCertificates(at: moment(100), connectedSince: origin)
        #expect(changes.notifications.map(\.phase) == [.end, .end] && engine.episodes.isEmpty)
        #expect(texts(&engine, at: 105).isEmpty)
    }

    @Test(
        "A report of the database has its certificates, and an alert is open until the renewal",
        arguments: DatabaseKind.allCases)
    func stored(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        func report(at second: Int64, _ end: Timestamp) throws -> [UInt8] {
            guard
                case .object(var members) = try JSONCoder.decode(
                    JSONValue.self, from: Payloads.reported([], at: second))
            else { throw HarnessError("no object") }
            members["certificates"] = .object(["vehicle": .string(end.iso8601), "later": .integer(1)])
            return try JSONCoder.bytes(of: JSONValue.object(members))
        }
        // The time of this machine counts.
        let end = Timestamp.now.advanced(bySeconds: 10 * Self.day)
        try archive.database.write(Archive.entries([(van + "reported", try report(at: 0, end))], received: .now))
        try archive.database.begin([Self.rule])
        let connection = ContinuousClock.now - .seconds(60)
        try archive.database.tick(connectedSince: connection, gaps: nil)
        try archive.database.tick(connectedSince: connection, gaps: nil)
        #expect(try archive.rows("SELECT rule, kind, subject FROM rule_episodes") == [["r", "certificate", "vehicle"]])
        #expect(
            try archive.rows("SELECT kind, subject, is_open FROM alerts").map { $0.prefix(2) } == [
                ["certificate", "vehicle"]
            ])
        #expect(try archive.rows("SELECT count(*) FROM notifications") == [["1"]])
        let renewed = try report(at: 10, end.advanced(bySeconds: 300 * Self.day))
        try archive.database.write(Archive.entries([(van + "reported", renewed)], received: .now))
        try archive.database.tick(connectedSince: connection, gaps: nil)
        #expect(try archive.rows("SELECT count(*) FROM rule_episodes") == [["0"]])
        #expect(try archive.rows("SELECT count(*) FROM alerts WHERE end_time IS NOT NULL") == [["1"]])
    }
}
