import OdographCivilTime

/// The ways over which the vehicle was carried.
///
/// The ends of timeline events are found later and dated back, so the log keeps times. It has a bounded size: the
/// oldest are forgotten.
struct CarriageLog: Equatable, Sendable, Codable {
    /// One way.
    struct Span: Equatable, Sendable, Codable {
        var start: Timestamp
        var end: Timestamp
        /// Its length, metres.
        var meters: Double
    }

    /// The largest number of ways: several ferries and tow trucks before an event is final.
    private static let maximumSpans = 8
    /// The longest time between two fixes of one way, seconds.
    private static let longestStepSeconds = 600.0

    /// The time by which the odometer finds late that a place was left, seconds.
    private static let lateSeconds = MovementBounds.farConfirmationSeconds

    private(set) var spans: [Span] = []

    init() {}

    /// Adds a way that ends now.
    /// - Parameter start: the time of its beginning, if it is a new one.
    mutating func add(meters: Double, from start: Timestamp, to end: Timestamp) {
        if let last = spans.indices.last, spans[last].end >= start,
            end.seconds(since: spans[last].end) <= Self.longestStepSeconds
        {
            spans[last].end = max(spans[last].end, end)
            spans[last].meters += meters
            return
        }
        spans.append(Span(start: min(start, end), end: end, meters: meters))
        if spans.count > Self.maximumSpans { spans.removeFirst() }
    }

    /// Returns the way from one time to another, metres.
    func meters(from start: Timestamp, to end: Timestamp) -> Double {
        let (start, end) = (start.advanced(bySeconds: -Self.lateSeconds), end.advanced(bySeconds: Self.lateSeconds))
        return spans.reduce(0) { sum, span in
            let overlap = min(span.end, end).seconds(since: max(span.start, start))
            guard overlap > 0 else { return sum }
            return sum + span.meters * min(overlap / max(span.end.seconds(since: span.start), 1), 1)
        }
    }

    /// Forgets what ended before a time.
    mutating func removeSpans(before time: Timestamp) { spans.removeAll { $0.end < time } }
}
