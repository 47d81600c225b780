/// The reports of a receiver's last cycles, which show when a cycle is complete.
///
/// At 4800 bits/s the sentences of a cycle are 0.3 s apart and more, so that a short silence is not its end. But most
/// receivers send the same sentences in each cycle, and gpsd the same reports.
struct CyclePattern {
    /// The number of cycles that make a pattern.
    static let length = 10
    /// The longest wait after a report that can be the last, milliseconds.
    static let longestWaitMilliseconds: Int64 = 150
    /// The delay of a report that is expected, beyond the longest pause so far, milliseconds: a busy machine.
    private static let slackMilliseconds: Int64 = 100
    /// The longest wait for the next cycle without a pattern, milliseconds: a slow receiver's positions are shown
    /// before its next one.
    private static let longestUnknownMilliseconds: Int64 = 2000

    /// The cycles whose track came before the receiver's rest that are enough to end a cycle there.
    private static let cyclesToTrustRest = 3

    private var cycles: [CycleArrivals] = []
    /// The number of cycles so far whose track came before the receiver's rest.
    private var cyclesWithTrackBeforeRest = 0

    /// Whether there are enough cycles for a pattern.
    var isKnown: Bool { cycles.count == Self.length }

    /// Adds a cycle after its end.
    mutating func learn(_ cycle: CycleArrivals) {
        if cycles.count == Self.length { cycles.removeFirst() }
        cycles.append(cycle)
        if cycle.hasTrackBeforeRest { cyclesWithTrackBeforeRest += 1 }
    }

    /// Returns the reports of an earlier cycle that belong to it.
    ///
    /// gpsd adds to a cycle also the first sentences of the next one if they have no time: VTG, with the next speed.
    /// The receiver rests before them. But a slow line rests also within a cycle, while it sends sentences that cause
    /// no report. So the rest is the end only if the receiver's own values come before it, which its track shows; a
    /// receiver that halts has none.
    private func content(of cycle: CycleArrivals) -> CycleArrivals.Part {
        guard cyclesWithTrackBeforeRest >= Self.cyclesToTrustRest else { return cycle.all }
        return cycle.beforeRest ?? cycle.all
    }

    /// Returns the time at which a cycle counts as complete if no further report comes, on the monotonic clock; that
    /// of its last position if none is expected.
    func dueUptimeMilliseconds(of cycle: CycleArrivals) -> Int64 {
        guard isKnown else { return cycle.lastUptimeMilliseconds + Self.longestUnknownMilliseconds }
        var (alike, continued) = (0, 0)
        for known in cycles where known.begins(like: cycle) {
            alike += 1
            if content(of: known).positions > cycle.all.positions { continued += 1 }
        }
        if alike > 0, continued == 0 { return cycle.lastPositionUptimeMilliseconds }
        if alike == 0 {
            alike = cycles.count
            continued = cycles.count { content(of: $0).positions > cycle.all.positions }
        }
        let pause = cycles.reduce(0) { max($0, content(of: $1).longestPauseMilliseconds) } + Self.slackMilliseconds
        guard continued * 2 > alike else {
            return cycle.lastPositionUptimeMilliseconds + min(pause, Self.longestWaitMilliseconds)
        }
        return cycle.lastUptimeMilliseconds + pause
    }
}
