import Wire

/// The newest revision of each of the latest events of a timeline of any length.
struct EventCollection {
    /// More events than this nobody reads at once.
    private static let capacity = 2000

    private var events: [String: TimelineEventRevision] = [:]
    /// In the order in which they were first heard of; those before `firstKept` are forgotten.
    private var order: [String] = []
    private var firstKept = 0
    /// How many earlier events there were.
    private(set) var omitted = 0

    var isEmpty: Bool { events.isEmpty }

    /// By their start.
    var inOrder: [TimelineEventRevision] {
        order[firstKept...].compactMap { events[$0] }.sorted { $0.startDate < $1.startDate }
    }

    /// Takes a revision, in place of the one before it. What is withdrawn was none.
    mutating func keep(_ event: TimelineEventRevision) {
        guard event.withdrawn != true else {
            events[event.eventID] = nil
            return
        }
        var event = event
        // The way is drawn from the locations; kept, it would be the most of what is kept.
        event.waypoints = nil
        if events.updateValue(event, forKey: event.eventID) == nil { order.append(event.eventID) }
        guard order.count - firstKept > Self.capacity else { return }
        if events.removeValue(forKey: order[firstKept]) != nil { omitted += 1 }
        firstKept += 1
        if firstKept > Self.capacity {
            order.removeFirst(firstKept)
            firstKept = 0
        }
    }
}
