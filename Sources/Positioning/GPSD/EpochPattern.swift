/// The reports of a receiver's last epochs, which show when an epoch is complete.
///
/// At 4800 bits/s the sentences of an epoch are 0.3 s apart and more, so that a short silence is not its end. But most
/// receivers send the same sentences in each epoch, and gpsd the same reports.
struct EpochPattern {
    /// The number of epochs that make a pattern.
    static let length = 10
    /// The longest wait after a report that can be the last, milliseconds.
    static let longestWaitMilliseconds: Int64 = 150
    /// The delay of a report that is expected, beyond the longest pause so far, milliseconds: a busy machine.
    private static let slackMilliseconds: Int64 = 100
    /// The longest wait for the next epoch without a pattern, milliseconds: a slow receiver's positions are shown
    /// before its next one.
    private static let longestUnknownMilliseconds: Int64 = 2000

    /// The epochs whose track came before the receiver's rest that are enough to end an epoch there.
    private static let epochsToTrustRest = 3

    private var epochs: [EpochArrivals] = []
    /// The number of epochs so far whose track came before the receiver's rest.
    private var epochsWithTrackBeforeRest = 0

    /// Whether there are enough epochs for a pattern.
    var isKnown: Bool { epochs.count == Self.length }

    /// Adds an epoch after its end.
    mutating func learn(_ epoch: EpochArrivals) {
        if epochs.count == Self.length { epochs.removeFirst() }
        epochs.append(epoch)
        if epoch.hasTrackBeforeRest { epochsWithTrackBeforeRest += 1 }
    }

    /// Returns the reports of an earlier epoch that belong to it.
    ///
    /// gpsd adds to an epoch also the first sentences of the next one if they have no time: VTG, with the next speed.
    /// The receiver rests before them. But a slow line rests also within an epoch, while it sends sentences that cause
    /// no report. So the rest is the end only if the receiver's own values come before it, which its track shows; a
    /// receiver that halts has none.
    private func content(of epoch: EpochArrivals) -> EpochArrivals.Part {
        guard epochsWithTrackBeforeRest >= Self.epochsToTrustRest else { return epoch.all }
        return epoch.beforeRest ?? epoch.all
    }

    /// Returns the time at which an epoch counts as complete if no further report comes, on the monotonic clock; that
    /// of its last position if none is expected.
    func dueUptimeMilliseconds(of epoch: EpochArrivals) -> Int64 {
        guard isKnown else { return epoch.lastUptimeMilliseconds + Self.longestUnknownMilliseconds }
        var (alike, continued) = (0, 0)
        for known in epochs where known.begins(like: epoch) {
            alike += 1
            if content(of: known).positions > epoch.all.positions { continued += 1 }
        }
        if alike > 0, continued == 0 { return epoch.lastPositionUptimeMilliseconds }
        if alike == 0 {
            alike = epochs.count
            continued = epochs.count { content(of: $0).positions > epoch.all.positions }
        }
        let pause = epochs.reduce(0) { max($0, content(of: $1).longestPauseMilliseconds) } + Self.slackMilliseconds
        guard continued * 2 > alike else {
            return epoch.lastPositionUptimeMilliseconds + min(pause, Self.longestWaitMilliseconds)
        }
        return epoch.lastUptimeMilliseconds + pause
    }
}
