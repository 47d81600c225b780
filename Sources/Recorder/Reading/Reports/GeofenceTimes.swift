import OdographCivilTime
import OdographTerminal
import OdographWire

/// The time that a vehicle spent in geofences: between the events of entering and leaving, and during stops inside one.
/// Private use does not count.
package struct GeofenceTimes: Hashable, Sendable {
    /// The time in each geofence, seconds, by the identifier.
    package private(set) var seconds: [String: Double] = [:]
    /// The names of the geofences that have one.
    package private(set) var names: [String: String] = [:]

    /// Creates times of no geofence.
    init() {}

    /// Calculates the times.
    /// - Parameters:
    ///   - times: The time that counts.
    ///   - crossings: The geofence events in it, ordered by time; before them the entries of the visits that last as it
    ///     begins.
    ///   - events: The events of the timeline that overlap it, ordered by start.
    ///   - now: The time until which a visit lasts that has not ended.
    package init(
        in times: Range<Timestamp>, _ crossings: [GeofenceTrigger], _ events: [TimelineEventRevision],
        until now: Timestamp
    ) {
        let end = min(times.upperBound, max(now, times.lowerBound))
        var visits: [String: [Range<Timestamp>]] = [:]
        var entries: [String: Timestamp] = [:]
        func add(_ identifier: String, _ from: Timestamp, _ to: Timestamp) {
            let (from, to) = (max(from, times.lowerBound), min(to, end))
            if from < to { visits[identifier, default: []].append(from..<to) }
        }
        for crossing in crossings {
            let identifier = crossing.identifier
            if let name = crossing.name { names[identifier] = name }
            switch crossing.action {
            case .enter: entries[identifier] = entries[identifier] ?? crossing.occurredAt
            case .exit:
                // The length of the visit says when it began, also if that was before the time.
                let entry = entries.removeValue(forKey: identifier)
                let known = crossing.dwell.map { crossing.occurredAt.advanced(bySeconds: -$0) }
                if let begin = entry ?? known { add(identifier, begin, crossing.occurredAt) }
            case .cross: add(identifier, crossing.occurredAt, crossing.exitedAt ?? crossing.occurredAt)
            default: break
            }
        }
        for (identifier, entry) in entries { add(identifier, entry, end) }
        let spans = Self.spans(of: events, until: end)
        for (event, span) in spans where event.type == .stationary && !event.isOfPrivateUse {
            guard let venue = event.venue else { continue }
            if let name = venue.name { names[venue.identifier] = name }
            add(venue.identifier, span.lowerBound, span.upperBound)
        }
        let privateSpans = spans.filter { $0.event.isOfPrivateUse }.map(\.span)
        for (identifier, ranges) in visits {
            let length = Self.length(of: ranges, without: privateSpans)
            if length > 0 { seconds[identifier] = length }
        }
    }

    /// Returns the events with their times. An event that lasts, or whose end was lost, ends as the next one begins.
    private static func spans(
        of events: [TimelineEventRevision], until end: Timestamp
    ) -> [(event: TimelineEventRevision, span: Range<Timestamp>)] {
        events.indices.compactMap { index in
            let start = events[index].startDate
            let next = events[(index + 1)...].first { $0.startDate > start }?.startDate
            let last = events[index].endDate ?? next ?? end
            return start < last ? (events[index], start..<last) : nil
        }
    }

    /// Returns the length of the union of ranges without others, seconds.
    private static func length(of ranges: [Range<Timestamp>], without others: [Range<Timestamp>]) -> Double {
        // The edges in order: how many ranges and how many of the others are open between two of them.
        var edges: [(time: Timestamp, range: Int, other: Int)] = []
        for range in ranges { edges += [(range.lowerBound, 1, 0), (range.upperBound, -1, 0)] }
        for other in others { edges += [(other.lowerBound, 0, 1), (other.upperBound, 0, -1)] }
        edges.sort { $0.time < $1.time }
        var (open, closed, length, last): (Int, Int, Double, Timestamp?) = (0, 0, 0, nil)
        for edge in edges {
            if let last, open > 0, closed == 0 { length += edge.time.seconds(since: last) }
            open += edge.range
            closed += edge.other
            last = edge.time
        }
        return length
    }

    /// Adds the times of another vehicle.
    mutating func add(_ other: GeofenceTimes) {
        seconds.merge(other.seconds, uniquingKeysWith: +)
        names.merge(other.names) { _, name in name }
    }

    /// The identifiers and the times, the longest first.
    var ordered: [(identifier: String, seconds: Double)] {
        seconds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    /// The times as facts of a report, the longest first.
    var facts: [Report.Fact] {
        ordered.map { identifier, seconds in
            Report.Fact(name: "in \(names[identifier] ?? identifier)", value: Format.duration(seconds: seconds))
        }
    }
}
