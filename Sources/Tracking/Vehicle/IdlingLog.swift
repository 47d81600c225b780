import OdographCivilTime

/// The times in which the engine ran while the vehicle stood.
///
/// The ends of timeline events are found later and dated back, so the log keeps times and not only a sum. It has a
/// bounded size: the oldest times are joined, with the seconds that they contain.
struct IdlingLog: Equatable, Sendable, Codable {
    /// A time with its idling.
    struct Span: Equatable, Sendable, Codable {
        var start: Timestamp
        var end: Timestamp
        /// The idling in it, seconds; less than its length if spans were joined.
        var seconds: Double
    }

    /// The number of spans from which the oldest are joined: a trip of an hour in a city has about 40 halts.
    static let maximumSpans = 48
    /// The longest time between two observations that counts, seconds. A parked receiver reports once in minutes.
    static let longestStepSeconds = 600.0

    private(set) var spans: [Span] = []
    /// The time of the last observation, if the vehicle idled then; nil if it did not.
    private var idlingAt: Timestamp?

    init() {}

    /// Whether the engine ran at a halt at the last observation.
    var isIdling: Bool { idlingAt != nil }

    /// The start of the idling that lasts; nil for none.
    var idlingSince: Timestamp? { isIdling ? spans.last?.start : nil }

    /// Notes whether the vehicle idles.
    mutating func observe(isIdling: Bool, at now: Timestamp) {
        if let last = idlingAt, let newest = spans.indices.last {
            let step = now.seconds(since: last)
            switch step {
            case 0...Self.longestStepSeconds:
                spans[newest].end = now
                spans[newest].seconds += step
            // The date was corrected a little: nothing counts until it is reached again.
            case -Self.longestStepSeconds..<0: if isIdling { return }
            default: idlingAt = nil
            }
        }
        if isIdling, idlingAt == nil { begin(at: now) }
        idlingAt = isIdling ? now : nil
    }

    private mutating func begin(at now: Timestamp) {
        spans.removeAll { $0.seconds == 0 }
        spans.append(Span(start: now, end: now, seconds: 0))
        guard spans.count > Self.maximumSpans else { return }
        let oldest = spans.removeFirst()
        spans[0].start = oldest.start
        spans[0].seconds += oldest.seconds
    }

    /// Returns the idling from one time to another, seconds.
    func seconds(from start: Timestamp, to end: Timestamp) -> Double {
        spans.reduce(0) { sum, span in
            let overlap = min(span.end, end).seconds(since: max(span.start, start))
            guard overlap > 0 else { return sum }
            return sum + span.seconds * min(overlap / span.end.seconds(since: span.start), 1)
        }
    }

    /// Forgets what ended before a time.
    mutating func removeSpans(before time: Timestamp) {
        let lasting = idlingSince
        spans.removeAll { $0.end < time && $0.start != lasting }
    }

    /// Ends the idling, for example because the agent restarts.
    mutating func interrupt() { idlingAt = nil }
}
