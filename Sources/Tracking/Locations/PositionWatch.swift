import OdographCivilTime
import OdographModel

/// Decides whether a vehicle that moves has no position: an antenna is cut, a receiver is broken or covered.
///
/// A parked vehicle in an underground car park has no position either, and that is no fault.
struct PositionWatch: Equatable, Sendable, Codable {
    /// The time without a position of a vehicle that moved when last seen, seconds: few tunnels take longer.
    private static let longestSeconds = 300.0
    /// The same if the source says that it has none, while the wheels turn or the ignition is on, seconds: the way
    /// under a bridge takes less.
    private static let drivingSeconds = 10.0

    /// The evidence that a position is missing.
    enum Need: Equatable {
        /// The vehicle was parked when last seen, and nothing says that it is used.
        case none
        /// The vehicle moved when last seen, or is used, or the receiver gives positions that are rejected.
        case later
        /// The vehicle is used, and the source says that it has no position.
        case now

        /// The longest time without a position, seconds; nil for any.
        fileprivate var longestSeconds: Double? {
            switch self {
            case .none: nil
            case .later: PositionWatch.longestSeconds
            case .now: PositionWatch.drivingSeconds
            }
        }
    }

    /// The time of the monotonic clock from which there is no position, milliseconds; nil before the first input.
    private var sinceUptimeMilliseconds: Int64?
    /// The rejected positions since the last one that was believed, whose reason does not pass by itself.
    private var rejections = 0
    /// The reason of the newest of them.
    private var rejection: FixFilter.Rejection?
    /// Whether the position is lost.
    private(set) var isLost = false
    /// The time at which the position is lost if none comes; nil for never.
    private(set) var due: Timestamp?

    /// The rejected positions after which the receiver and the machine are in contradiction: a parked vehicle that has
    /// one position in some minutes may have a wrong one among them.
    private static let rejectionsToDoubt = 30

    /// The reason for which positions are rejected, also those of a parked vehicle; nil if it is not lasting.
    var lastingRejection: FixFilter.Rejection? { rejections >= Self.rejectionsToDoubt ? rejection : nil }

    /// Notes a position that was rejected.
    mutating func noteRejection(_ reason: FixFilter.Rejection) {
        guard reason.isLasting else { return }
        (rejection, rejections) = (reason, rejections + 1)
    }

    /// Notes a position of the present.
    mutating func notePosition(at moment: ClockReading) {
        self = PositionWatch()
        sinceUptimeMilliseconds = moment.uptimeMilliseconds
    }

    /// Notes that the time has come at which the position is lost.
    mutating func markLost() {
        (isLost, due) = (true, nil)
    }

    /// Decides at the end of an input.
    /// - Parameter now: the tracker's time at the moment.
    mutating func update(_ need: Need, at moment: ClockReading, now: Timestamp) {
        let since = sinceUptimeMilliseconds ?? moment.uptimeMilliseconds
        sinceUptimeMilliseconds = since
        (isLost, due) = (false, nil)
        guard let longest = need.longestSeconds else { return }
        let rest = longest - Double(moment.uptimeMilliseconds - since) / 1000
        if rest > 0 { due = now.advanced(bySeconds: rest) } else { isLost = true }
    }

    /// Continues in another boot of the machine, whose monotonic clock is another one. The time in which the machine
    /// was off does not count.
    mutating func handleReboot(at moment: ClockReading) {
        let elapsed = isLost ? Self.longestSeconds : 0
        sinceUptimeMilliseconds = moment.uptimeMilliseconds - Int64(elapsed * 1000)
        due = nil
    }
}
