import CivilTime
import Geodesy
import Testing
import Tracking
import Wire

@testable import Odograph

/// Schedules as a document says them, and a vehicle that drives through them.
enum ScheduleFixture {
    static func settings(_ text: String) throws -> TrackingSettings {
        var reader = SettingsReader(try JSON5Parser.value(of: Array(text.utf8)), path: "tracking")
        let settings = TrackingSettings(&reader)
        #expect(reader.finished() == [])
        return settings
    }

    static func time(_ text: String) throws -> Timestamp {
        try #require(Timestamp(iso8601: text))
    }

    static func moment(_ text: String) throws -> Moment {
        Moment(replayed: try time(text))
    }

    /// A drive to the east at 12 m/s with a fix a second.
    static func drive(from start: String, seconds: Int, atSecond first: Int = 0) throws -> [Fix] {
        let begin = try time(start)
        return try (first..<first + seconds).map { second in
            let time = begin.advanced(bySeconds: Double(second - first))
            return Fix(
                timestamp: time, received: Moment(replayed: time),
                coordinate: try #require(
                    Coordinate(latitudeDegrees: 40, longitudeDegrees: -3 + Double(second) * 12 / 85_394)),
                accuracyMeters: 4, speedMetersPerSecond: 12, headingDegrees: 90)
        }
    }
}

/// A gate and a tracker behind it, as the recorder has them.
struct GatedTracker {
    var gate: ScheduleGate
    var tracker: Tracker

    init(_ settings: TrackingSettings) {
        gate = ScheduleGate(schedule: settings.schedule)
        tracker = Tracker(configuration: settings.core, seed: (1, 2))
    }

    mutating func handle(_ input: TrackerInput) -> [TrackerOutput] {
        var outputs: [TrackerOutput] = []
        for change in gate.advance(to: input.moment) {
            outputs += tracker.handle(.schedule(change.state, at: change.moment))
        }
        return outputs + tracker.handle(input)
    }
}

extension TrackerOutput {
    var location: TrackedLocation? { if case .record(.location(let location)) = self { location } else { nil } }
    var event: TimelineEvent? { if case .record(.timeline(let event)) = self { event } else { nil } }
}
