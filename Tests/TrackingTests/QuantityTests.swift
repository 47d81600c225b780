import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing
@testable import OdographTracking

@Suite("The values of a fix")
struct QuantityTests {
    private static func fix(
        accuracy: Double? = nil, speed: Double? = nil, speedAccuracy: Double? = nil, heading: Double? = nil,
        altitude: Double? = nil
    ) throws -> Fix {
        let time = Timestamp(millisecondsSinceEpoch: 1_795_000_000_000)
        return Fix(
            timestamp: time, received: ClockReading(replayed: time),
            coordinate: try #require(Coordinate(latitudeDegrees: 40, longitudeDegrees: -3)), accuracyMeters: accuracy,
            speedMetersPerSecond: speed, speedAccuracyMetersPerSecond: speedAccuracy, headingDegrees: heading,
            altitudeMeters: altitude, ellipsoidalAltitudeMeters: altitude)
    }

    static let absurd = [1e308, -1e308, .infinity, -.infinity, .nan, .greatestFiniteMagnitude, -1e9, 1e9]

    @Test("An impossible value becomes unknown, an impossible error estimate becomes the largest", arguments: absurd)
    func beyond(value: Double) throws {
        let fix = try Self.fix(
            accuracy: value, speed: value, speedAccuracy: value, heading: value, altitude: value)
        #expect(fix.speedMetersPerSecond == nil && fix.headingDegrees == nil)
        #expect(fix.altitudeMeters == nil && fix.ellipsoidalAltitudeMeters == nil)
        #expect(fix.accuracyMeters == (value > 0 ? 20_037_509 : nil))
        #expect(fix.speedAccuracyMetersPerSecond == (value > 0 ? 1000 : nil))
    }

    @Test(
        "The bounds themselves are valid", arguments: [(-12_000.0, 0.0), (100_000, 1000), (8848.86, 515)])
    func bounds(altitude: Double, speed: Double) throws {
        let fix = try Self.fix(speed: speed, altitude: altitude)
        #expect(fix.altitudeMeters == altitude && fix.speedMetersPerSecond == speed)
        #expect(try Self.fix(altitude: altitude.nextUp).altitudeMeters == (altitude == 100_000 ? nil : altitude.nextUp))
    }

    @Test(
        "A direction is normalized to 0 up to 360 degrees",
        arguments: [(0.0, 0.0), (359.9, 359.9), (360, 0), (-90, 270), (720, 0), (-1e-300, 0), (450, 90)])
    func directions(degrees: Double, expected: Double) throws {
        #expect(try Self.fix(heading: degrees).headingDegrees == expected)
    }

    @Test("A decoded fix has the same bounds")
    func saved() throws {
        let good = try Self.fix(accuracy: 4, speed: 12, speedAccuracy: 0.4, heading: 90, altitude: 667)
        let text = String(decoding: try JSONEncoder().encode(good), as: UTF8.self)
        #expect(try JSONDecoder().decode(Fix.self, from: Data(text.utf8)) == good)
        let parts = text.split(separator: ":667", omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        let fix = try JSONDecoder().decode(Fix.self, from: Data(parts.joined(separator: ":1e308").utf8))
        #expect(fix.altitudeMeters == nil && fix.ellipsoidalAltitudeMeters == nil)
        #expect(fix.speedMetersPerSecond == 12)
    }

    @Test("A battery's level is clamped to 0 to 1", arguments: [(-1.0, 0.0), (.nan, 0), (.infinity, 1), (0.5, 0.5)])
    func battery(level: Double, expected: Double) {
        #expect(Battery(level: level, isCharging: false).level == expected)
    }

    @Test("A journal with changed bytes causes no trap and gives finite readings", arguments: UInt64(0)..<60)
    func changedJournal(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var journal = InputJournal()
        for second in 0..<40 {
            var fix = try Self.fix(
                accuracy: 4, speed: 12, speedAccuracy: 0.4, heading: 90, altitude: 667.123456789)
            fix.timestamp = fix.timestamp.advanced(bySeconds: Double(second))
            fix.received = ClockReading(replayed: fix.timestamp)
            _ = journal.append(.fix(fix))
            if second % 10 == 0 { _ = journal.append(.odometer(meters: 0.1 + Double(second), at: fix.received)) }
        }
        for _ in 0..<50 {
            var bytes = [0, 0, 0] + journal.bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let entry = try? InputJournalEntry(bytes: bytes) else { continue }
            var tracker = Tracker(configuration: TrackingConfiguration(), seed: (1, 2))
            for input in entry.inputs.readable { _ = tracker.handle(input) }
            #expect(tracker.odometerMeters.isFinite && tracker.odometerErrorMeters.isFinite)
        }
    }
}
