import OdographModel
import OdographTracking

/// Decides when the battery is read.
struct BatteryPoll {
    /// The time between two battery readings, milliseconds. The kernel's gauge needs minutes for a percent.
    private static let intervalMilliseconds: Int64 = 60_000

    let reader: BatteryReader
    private(set) var readUptimeMilliseconds: Int64?

    /// Reads the battery if that is due.
    /// - Returns: The input for the tracker. nil if there is none, and on a machine that never had a battery.
    mutating func input(at moment: ClockReading, uptimeMilliseconds: Int64) -> TrackerInput? {
        if let read = readUptimeMilliseconds, uptimeMilliseconds - read < Self.intervalMilliseconds { return nil }
        let isFirst = readUptimeMilliseconds == nil
        readUptimeMilliseconds = uptimeMilliseconds
        let battery = reader.battery()
        return battery == nil && isFirst ? nil : .battery(battery, at: moment)
    }
}
