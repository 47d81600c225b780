import CivilTime
import OdographModel
import Positioning
import Threads

/// Clocks that a test sets.
final class TestClock: AgentClock {
    private let moment: Lock<ClockReading>

    init(_ moment: ClockReading) { self.moment = Lock(moment) }

    /// Both clocks go on; what is set may be believed from now on, or not.
    func advance(bySeconds seconds: Double, isTrusted: Bool? = nil) {
        moment.withLock { moment in
            moment.systemTime = moment.systemTime.advanced(bySeconds: seconds)
            moment.uptimeMilliseconds += Int64(seconds * 1000)
            if let isTrusted { moment.isSystemTimeTrusted = isTrusted }
        }
    }

    /// Somebody sets the clock.
    func set(_ time: Timestamp) {
        moment.withLock { moment in
            moment.systemTime = time
            moment.isSystemTimeTrusted = true
        }
    }

    func now() -> ClockReading { moment.withLock { $0 } }

    func sleep(untilUptimeMilliseconds uptimeMilliseconds: Int64) async throws {
        while now().uptimeMilliseconds < uptimeMilliseconds { try await Task.sleep(for: .milliseconds(2)) }
        try Task.checkCancellation()
    }
}
