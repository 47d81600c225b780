import OdographCivilTime

/// The time after which the silence of a vehicle is news.
///
/// A vehicle that has announced its stop, whose tracking is off, or whose schedule is closed has no limit. A moving one
/// publishes after its longest interval at the latest, so the limit is never shorter than this. A parked one makes a
/// record after its heartbeat interval; without a heartbeat it is silent only if the broker has lost it.
struct SilenceLimit: Hashable, Sendable {
    /// The longest time that a message may need beyond its interval, seconds.
    private static let longestMarginSeconds = 60.0

    /// The limit, seconds.
    let seconds: Double
    /// Since when the vehicle should make records; nil if that is not known.
    private let expectation: Timestamp?

    /// Returns the limit; nil if the vehicle need not report.
    /// - Parameter seconds: The limit of the rule.
    init?(of state: RuleVehicleState, seconds: Double, at now: RuleMoment) {
        guard state.presence != .stopped, !state.isForgotten else { return nil }
        var expectation: Timestamp?
        if let report = state.report {
            guard let since = report.expectation(at: now.date) else { return nil }
            expectation = since
        }
        self.expectation = expectation
        guard state.isMoving != true else {
            let margin = min(Self.longestMarginSeconds, state.movingSeconds / 2)
            self.seconds = max(seconds, state.movingSeconds + margin)
            return
        }
        guard state.heartbeatSeconds > 0 || state.presence == .lost else { return nil }
        self.seconds = seconds + state.heartbeatSeconds
    }

    /// Returns whether a vehicle has been silent for longer.
    func isExceeded(
        by state: RuleVehicleState, at now: RuleMoment, connectedSince connection: ContinuousClock.Instant
    ) -> Bool {
        let since = max(state.lastSign ?? connection, connection)
        var silence = since.duration(to: now.instant) / .seconds(1)
        if let expectation { silence = min(silence, now.date.seconds(since: expectation)) }
        return silence >= seconds
    }
}
