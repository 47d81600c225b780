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
        /// The vehicle moved when last seen, or is used, or its receiver and its clock contradict each other.
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
    /// The positions whose dates the machine's trusted clock contradicts, and that were rejected for that, since the
    /// last one that was believed, and since the source had none.
    private var contradictions = 0
    /// The date of the newest of them.
    private var contradictingDate: Timestamp?
    /// Whether the position is lost.
    private(set) var isLost = false
    /// The time at which the position is lost if none comes; nil for never.
    private(set) var due: Timestamp?

    /// The number of contradicting dates after which the receiver or the clock needs a correction: a parked vehicle
    /// that has one position in some minutes may have a wrong one among them.
    private static let contradictionsToDoubt = 30

    /// Whether receiver and machine have contradicted each other for long.
    var areDatesRejected: Bool { contradictions >= Self.contradictionsToDoubt }

    /// Notes a position that was rejected because of its date. A receiver that repeats its last position and date
    /// without a view of the sky contradicts nothing.
    mutating func noteContradiction(_ date: Timestamp) {
        if let contradictingDate, date <= contradictingDate { return }
        (contradictingDate, contradictions) = (date, contradictions + 1)
    }

    /// Notes that the source has no position.
    mutating func noteNoPosition() { (contradictingDate, contradictions) = (nil, 0) }

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
        noteNoPosition()
        let elapsed = isLost ? Self.longestSeconds : 0
        sinceUptimeMilliseconds = moment.uptimeMilliseconds - Int64(elapsed * 1000)
        due = nil
    }
}
