import Logging
import Store
import Tracking
import Wire

/// Goes on where the tracker's saved state cannot be read: what it told is in the store still, and stays as it was told.
extension Recorder {
    /// Begins with a tracker that knows nothing but the odometer, as far as that was read, and up to when the timeline is
    /// told.
    func beginAnew() {
        let meters = tracker.odometerMeters
        do {
            // The events that were told have their identifiers by the seed; a record's number is never used twice.
            let newest = try store.assumeIsolated { UInt64(bitPattern: try $0.statistics().newestSeq) }
            let seed = store.identities.seed
            tracker = Tracker(configuration: settings.core, seed: (seed.high &+ newest, seed.low))
            gate = ScheduleGate(schedule: settings.schedule, state: tracker.schedule)
            _ = tracker.handle(.odometer(meters: meters, at: now()))
            try endAbandonedEvents()
        } catch {
            logger.error("the timeline that was told cannot be read: \(error)")
        }
    }

    /// The events that lasted end where they were last heard of.
    func endAbandonedEvents() throws {
        let lasting = try store.assumeIsolated { try $0.timelineEvents(from: .latest, to: .latest).events() }
        guard let last = lasting.map(\.lastUpdateDate).max() else { return }
        let later = try store.assumeIsolated { try $0.timelineUpdates(after: last).events() }
        let events = lasting.compactMap { TimelineEvent($0) }
        let update = later.last?.lastUpdateDate ?? last
        for output in tracker.takeOver(events, lastUpdate: update, at: now()) { dispatch(output) }
    }
}
