import Odograph
import OdographCivilTime
import OdographTerminal
import OdographWire

/// Finds timeline events by time.
struct TimelineIndex {
    /// Ordered by start.
    let events: [TimelineEventRevision]

    /// The stops, in order.
    var stops: [TimelineEventRevision] { events.filter { $0.type == .stationary } }

    /// Returns the category of the segment between two positions: that of the event at its middle. If the vehicle is
    /// stationary then, the category of a trip that overlaps the segment has priority. Nil if no event is there.
    func segmentCategory(from start: Timestamp, to end: Timestamp) -> TimelineEventCategory? {
        let middle = Timestamp(
            millisecondsSinceEpoch: (start.millisecondsSinceEpoch + end.millisecondsSinceEpoch) / 2)
        let type = category(at: middle)
        guard type == .stationary else { return type }
        let ways = events.filter {
            $0.type == .inTransport && $0.startDate < end && start < $0.endDate ?? .latest
        }
        return ways.map { TimelineEventCategory($0) }.first ?? type
    }

    /// Returns the category at an instant; nil if no event contains it.
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
