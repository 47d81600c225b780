import Odograph
import Wire

/// The newest revision of each of the latest events of a timeline of any length.
struct LatestEvents {
    /// More events than this nobody reads at once.
    private static let capacity = 2000

    private var events: [String: TimelineEventRevision] = [:]
    /// In the order in which they were first heard of; those before `firstKept` are forgotten.
    private var identifiersByArrival: [String] = []
    private var firstRetainedIndex = 0
    /// How many earlier events there were.
    private(set) var omittedCount = 0

    var isEmpty: Bool { events.isEmpty }

    /// By their start.
    var sortedByStart: [TimelineEventRevision] {
        identifiersByArrival[firstRetainedIndex...].compactMap { events[$0] }.sorted { $0.startDate < $1.startDate }
    }

    /// Takes a revision, in place of the one before it. What is withdrawn was none.
    mutating func insert(_ event: TimelineEventRevision) {
        guard event.withdrawn != true else {
            events[event.eventID] = nil
            return
        }
        var event = event
        // The way is drawn from the locations; kept, it would be the most of what is kept.
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
