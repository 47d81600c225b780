import OdographCivilTime
import OdographGeodesy
import OdographModel
import OdographTracking

/// The faults in some timelines, counted.
struct TimelineFaults {
    static let names = "segments; touching; < 10 m; < 10 s; moved; sums; no waypoints"

    private(set) var found = 0
    private(set) var count = 0
    /// The number of trips where there was none.
    private(set) var falseTrips = 0
    /// The number of trips that a true one was divided into, less one.
    private(set) var cuts = 0
    /// The number of segments of trips, less one for each trip.
    private(set) var segments = 0
    /// The number of touching events of one kind.
    private(set) var touching = 0
    private(set) var shortTransports = 0
    private(set) var shortEvents = 0
    /// The number of stops whose positions at both ends are more than 100 m apart.
    private(set) var movedStops = 0
    /// The number of timelines whose distances together are not the odometer's within its bound.
    private(set) var wrongSums = 0
    /// The number of trips without waypoints.
    private(set) var bareTrips = 0

    var text: String {
        [segments, touching, shortTransports, shortEvents, movedStops, wrongSums, bareTrips].map(String.init)
            .joined(separator: "; ")
    }

    /// The number of all faults.
    var total: Int {
        count - found + falseTrips + cuts + touching + shortTransports + shortEvents + movedStops + wrongSums
            + bareTrips
    }

    func report(_ name: String, aboard vehicle: TransportMode?) {
        row(
            "\(name)\(vehicle == nil ? "" : ", mounted"): trips found / false / cut",
            "\(found) of \(count) / \(falseTrips) / \(cuts)", bar: "all / 0 / 0")
        row("  \(Self.names)", text, bar: "0")
    }

    /// - Returns: whether there was no fault.
    mutating func add(_ outcome: Outcome, fixes: [Fix], trips: [Span]) -> Bool {
        let before = total + segments
        let told = outcome.trips
        count += trips.count
        for truth in trips {
            let parts = told.filter { $0.overlapSeconds(truth) >= 10 }
            if parts.contains(where: { $0.agreement(with: truth) >= 0.5 }) { found += 1 }
            cuts += max(parts.count - 1, 0)
        }
        falseTrips += told.count { span in trips.allSatisfy { $0.overlapSeconds(span) < 10 } }
        segments += outcome.events.count { $0.kind.name == "transport" } - told.count
        addEvents(of: outcome, fixes: fixes)
        return total + segments == before
    }

    /// Adds the faults that are known without the truth.
    mutating func addEvents(of outcome: Outcome, fixes: [Fix]) {
        let events = outcome.events
        if abs(Self.sumMeters(of: outcome) - outcome.meters) > outcome.errorMeters { wrongSums += 1 }
        for index in events.indices {
            let event = events[index]
            if case .transport(let transport) = event.kind {
                if transport.distanceMeters < 10 { shortTransports += 1 }
                if transport.waypoints.isEmpty { bareTrips += 1 }
            }
            if event.kind.name == "stationary", Self.movedMeters(event, fixes: fixes) > 100 { movedStops += 1 }
            guard index + 1 < events.count else { continue }
            if event.durationSeconds < 10 { shortEvents += 1 }
            if event.isOneKind(with: events[index + 1]) { touching += 1 }
        }
    }

    /// Returns the distances of all events together, metres.
    static func sumMeters(of outcome: Outcome) -> Double {
        outcome.events.reduce(0) { $0 + $1.distanceMeters }
    }

    /// Returns the distance between the first and the last position during an event, metres.
    private static func movedMeters(_ event: TimelineEvent, fixes: [Fix]) -> Double {
        let end = event.end ?? event.lastUpdate
        guard let first = fixes.first(where: { $0.timestamp >= event.start }),
            let last = fixes.last(where: { $0.timestamp <= end })
        else { return 0 }
        return first.coordinate.distanceMeters(to: last.coordinate)
    }
}

extension TimelineEvent {
    /// Whether an event and the next one touch and are of one kind, trips of one mode.
    fileprivate func isOneKind(with next: TimelineEvent) -> Bool {
        guard end == next.start, tag == next.tag else { return false }
        switch (kind, next.kind) {
        case (.transport(let transport), .transport(let other)): return transport.mode == other.mode
        case (.offTheGrid(let reason), .offTheGrid(let other)): return reason == other
        default: return kind.name == next.kind.name
        }
    }

    /// The event in a few characters.
    func brief(since zero: Timestamp) -> String {
        let begin = text(start.seconds(since: zero), 0)
        var name = "\(kind.name.prefix(1).uppercased()) \(begin)+\(text(durationSeconds, 0))"
        if case .transport(let transport) = kind {
            name += " \(transport.mode.rawValue) \(text(transport.distanceMeters, 0)) m"
        }
        return name
    }
}
