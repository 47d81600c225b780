import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("The rule service")
struct ServiceRuleTests {
    private static let start = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)
    private static let vehicle = RuleVehicle(key: 7, fleet: "acme", device: "van-7")

    private static func rule(_ interval: ServiceInterval) -> Rule {
        Rule(name: "r", condition: .service(interval), target: .command(["/bin/true"]))
    }

    /// Returns a record. Distances are kilometres.
    private static func record(
        _ seq: Int64, at seconds: Double, odometer: Double = 0, own: Double? = nil, engineSpeed: Double? = nil,
        ignition: Bool? = nil, tag: String? = nil
    ) -> LocationEvent {
        var event = LocationEvent(
            uuid: "u\(seq)", epoch: 3, seq: seq, timestamp: start.advanced(bySeconds: seconds), age: 0,
            isMoving: true, odometer: odometer * 1000, odometerError: 0,
            coords: LocationCoordinates(latitude: 40, longitude: -3, accuracy: 4, speed: 10, heading: -1),
            activity: ActivityReading(type: .inVehicle, confidence: 90))
        event.tag = tag
        if own != nil || engineSpeed != nil || ignition != nil {
            event.vehicle = VehicleReading(
                odometer: own.map { $0 * 1000 }, ignition: ignition, engineSpeed: engineSpeed, source: .obd, age: 0)
        }
        return event
    }

    private func texts(_ engine: inout RuleEngine, _ events: [LocationEvent]) -> [String] {
        events.flatMap { event in
            let now = RuleMoment(date: event.timestamp, instant: .now)
            return engine.handle(event, of: Self.vehicle, at: now).notifications.map(\.text)
        }
    }

    @Test(
        "A service is due at each interval of the odometer after the last one",
        arguments: [
            ([10_000, 19_999, 20_000, 20_001, 39_999, 40_000], 20_000, 0, [20_000, 40_000]),
            ([118_000, 147_999, 148_000], 30_000, 118_000, [148_000]),
            // The rule is new, and the service was due before.
            ([55_000, 55_001], 20_000, 0, [40_000]),
            // A small step back is no new odometer. The count of another odometer begins again.
            ([20_000, 19_990, 20_010], 20_000, 0, [20_000]), ([45_000, 0, 20_000], 20_000, 0, [40_000, 20_000]),
        ] as [([Double], Int, Int, [Int])])
    func distance(readings: [Double], interval: Int, from: Int, expected: [Int]) {
        var engine = RuleEngine(rules: [Self.rule(.kilometers(interval, from: from))])
        let events = readings.enumerated().map { Self.record(Int64($0), at: Double($0) * 60, odometer: $1) }
        let found = texts(&engine, events)
        let due = found.map { String(($0.split(separator: "due at ").last ?? "").prefix { $0.isNumber }) }
        #expect(due == expected.map { "\($0)" })
        #expect(found.allSatisfy { $0.hasPrefix("van-7 of acme needs a service") })
    }

    @Test("The vehicle's own odometer counts as soon as a record has it, and the agent's does not after it")
    func ownOdometer() {
        var engine = RuleEngine(rules: [Self.rule(.kilometers(20_000, from: 0))])
        let events = [
            Self.record(1, at: 0, odometer: 100, own: 19_000), Self.record(2, at: 60, odometer: 30_000),
            Self.record(3, at: 120, odometer: 101, own: 20_000),
        ]
        #expect(
            texts(&engine, events) == ["van-7 of acme needs a service: due at 20000 km, its odometer is at 20000 km"])
    }

    @Test("A record of private use, an older one and a simulated one trigger nothing; the next one does")
    func quiet() {
        var engine = RuleEngine(rules: [Self.rule(.kilometers(20_000, from: 0))])
        var mock = Self.record(3, at: 180, odometer: 20_000)
        mock.mock = true
        let events = [
            Self.record(1, at: 60, odometer: 10_000), Self.record(2, at: 120, odometer: 20_000, tag: "private"), mock,
            Self.record(4, at: 100, odometer: 20_000),
        ]
        #expect(texts(&engine, events) == [])
        #expect(texts(&engine, [Self.record(5, at: 240, odometer: 20_001)]).count == 1)
    }

    @Test(
        "The engine's time is the time between records in which it runs, at most ten minutes each",
        arguments: [
            // From 3 of 4 hours on, in steps of 5 minutes: due after an hour.
            (Array(repeating: 800.0, count: 30), 300.0, [12]), (Array(repeating: 0, count: 30), 300, []),
            // Nobody knows what the engine did in an hour without a record.
            (Array(repeating: 800, count: 30), 3600, []),
            (Array(repeating: [800, 0], count: 20).flatMap { $0 }, 300, []),
        ] as [([Double], Double, [Int])])
    func engineTime(speeds: [Double], step: Double, expected: [Int]) {
        var engine = RuleEngine(rules: [Self.rule(.engineHours(4, used: 3))])
        let found = speeds.indices.filter { index in
            let event = Self.record(Int64(index), at: Double(index) * step, engineSpeed: speeds[index])
            return !texts(&engine, [event]).isEmpty
        }
        #expect(found == expected)
    }

    @Test("The ignition counts if there is no engine speed, and private use counts too")
    func ignition() {
        var engine = RuleEngine(rules: [Self.rule(.engineHours(1, used: 0))])
        let events = (0...12).map {
            Self.record(Int64($0), at: Double($0) * 300, ignition: true, tag: $0 < 12 ? "private" : nil)
        }
        #expect(texts(&engine, events) == ["van-7 of acme needs a service: due after 1 h, its engine has run for 1 h"])
    }

    @Test("A restart neither repeats a service nor forgets the engine's time", arguments: DatabaseKind.allCases)
    func restart(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        let rules = [
            Self.rule(.engineHours(1, used: 0)),
            Rule(name: "km", condition: .service(.kilometers(10, from: 0)), target: .command(["/bin/true"])),
        ]
        // The records end now: an hour and a quarter, with restarts.
        let origin = Timestamp.now.advanced(bySeconds: -4500)
        for index in 0...15 {
            if index % 4 == 0 { try archive.database.begin(rules) }
            var event = Self.record(Int64(index) + 1, at: 0, odometer: Double(index), engineSpeed: 700)
            event.timestamp = origin.advanced(bySeconds: Double(index) * 300)
            let payload = try JSONCoder.bytes(of: LocationMessage(deviceID: "van-7", location: event))
            try archive.database.write(Archive.entries([(van + "location", payload)], received: .now))
        }
        #expect(
            try archive.rows("SELECT rule, subject, mark FROM rule_episodes ORDER BY rule, subject")
                // Four restarts lose the time to the next record: 12 of 15 intervals of 5 minutes remain.
                == [["km", "", "10"], ["r", "", "1"], ["r", "engine", "3600000"]])
        #expect(
            try archive.rows("SELECT rule, is_open FROM alerts ORDER BY rule").map { $0[0] } == ["km", "r"])
        #expect(try archive.rows("SELECT count(*) FROM notifications") == [["2"]])
    }
}
