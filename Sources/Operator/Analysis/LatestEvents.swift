import Odograph
import OdographWire

/// The newest revision of each of the latest events of a timeline of any length.
struct LatestEvents {
    /// The maximum number of events. A reader cannot use more at once.
    private static let capacity = 2000

    private var events: [String: TimelineEventRevision] = [:]
    /// Identifiers in order of arrival. Those before `firstRetainedIndex` are forgotten.
    private var identifiersByArrival: [String] = []
    private var firstRetainedIndex = 0
    /// The number of earlier events that were removed at capacity.
    private(set) var omittedCount = 0

    var isEmpty: Bool { events.isEmpty }

    /// The events, ordered by start.
    var sortedByStart: [TimelineEventRevision] {
        identifiersByArrival[firstRetainedIndex...].compactMap { events[$0] }.sorted { $0.startDate < $1.startDate }
    }

    /// Inserts a revision in place of the previous one. A withdrawn event is removed.
    mutating func insert(_ event: TimelineEventRevision) {
        guard event.withdrawn != true else {
            if events.removeValue(forKey: event.eventID) != nil,
                let index = identifiersByArrival.lastIndex(of: event.eventID)
            {
                identifiersByArrival.remove(at: index)
            }
            return
        }
        var event = event
        // The page draws the track from the locations. Waypoints would use most of the memory.
        event.waypoints = nil
        if events.updateValue(event, forKey: event.eventID) == nil { identifiersByArrival.append(event.eventID) }
        guard identifiersByArrival.count - firstRetainedIndex > Self.capacity else { return }
        if events.removeValue(forKey: identifiersByArrival[firstRetainedIndex]) != nil { omittedCount += 1 }
        firstRetainedIndex += 1
        if firstRetainedIndex > Self.capacity {
            identifiersByArrival.removeFirst(firstRetainedIndex)
            firstRetainedIndex = 0
        }
    }
}
