import Odograph
import CivilTime
import Wire

/// The events by their time.
struct TimelineIndex {
    /// Ordered by their start.
    let events: [TimelineEventRevision]

    /// The stays, in their order.
    var stops: [TimelineEventRevision] { events.filter { $0.type == "STATIONARY" } }

    /// What led from a position to the next one: what there was in the middle, or, where it stood then, the way before or
    /// after that; nil where no event says.
    func segmentCategory(from start: Timestamp, to end: Timestamp) -> TimelineEventCategory? {
        let middle = Timestamp(
            millisecondsSinceEpoch: (start.millisecondsSinceEpoch + end.millisecondsSinceEpoch) / 2)
        let type = category(at: middle)
        guard type == .stationary else { return type }
        let ways = events.filter {
            $0.type == "IN_TRANSPORT" && $0.startDate < end && start < $0.endDate ?? .latest
        }
        return ways.map { TimelineEventCategory($0) }.first ?? type
    }

    /// What the vehicle did at an instant; nil where no event says.
    private func category(at time: Timestamp) -> TimelineEventCategory? {
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].startDate <= time { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let event = events[low - 1]
        guard time < event.endDate ?? .latest else { return nil }
        return TimelineEventCategory(event)
    }
}
