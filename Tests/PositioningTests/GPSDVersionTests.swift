import Glibc
import OdographCivilTime
import OdographHarness
import OdographModel
import OdographTracking
import Testing

@testable import OdographPositioning

/// Recordings of the gpsd of Debian 12, 13 and sid. `Tests/GPSD/check` makes them.
@Suite("The releases of gpsd")
struct GPSDVersionTests {
    /// Those of the simulated drives of `Tests/GPSD/drive.py`.
    private static let recordings = Corpora.projectRoot + "/Tests/GPSD/Recordings"
    /// Those of raw logs, with one line each 4 ms.
    private static let heavyRecordings = getenv("ODOGRAPH_GPSD_RECORDINGS").map { String(cString: $0) }

    private static func files(_ folder: String?) -> [String] {
        guard let folder, let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".log") { names.append("\(folder)/\(name)") }
        }
        return names.sorted()
    }

    /// The speed of the simulated vehicle, m/s.
    private static func speed(_ second: Int) -> Double {
        if second < 55 { return Double(max(0, min(14, second, 14 - 2 * (second - 23)))) }
        return min(12, 1.5 * Double(second - 55))
    }

    @Test(
        "A simulated drive gives one fix a second, with the receiver's own speed and track, and its halt",
        arguments: files(recordings), [true, false])
    func drive(path: String, isClockTrusted: Bool) throws {
        let recording = try GPSDRecording(path: path)
        let outcome = recording.outcome(isClockTrusted: isClockTrusted, followsReceiver: false)
        let start = try #require(Timestamp(iso8601: "2026-11-27T09:00:00Z"))
        let seconds = outcome.fixes.map { Int($0.timestamp.seconds(since: start)) }
        #expect(seconds == Array(seconds[0]..<80) && seconds[0] <= 2)
        // Until the pattern is known, a cycle can end with the speed of the next one.
        for (second, fix) in zip(seconds, outcome.fixes) where second > 12 {
            #expect((fix.headingDegrees != nil) == (Self.speed(second) > 0), "second \(second)")
            let reported = try #require(fix.speedMetersPerSecond)
            #expect(abs(Self.speed(second) - reported) < 0.02, "second \(second): \(reported)")
        }
        #expect(outcome.latestMilliseconds <= 150)
        #expect(outcome.accepted >= 78)
    }

    @Test("The releases agree about a simulated drive, live and as captures", arguments: [true, false])
    func golden(isClockTrusted: Bool) throws {
        let folder = try TemporaryFolder()
        for (log, recordings) in try Self.logs(Self.recordings) {
            let outcomes = recordings.map { $0.outcome(isClockTrusted: isClockTrusted, followsReceiver: false) }
            #expect(outcomes.count == 3)
            #expect(outcomes.allSatisfy { $0.agrees(with: outcomes[0]) }, "\(log): \(outcomes)")
            for (recording, outcome) in zip(recordings, outcomes) {
                let reader = try CaptureReader(
                    ReplaySettings(path: try folder.write(recording.capture, to: "capture")))
                var fixes: [Fix] = []
                while let event = try reader.next() { if let fix = event.fix { fixes.append(fix) } }
                #expect(fixes.map(\.timestamp) == outcome.fixes.map(\.timestamp))
                #expect(fixes.map(\.coordinate) == outcome.fixes.map(\.coordinate))
                #expect(abs(fixes.count { $0.headingDegrees != nil } - outcome.headings) <= 2)
            }
        }
    }

    /// The logs that may differ although gpsd reports the same positions: a release has other error estimates.
    private static let differingLogs = 3

    @Test(
        "The releases agree about the logs of real receivers", .enabled(if: heavyRecordings != nil),
        arguments: [true, false])
    func heavy(isClockTrusted: Bool) throws {
        var (differing, undecoded): ([String], [String]) = ([], [])
        for (log, recordings) in try Self.logs(try #require(Self.heavyRecordings)) {
            let outcomes = recordings.map { $0.outcome(isClockTrusted: isClockTrusted, followsReceiver: true) }
            guard let first = outcomes.first, !outcomes.allSatisfy({ $0.agrees(with: first) }) else { continue }
            let words = zip(recordings, outcomes).map { "\n    \($0.release): \($1)" }
            if outcomes.allSatisfy({ $0.isOfSameReports(as: first) }) {
                differing.append(log + words.joined())
            } else {
                undecoded.append(log + words.joined())
            }
        }
        print("gpsd reports other positions or tracks:", undecoded.joined(separator: "\n"), separator: "\n")
        print("The agent makes something else of them:", differing.joined(separator: "\n"), separator: "\n")
        #expect(differing.count <= Self.differingLogs, "\(differing.count) logs differ")
    }

    private static func logs(_ folder: String) throws -> [(log: String, recordings: [GPSDRecording])] {
        let recordings = try files(folder).map { try GPSDRecording(path: $0) }
        return Dictionary(grouping: recordings, by: \.log).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
