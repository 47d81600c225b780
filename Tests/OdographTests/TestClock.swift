import OdographCivilTime
import OdographModel
import OdographPositioning
import OdographThreads

/// A clock that a test sets.
final class TestClock: AgentClock {
    private let moment: Lock<ClockReading>

    init(_ moment: ClockReading) { self.moment = Lock(moment) }

    /// Advances both clocks.
    /// - Parameter isTrusted: Whether the system time is trusted from now on; nil leaves it as it is.
    func advance(bySeconds seconds: Double, isTrusted: Bool? = nil) {
        moment.withLock { moment in
            moment.systemTime = moment.systemTime.advanced(bySeconds: seconds)
            moment.uptimeMilliseconds += Int64(seconds * 1000)
            if let isTrusted { moment.isSystemTimeTrusted = isTrusted }
        }
    }

    /// Sets the system time, which is trusted from now on.
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
