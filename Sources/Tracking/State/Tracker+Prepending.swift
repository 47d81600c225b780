import CivilTime
import OdographModel

/// A tracker that began without a saved state, and the state that was found later.
extension Tracker {
    /// Goes on as if this tracker had begun where an earlier one ended: the agent could not read the earlier state when it started,
    /// measured on its own, and can read it now.
    ///
    /// The odometer shows the sum of both and of the way between them, which counts as the way through any gap in the positions does.
    /// Chance errors add by their squares, and errors that are alike in every leg add as they are. Where the odometer was set meanwhile,
    /// the earlier reading no longer matters. The timeline of this tracker stays as it was told. Each earlier event that was told to last
    /// ends where it was told last; the time from there to the first event of this tracker stays without an event.
    ///
    /// - Parameters:
    ///   - earlier: The earlier tracker.
    ///   - first: The first fix that this tracker believed. Nil where it believed none, or where the way to it is not to count.
    ///   - isOdometerSet: Whether this tracker's odometer was set by a command.
    ///   - told: The newest revision of each event that the earlier tracker told to last.
    ///   - update: The latest update time that the earlier tracker told. Nil for none.
    /// - Returns: The final revisions of the earlier events.
    public mutating func prepend(
        _ earlier: Tracker, firstFix: Fix?, isOdometerSet: Bool, published: [TimelineEvent],
        lastUpdate update: Timestamp?
    ) -> [TrackerOutput] {
        if !isOdometerSet { odometer.add(earlier.odometer, until: firstFix) }
        // Every update from here on is later than all that were told.
        if let update { timeline.events.emitter.lastUpdate = max(update, timeline.events.emitter.lastUpdate ?? update) }
        return resume(after: published, lastUpdate: update, quality: .exact, seed: (0, 0))
    }
}
