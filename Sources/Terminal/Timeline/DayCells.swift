import OdographCivilTime

/// Assigns an event to each character of a day's bar.
///
/// A character shows the category with the longest share of its time. An event of at least a minute that would have no
/// character takes one from an event with several: short trips and stops are of interest.
struct DayCells {
    /// The part of an event that is drawn.
    struct Span {
        let start: Timestamp
        let end: Timestamp
        let type: TimelineEventCategory
    }

    /// The duration from which an event must be visible, seconds.
    private static let minimumVisibleSeconds = 60.0

    /// The category of each character; nil if there is no event.
    var types: [TimelineEventCategory?] { owners.map { $0.map { spans[$0].type } } }

    private let spans: [Span]
    /// The seconds of each span, by span index, per character.
    private let secondsBySpan: [[Int: Double]]
    private var owners: [Int?]

    /// - Parameters:
    ///   - date: the day.
    ///   - spans: the events of any day.
    ///   - count: the number of characters.
    ///   - zone: the time zone of the day.
    init(of date: CivilDate, _ spans: [Span], count: Int, zone: ZoneRules) {
        self.spans = spans
        let midnight = LocalTime(date: date, hour: 0, minute: 0).secondsSinceEpoch
        let bounds = (0...count).map { midnight + Int64($0 * 86_400 / count) }
        secondsBySpan = zip(bounds, bounds.dropFirst()).map { from, to in
            var seconds: [Int: Double] = [:]
            for (begin, end) in Self.instants(from: from, to: to, in: zone) {
                for (index, span) in spans.enumerated() where span.start < end && begin < span.end {
                    seconds[index, default: 0] += min(span.end, end).seconds(since: max(span.start, begin))
                }
            }
            return seconds
        }
        owners = secondsBySpan.map { Self.dominantSpan(of: $0, spans) }
        assignCellsToShortEvents()
    }

    /// Returns the intervals in which the wall clock shows a time: none if all of it is skipped, two if it occurs
    /// twice.
    private static func instants(
        from begin: Int64, to end: Int64, in zone: ZoneRules
    ) -> [(begin: Timestamp, end: Timestamp)] {
        let length = (end - begin) * 1000
        switch zone.instants(of: LocalTime(secondsSinceEpoch: begin)) {
        case .once(let instant)?:
            var until = instant.advanced(byMilliseconds: length)
            // A clock change ends the interval earlier.
            if let next = zone.instant(of: LocalTime(secondsSinceEpoch: end)) { until = min(until, next) }
            return [(instant, until)]
        case .twice(let first, let second)?: return [first, second].map { ($0, $0.advanced(byMilliseconds: length)) }
        case .skipped(let instant)?:
            guard let until = zone.instant(of: LocalTime(secondsSinceEpoch: end)), until > instant else { return [] }
            return [(instant, until)]
        case nil: return []
        }
    }

    /// Returns the longest span of the category with the longest total.
    private static func dominantSpan(of seconds: [Int: Double], _ spans: [Span]) -> Int? {
        var sums: [TimelineEventCategory: Double] = [:]
        for (index, part) in seconds { sums[spans[index].type, default: 0] += part }
        // In a fixed order, so that equal totals always give the same result.
        guard
            let type = TimelineEventCategory.allCases.reversed().filter({ sums[$0] != nil })
                .max(by: { (sums[$0] ?? 0) < (sums[$1] ?? 0) })
        else { return nil }
        return seconds.keys.sorted().filter { spans[$0].type == type }
            .max { (seconds[$0] ?? 0) < (seconds[$1] ?? 0) }
    }

    private mutating func assignCellsToShortEvents() {
        var counts: [Int: Int] = [:]
        for owner in owners { if let owner { counts[owner, default: 0] += 1 } }
        let hidden = spans.indices.filter { counts[$0] == nil && length(of: $0) >= Self.minimumVisibleSeconds }
        // Trips before stops, which have most characters anyway; then by length, the longest first.
        let order = hidden.sorted { left, right in
            let (isLeft, isRight) = (spans[left].type == .stationary, spans[right].type == .stationary)
            return isLeft == isRight ? (length(of: right), left) < (length(of: left), right) : isRight
        }
        for index in order {
            let free = owners.indices.filter { cell in
                secondsBySpan[cell][index] != nil && owners[cell].map { counts[$0] ?? 0 > 1 } == true
            }
            guard let cell = free.max(by: { (secondsBySpan[$0][index] ?? 0) < (secondsBySpan[$1][index] ?? 0) }),
                let owner = owners[cell]
            else { continue }
            counts[owner, default: 1] -= 1
            owners[cell] = index
            counts[index] = 1
        }
    }

    private func length(of index: Int) -> Double { spans[index].end.seconds(since: spans[index].start) }
}
