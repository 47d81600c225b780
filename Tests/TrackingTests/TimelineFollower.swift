import OdographCivilTime
import OdographHarness
import Testing

@testable import OdographTracking

/// A consumer of the timeline: inserts new events, replaces known ones by newer revisions, removes withdrawn ones.
struct TimelineFollower {
    private(set) var known: [TimelineEventID: TimelineEvent] = [:]
    /// The events in the order of their first revisions.
    private var order: [TimelineEventID] = []
    private(set) var newest: TimelineEvent?

    /// The events that the consumer shows.
    var shown: [TimelineEvent] { order.compactMap { known[$0] }.filter { !$0.isWithdrawn }.inTime }

    /// Handles the revisions of one input.
    mutating func take(_ batch: [TimelineEvent], _ what: String) {
        guard !batch.isEmpty else { return }
        for event in batch {
            #expect(newest.map { $0.lastUpdate < event.lastUpdate } ?? true, "\(what): \(event)")
            let before = known[event.id]
            #expect(event.revision == (before?.revision ?? 0) + 1, "\(what): \(event)")
            #expect(before?.isProvisional ?? true, "\(what): \(event) after its last")
            #expect(before.map { $0.start == event.start } ?? true, "\(what): \(event)")
            #expect(event.end.map { $0 >= event.start } ?? event.isProvisional, "\(what): \(event)")
            if event.isWithdrawn {
                #expect(before != nil, "\(what): \(event) was never told")
                #expect(event.kind == .unknown && event.end == event.start && !event.isProvisional)
            }
            if before == nil { order.append(event.id) }
            known[event.id] = event
            newest = event
        }
        let shown = self.shown
        for (earlier, later) in zip(shown, shown.dropFirst()) where earlier.end != nil || earlier.start >= later.start {
            #expect(earlier.end == later.start, "\(what): \(earlier) then \(later)")
        }
        #expect(shown.count { $0.end == nil } <= 1, "\(what)")
        let open = shown.filter {
            $0.isProvisional && $0.end != nil && $0.durationSeconds <= PublishedInterval.longestPlausibleGapSeconds
        }
        #expect(open.count <= 1, "\(what): \(open)")
    }
}
