import Odograph
import CivilTime

/// Which event each character of a day's bar stands for.
///
/// A character stands for what there was most of in its time. An event that would have none, and lasted for a minute, gets the
/// one that holds most of it from an event that has others: a short way, or a short stop, is what one looks for.
struct DayCells {
    /// An event as far as it is drawn.
    struct Span {
        let start: Timestamp
        let end: Timestamp
        let type: TimelineEventCategory
    }

    /// Shorter than this an event need not be seen, seconds.
    private static let minimumVisibleSeconds = 60.0

    /// What each character stands for; nil where nothing is known of its time.
    var types: [TimelineEventCategory?] { owners.map { $0.map { spans[$0].type } } }

    private let spans: [Span]
    /// Of each cell, the seconds of every span in it.
    private let secondsBySpan: [[Int: Double]]
    private var owners: [Int?]

    /// - Parameters:
    ///   - spans: what there was, of any day.
    ///   - count: in so many characters.
    ///   - zone: whose wall clock the day is of.
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

    /// The times that a wall clock shows a time of the day: none in an hour that it skips, two in one that it shows twice.
    private static func instants(
        from begin: Int64, to end: Int64, in zone: ZoneRules
    ) -> [(begin: Timestamp, end: Timestamp)] {
        let length = (end - begin) * 1000
        switch zone.instants(of: LocalTime(secondsSinceEpoch: begin)) {
        case .once(let instant)?:
            var until = instant.advanced(byMilliseconds: length)
            // A change of the clock ends it earlier.
            if let next = zone.instant(of: LocalTime(secondsSinceEpoch: end)) { until = min(until, next) }
            return [(instant, until)]
        case .twice(let first, let second)?: return [first, second].map { ($0, $0.advanced(byMilliseconds: length)) }
        case .skipped?, nil: return []
        }
    }

    /// The longest span of the type that there was most of.
    private static func dominantSpan(of seconds: [Int: Double], _ spans: [Span]) -> Int? {
        var sums: [TimelineEventCategory: Double] = [:]
        for (index, part) in seconds { sums[spans[index].type, default: 0] += part }
        // In the order of the cases, so that two halves always give the same one.
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
        // Ways before stays, which most characters are of anyhow; then the longest.
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
