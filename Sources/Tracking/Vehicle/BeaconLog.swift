import OdographCivilTime
import OdographModel

/// The beacons that the records say to be aboard, and the changes that no record has told yet.
///
/// A change waits while no record can be made: without a position, without the time, and in private time. Its record
/// then has the time at which it is made, so that it does not tell when the beacon came or left.
struct BeaconLog: Equatable, Sendable, Codable {
    /// A time in which a beacon was aboard.
    struct Span: Equatable, Sendable, Codable {
        var identifier: String
        var start: Timestamp
        /// Nil: the beacon is aboard.
        var end: Timestamp?
    }

    /// The most spans; the oldest ended ones are forgotten.
    static let maximumSpans = 128

    private(set) var spans: [Span] = []
    private(set) var pending: [BeaconEvent] = []

    init() {}

    /// The beacons that are aboard by the records, ascending.
    var present: [String] { spans.filter { $0.end == nil }.map(\.identifier).sorted() }

    /// The beacons that are aboard, ascending.
    var current: [String] {
        var identifiers = Set(present)
        for event in pending {
            if event.action == .enter { identifiers.insert(event.identifier) }
            if event.action == .exit { identifiers.remove(event.identifier) }
        }
        return identifiers.sorted()
    }

    /// Takes a change. One that returns to what the records say needs no record.
    mutating func observe(_ event: BeaconEvent) {
        pending.removeAll { $0.identifier == event.identifier }
        let isPresent = spans.contains { $0.identifier == event.identifier && $0.end == nil }
        if isPresent != (event.action == .enter) { pending.append(event) }
    }

    /// Returns the changes of which records are made now.
    mutating func takePending(at now: Timestamp) -> [BeaconEvent] {
        for event in pending {
            switch event.action {
            case .enter: spans.append(Span(identifier: event.identifier, start: now))
            case .exit:
                for index in spans.indices where spans[index].identifier == event.identifier && spans[index].end == nil
                {
                    spans[index].end = max(now, spans[index].start)
                }
            }
        }
        while spans.count > Self.maximumSpans, let oldest = spans.firstIndex(where: { $0.end != nil }) {
            spans.remove(at: oldest)
        }
        defer { pending = [] }
        return pending
    }

    /// Returns the beacons that were aboard for at least half of a time, ascending. A trailer that is coupled or
    /// uncoupled at a stop is found some seconds after the stop, so a trip begins or ends with a wrong moment.
    func identifiers(from start: Timestamp, to end: Timestamp) -> [String] {
        var seconds: [String: Double] = [:]
        for span in spans {
            let length = min(span.end ?? end, end).seconds(since: max(span.start, start))
            if length > 0 { seconds[span.identifier, default: 0] += length }
        }
        let half = end.seconds(since: start) / 2
        return seconds.filter { $0.value >= half }.keys.sorted()
    }

    /// Forgets what ended before a time.
    mutating func removeSpans(before time: Timestamp) { spans.removeAll { $0.end.map { $0 < time } ?? false } }

    /// Forgets the changes of which no record was made.
    mutating func forgetPending() { pending = [] }
}
