import OdographCivilTime

/// One reading of the machine's two clocks, the time stamp of each input of the agent.
///
/// The system clock can be wrong (a device without a clock battery starts in 1970) and can jump. The monotonic clock
/// only advances, also during sleep, but counts from the machine's start.
public struct ClockReading: Hashable, Sendable, Codable {
    /// The time of the system clock.
    public var systemTime: Timestamp
    /// Milliseconds of the monotonic clock that includes sleep (`CLOCK_BOOTTIME`). Comparable within one boot only.
    public var uptimeMilliseconds: Int64
    /// Whether the system clock is known to be set: the kernel reports it as synchronised, or a source confirms it.
    public var isSystemTimeTrusted: Bool

    private enum CodingKeys: String, CodingKey { case systemTime, uptimeMilliseconds, isSystemTimeTrusted }

    /// Creates a reading from its parts.
    public init(systemTime: Timestamp, uptimeMilliseconds: Int64, isSystemTimeTrusted: Bool) {
        self.systemTime = systemTime
        self.uptimeMilliseconds = uptimeMilliseconds
        self.isSystemTimeTrusted = isSystemTimeTrusted
    }

    /// Creates the reading for a replayed or simulated time: both clocks show it.
    public init(replayed time: Timestamp) {
        self.init(systemTime: time, uptimeMilliseconds: time.millisecondsSinceEpoch, isSystemTimeTrusted: true)
    }

    /// Returns the seconds since an earlier reading of the same boot.
    public func seconds(since other: ClockReading) -> Double {
        Double(uptimeMilliseconds - other.uptimeMilliseconds) / 1000
    }
}
