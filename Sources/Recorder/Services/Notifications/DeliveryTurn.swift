/// Decides whose notification of a rule is delivered next, and when. The vehicles take turns, so one with many
/// notifications, or with one that the target cannot take, does not hold up the others.
struct DeliveryTurn: Hashable, Sendable {
    /// A moment of the clock that goes on while the machine sleeps.
    typealias Instant = ContinuousClock.Instant

    /// The key of the vehicle that had the last turn; 0 before the first one.
    private(set) var vehicle: Int64 = 0
    /// When the last turn ended; nil before the first one.
    private(set) var last: Instant?
    /// The number of failed turns since the last success.
    private(set) var failures = 0
    private var resumption: Instant?

    /// Returns whether the target may be tried.
    func isOpen(at now: Instant) -> Bool { resumption.map { $0 <= now } ?? true }

    /// Notes the end of a turn.
    ///
    /// The failure of a single vehicle can be due to its notification: the next vehicle follows at once. If that one
    /// fails, too, the target is away, and all wait.
    /// - Parameters:
    ///   - result: The result of the attempt.
    ///   - vehicle: The key of the vehicle.
    ///   - now: The time.
    ///   - pause: Returns the time until the next attempt after a number of failures.
    mutating func end(
        _ result: DeliveryResult, of vehicle: Int64, at now: Instant, pause: (_ failures: Int) -> Duration
    ) {
        let isOther = vehicle != self.vehicle
        (self.vehicle, last) = (vehicle, now)
        switch result {
        case .delivered, .refused: (failures, resumption) = (0, nil)
        case .failed:
            // Its own next attempt has its own delay.
            guard failures > 0, isOther else { return failures = max(failures, 1) }
            failures += 1
            resumption = now + pause(failures)
        }
    }
}
