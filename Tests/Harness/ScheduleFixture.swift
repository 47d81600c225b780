public import OdographCivilTime
import OdographCrontab
import OdographGeodesy
import OdographModel
public import OdographTracking

/// Schedules, and a vehicle that drives through them.
public enum ScheduleFixture {
    /// Returns the schedule that a document with these values describes.
    /// - Parameters:
    ///   - minutes: The crontab expression. Nil for always.
    ///   - mode: The rule for positions in the other minutes.
    public static func schedule(
        _ minutes: String?, zone: String = "UTC", off mode: OffScheduleRule.Mode = .stop, tag: String = "off_schedule",
        isOpenBeforeTime: Bool = true
    ) throws -> TrackingSchedule {
        var schedule = TrackingSchedule()
        schedule.expression = try minutes.map { try Schedule($0) }
        schedule.zone = try ZoneDirectory.system.rules(named: zone)
        schedule.offSchedule = OffScheduleRule(mode: mode, tag: tag)
        schedule.isOpenWhileTimeUnknown = isOpenBeforeTime
        return schedule
    }

    /// Parses an instant in ISO 8601.
    public static func time(_ text: String) throws -> Timestamp {
        guard let time = Timestamp(iso8601: text) else { throw HarnessError("\(text) is not a time") }
        return time
    }

    /// Returns the reading when both clocks show an instant in ISO 8601.
    public static func moment(_ text: String) throws -> ClockReading {
        ClockReading(replayed: try time(text))
    }

    /// Returns a drive to the east at 12 m/s with a fix each second.
    /// - Parameter first: The age of the drive at its first fix, seconds.
    public static func drive(from start: String, seconds: Int, atSecond first: Int = 0) throws -> [Fix] {
        let begin = try time(start)
        guard let origin = Coordinate(latitudeDegrees: 40, longitudeDegrees: -3) else { throw HarnessError("no place") }
        return (first..<first + seconds).map { second in
            let time = begin.advanced(bySeconds: Double(second - first))
            let place = origin.destination(headingDegrees: 90, distanceMeters: Double(second) * 12)
            return Fix(
                timestamp: time, received: ClockReading(replayed: time), coordinate: place, accuracyMeters: 4,
                speedMetersPerSecond: 12, headingDegrees: 90)
        }
    }
}
