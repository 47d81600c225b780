import OdographCivilTime
import OdographHarness
import OdographModel
import Testing

@testable import OdographPositioning

/// A simulated drive as a capture and a log of the vehicle's bus.
@Suite("Recordings of simulated drives")
struct DriveRecordingTests {
    private static let begin = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)

    /// The files of a drive of an hour, and the true distance.
    private static func recorded(seed: UInt64, scale: Double = 1) throws -> (capture: String, log: String) {
        var settings = SimulatorSettings(seed: seed, start: SimulatorSettings.usualStart)
        settings.durationSeconds = 3600
        var drive = DriveRecording(settings, startTime: begin, counterScale: scale)
        var (capture, log) = ("", "")
        while let next = try drive.next() {
            capture += next.capture
            log += next.vehicleLog
        }
        return (capture, log)
    }

    private static func distance(seed: UInt64) -> Double {
        var settings = SimulatorSettings(seed: seed, start: SimulatorSettings.usualStart)
        settings.durationSeconds = 3600
        settings.rateHertz = 10
        var simulator = DriveSimulator(settings, startTime: begin)
        while simulator.next() != nil {}
        return simulator.distanceMeters
    }

    @Test("The replay reads both: positions of each second outside tunnels, the vehicle's counter and its speed")
    func replayed() throws {
        let folder = try TemporaryFolder()
        let (capture, log) = try Self.recorded(seed: 3, scale: 1.03)
        _ = try folder.write(capture, to: "drive.jsonl")
        _ = try folder.write(log, to: "drive.log")
        var settings = ReplaySettings(path: folder.file("drive.jsonl"))
        settings.vehicleLogPath = folder.file("drive.log")
        let reader = try CaptureReader(settings)
        var (fixes, signals): ([Fix], [VehicleSignals]) = ([], [])
        while let event = try reader.next() {
            if let fix = event.fix { fixes.append(fix) }
            if case .signals(let signal) = event.content { signals.append(signal) }
        }
        let lines = capture.split(separator: "\n")
        #expect(lines.count == 3601)
        #expect(fixes.count == lines.count { $0.contains("\"mode\":3") })
        #expect((3400..<3601).contains(fixes.count), "a tunnel takes less than 200 s: \(fixes.count)")
        // The last value is at most a second and 5 m old.
        let counter = try #require(signals.compactMap(\.odometerMeters).last)
        #expect(abs(counter - 120_000_000 - 1.03 * Self.distance(seed: 3)) < 45)
        let speeds = signals.compactMap(\.wheelSpeedMetersPerSecond)
        #expect(speeds.contains(0) && (25...35).contains(speeds.max() ?? 0), "\(speeds.max() ?? 0)")
        #expect(Set(signals.compactMap(\.isIgnitionOn)) == [true, false])
    }

    @Test("The same settings give the same bytes, other seeds another drive")
    func reproducible() throws {
        let (first, again) = (try Self.recorded(seed: 5), try Self.recorded(seed: 5))
        #expect(first.capture == again.capture && first.log == again.log)
        #expect(try Self.recorded(seed: 6).log != first.log)
    }
}
