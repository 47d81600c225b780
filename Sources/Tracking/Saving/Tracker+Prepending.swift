import OdographCivilTime
import OdographModel

/// The combination of a tracker that began without a saved state with a state that was found later.
extension Tracker {
    /// Continues as if this tracker had begun where an earlier one ended, whose state the agent could not read at its
    /// start.
    ///
    /// The odometer shows the sum of both and of the distance between them, which counts as in any gap. If the odometer
    /// was set meanwhile, the earlier reading does not count. This tracker's timeline does not change. Each open
    /// earlier event ends at its last published update; the time from there to this tracker's first event has no event.
    /// - Parameters:
    ///   - earlier: the earlier tracker.
    ///   - firstFix: the first fix that this tracker believed; nil for none, or where the distance to it must not
    ///     count.
    ///   - isOdometerSet: whether a command has set this tracker's odometer.
    ///   - published: the newest published revision of each open event of the earlier tracker.
    ///   - update: the latest update time that the earlier tracker published; nil for none.
    /// - Returns: the final revisions of the earlier events.
    public mutating func prepend(
        _ earlier: Tracker, firstFix: Fix?, isOdometerSet: Bool, published: [TimelineEvent],
        lastUpdate update: Timestamp?
    ) -> [TrackerOutput] {
        if !isOdometerSet { odometer.add(earlier.odometer, until: firstFix) }
        // Every following update is later than all published ones.
        if let update { timeline.events.emitter.lastUpdate = max(update, timeline.events.emitter.lastUpdate ?? update) }
        return resume(after: published, lastUpdate: update, quality: .exact, seed: (0, 0))
    }
}
