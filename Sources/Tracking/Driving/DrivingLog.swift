import OdographCivilTime

/// The counts of harsh driving and the speeds, by time.
///
/// The ends of trips are found later and dated back, so the log keeps times and not only sums. A span ends where the
/// vehicle halts, because trips begin and end at halts. The log has a bounded size: the oldest spans are joined.
struct DrivingLog: Equatable, Sendable, Codable {
    /// A time of driving without a halt.
    struct Span: Equatable, Sendable, Codable {
        var start: Timestamp
        var end: Timestamp
        var accelerationCount = 0
        var brakingCount = 0
        var corneringCount = 0
        /// The time with a known speed, seconds.
        var seconds = 0.0
        /// The part of it above the limit, seconds; nil if no limit was configured.
        var overspeedSeconds: Double?
        var maximumMetersPerSecond: Double?

        /// Adds the values of another span.
        mutating func join(_ other: Span) {
            (start, end) = (min(start, other.start), max(end, other.end))
            accelerationCount += other.accelerationCount
            brakingCount += other.brakingCount
            corneringCount += other.corneringCount
            seconds += other.seconds
            if let seconds = other.overspeedSeconds { overspeedSeconds = (overspeedSeconds ?? 0) + seconds }
            if let speed = other.maximumMetersPerSecond {
                maximumMetersPerSecond = max(maximumMetersPerSecond ?? 0, speed)
            }
        }
    }

    /// The number of spans from which the oldest are joined.
    static let maximumSpans = 48
    /// The length after which a drive without a halt goes on in another span, seconds.
    private static let longestSpanSeconds = 300.0
    /// The longest time between two speeds that counts, seconds.
    private static let longestStepSeconds = 10.0
    /// The speed below which the vehicle has halted, m/s.
    private static let haltMetersPerSecond = 1.0

    private(set) var spans: [Span] = []
    private var lastTime: Timestamp?
    private var lastMetersPerSecond = 0.0

    init() {}

    /// Takes a speed.
    mutating func add(metersPerSecond speed: Double, at time: Timestamp, limitMetersPerSecond limit: Double?) {
        defer { (lastTime, lastMetersPerSecond) = (time, speed) }
        guard max(speed, lastMetersPerSecond) >= Self.haltMetersPerSecond, let last = lastTime else { return }
        let step = time.seconds(since: last)
        guard step > 0, step <= Self.longestStepSeconds else { return }
        if lastMetersPerSecond < Self.haltMetersPerSecond || needsSpan(at: last) { begin(at: last) }
        let newest = spans.count - 1
        let lower = min(speed, lastMetersPerSecond)
        spans[newest].end = time
        spans[newest].seconds += step
        // The lower of two speeds: a single wrong one is no maximum.
        spans[newest].maximumMetersPerSecond = max(spans[newest].maximumMetersPerSecond ?? 0, lower)
        if let limit {
            spans[newest].overspeedSeconds = (spans[newest].overspeedSeconds ?? 0) + (lower > limit ? step : 0)
        }
    }

    private func needsSpan(at time: Timestamp) -> Bool {
        guard let newest = spans.last else { return true }
        return newest.end < time || time.seconds(since: newest.start) >= Self.longestSpanSeconds
    }

    private mutating func begin(at time: Timestamp) {
        spans.append(Span(start: time, end: time))
        guard spans.count > Self.maximumSpans else { return }
        let oldest = spans.removeFirst()
        spans[0].join(oldest)
    }

    /// Counts an event at the time of its start.
    mutating func count(_ event: DrivingEvent) {
        guard let index = spans.lastIndex(where: { $0.start <= event.start }) ?? spans.indices.first else { return }
        switch event.kind {
        case .acceleration: spans[index].accelerationCount += 1
        case .braking: spans[index].brakingCount += 1
        case .cornering: spans[index].corneringCount += 1
        case .idling: break
        }
    }

    /// Returns the summary of the time from a start to an end; nil if nothing is known about it.
    func summary(from start: Timestamp, to end: Timestamp) -> DrivingSummary? {
        var sum: Span?
        for span in spans {
            let middle = span.start.advanced(bySeconds: span.end.seconds(since: span.start) / 2)
            guard start <= middle, middle <= end else { continue }
            sum?.join(span)
            sum = sum ?? span
        }
        guard let sum else { return nil }
        var summary = DrivingSummary()
        summary.accelerationCount = sum.accelerationCount
        summary.brakingCount = sum.brakingCount
        summary.corneringCount = sum.corneringCount
        summary.maximumMetersPerSecond = sum.maximumMetersPerSecond
        if let over = sum.overspeedSeconds, sum.seconds > 0 { summary.overspeedShare = min(over / sum.seconds, 1) }
        return summary
    }

    /// Forgets what ended before a time.
    mutating func removeSpans(before time: Timestamp) { spans.removeAll { $0.end < time } }

    /// Separates the next speed from the last one.
    mutating func interrupt() { lastTime = nil }
}
