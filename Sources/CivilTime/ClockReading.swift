/// One reading of the machine's two clocks: what an input of the agent is stamped with.
///
/// The system's clock can be wrong (a box without a clock battery starts in 1970) and can jump; the monotonic one only
/// ever goes forward, sleep included, but counts from the machine's start.
public struct ClockReading: Hashable, Sendable, Codable {
    /// What the system's clock said.
    public var systemTime: Timestamp
    /// Milliseconds on the monotonic clock that counts through sleep (`CLOCK_BOOTTIME`); comparable within one boot only.
    public var uptimeMilliseconds: Int64
    /// Whether the system's clock is known to be set: the kernel says it is synchronised, or a source vouches for it.
    public var isSystemTimeTrusted: Bool

    /// - Parameters: as the properties of the same names.
    public init(systemTime: Timestamp, uptimeMilliseconds: Int64, isSystemTimeTrusted: Bool) {
        self.systemTime = systemTime
        self.uptimeMilliseconds = uptimeMilliseconds
        self.isSystemTimeTrusted = isSystemTimeTrusted
    }

    /// The moment of a replayed or simulated instant: both clocks agree with it.
    public init(replayed time: Timestamp) {
        self.init(systemTime: time, uptimeMilliseconds: time.millisecondsSinceEpoch, isSystemTimeTrusted: true)
    }

    /// Seconds since an earlier moment of the same boot.
    public func seconds(since other: ClockReading) -> Double {
        Double(uptimeMilliseconds - other.uptimeMilliseconds) / 1000
    }
}
