import OdographCivilTime
import OdographHarness
import OdographModel
import OdographVehicleBus
import Testing

@testable import OdographPositioning

/// Logs of candump beside a capture.
@Suite("Logs of the vehicle's bus")
struct VehicleLogTests {
    private static let begin: Int64 = 1_790_000_000_000

    /// A capture with a position each second, at a fixed place.
    private static func capture(seconds: Int) -> String {
        (0..<seconds).map { second in
            let time = Timestamp(millisecondsSinceEpoch: begin + Int64(second) * 1000)
            return
                #"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"\#(time)","lat":40.4,"lon":-3.7,"eph":4,"speed":0}"#
        }.joined(separator: "\n") + "\n"
    }

    /// A log of a bus with 36 km/h, ten times a second.
    private static func log(from first: Int, to last: Int) -> String {
        var text = ""
        for step in first * 10..<last * 10 {
            let bus = J1939Frames(
                wheelSpeedMetersPerSecond: 10, odometerMeters: 1000 + Double(step), engineRevolutionsPerMinute: 1000,
                fuelLevel: 0.5, batteryVolts: 27)
            let time = Timestamp(millisecondsSinceEpoch: begin + Int64(step) * 100)
            for frame in bus.fast + (step % 10 == 0 ? bus.slow : []) {
                text += CandumpLine(time: time, interface: "can0", frame: frame).text + "\n"
            }
        }
        return text
    }

    private static func events(_ folder: TemporaryFolder, resumeAfter ordinal: Int64 = 0) throws -> [SourceEvent] {
        var settings = ReplaySettings(path: folder.file("drive.jsonl"), resumeAfterOrdinal: ordinal)
        settings.vehicleLogPath = folder.file("drive.log")
        let reader = try CaptureReader(settings)
        var events: [SourceEvent] = []
        while let event = try reader.next() { events.append(event) }
        return events
    }

    @Test("Signals and positions come in the order of time, and the same in every run")
    func order() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(Self.capture(seconds: 60), to: "drive.jsonl")
        _ = try folder.write(Self.log(from: 10, to: 90), to: "drive.log")
        let events = try Self.events(folder)
        let times = events.map(\.receivedAt.systemTime)
        #expect(times == times.sorted())
        #expect(events.map(\.ordinal) == (1...Int64(events.count)).map { $0 })
        #expect(events.compactMap(\.fix).count == 60)
        let signals = events.compactMap { if case .signals(let signals) = $0.content { signals } else { nil } }
        #expect((45...60).contains(signals.count))
        #expect(signals.allSatisfy { $0.source == .j1939 })
        // A speed of 10 m/s is believed after 8 s.
        #expect(signals.last?.wheelSpeedMetersPerSecond.map { abs($0 - 10) < 0.01 } == true)
        #expect(try Self.events(folder) == events)
        #expect(try Self.events(folder, resumeAfter: 50) == Array(events.dropFirst(50)))
    }

    @Test("A file of another kind is an error that names it")
    func otherFile() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(Self.capture(seconds: 100), to: "drive.jsonl")
        _ = try folder.write(Self.capture(seconds: 100), to: "drive.log")
        #expect(throws: CaptureError.notAVehicleLog(path: folder.file("drive.log"))) { try Self.events(folder) }
        let other = try TemporaryFolder()
        _ = try other.write(Self.capture(seconds: 1), to: "drive.jsonl")
        let error = #expect(throws: CaptureError.vehicleLogNotFound(path: other.file("drive.log"))) {
            try Self.events(other)
        }
        #expect(error?.description.contains("candump -l") == true)
    }

    @Test("A byte order mark before the first line costs no frame")
    func byteOrderMark() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(Self.capture(seconds: 60), to: "drive.jsonl")
        let log = Self.log(from: 10, to: 90)
        _ = try folder.write(log, to: "drive.log")
        let events = try Self.events(folder)
        _ = try folder.write("\u{FEFF}" + log, to: "drive.log")
        #expect(try Self.events(folder) == events)
    }

    @Test("Damaged lines between frames are skipped")
    func damagedLines() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(Self.capture(seconds: 60), to: "drive.jsonl")
        let damaged = Self.log(from: 0, to: 60).split(separator: "\n").map { "\($0)\nnoise\n(1.5) can0\n" }.joined()
        _ = try folder.write(damaged, to: "drive.log")
        let signals = try Self.events(folder).count { if case .signals = $0.content { true } else { false } }
        #expect((50...65).contains(signals))
    }
}
