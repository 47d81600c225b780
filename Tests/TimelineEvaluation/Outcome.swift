import OdographCivilTime
import OdographGeodesy
import OdographModel
import OdographTracking

/// The tracker's result for a capture.
struct Outcome {
    /// The last revision of every event that was not withdrawn, by start.
    let events: [TimelineEvent]
    /// The withdrawn events.
    let withdrawn: Set<TimelineEventID>
    /// The first publication of each event, with its first kind.
    let announced: [(time: Timestamp, event: TimelineEvent)]
    /// The activity at each fix.
    let activities: [Activity]
    let meters: Double
    let errorMeters: Double

    /// - Parameters:
    ///   - figures: The model parameters.
    ///   - vehicle: The vehicle in which the receiver is mounted; nil for a portable one.
    init(_ capture: Capture, figures: ModelParameters = ModelParameters(), aboard vehicle: TransportMode? = nil) {
        var configuration = TrackingConfiguration()
        configuration.timeline.vehicle = vehicle
        configuration.modelParameters = figures
        var tracker = Tracker(configuration: configuration)
        var last: [TimelineEventID: TimelineEvent] = [:]
        var announced: [(Timestamp, TimelineEvent)] = []
        var activities: [Activity] = []
        for fix in capture.fixes {
            for case .record(.timeline(let event)) in tracker.handle(.fix(fix)) {
                let isNewKind = last[event.id].map { $0.kind.name != event.kind.name } ?? true
                if isNewKind { announced.append((event.lastUpdate, event.value)) }
                last[event.id] = event.value
            }
            let location = tracker.currentLocation(at: fix.received)
            activities.append(location?.activity ?? .unknown)
        }
        if let moment = capture.fixes.last?.received {
            for case .record(.timeline(let event)) in tracker.finish(at: moment) { last[event.id] = event.value }
        }
        meters = tracker.odometerMeters
        errorMeters = tracker.odometerErrorMeters
        withdrawn = Set(last.values.filter(\.isWithdrawn).map(\.id))
        var events = last.values.filter { !$0.isWithdrawn }
            .sorted { ($0.start, $0.lastUpdate) < ($1.start, $1.lastUpdate) }
        if let end = capture.fixes.last?.timestamp, !events.isEmpty, events[events.count - 1].end == nil {
            events[events.count - 1].end = end
        }
        self.events = events
        self.announced = announced
        self.activities = activities
    }

    /// Returns the event at an instant.
    func event(at time: Timestamp) -> TimelineEvent? {
        events.last { $0.start <= time }
    }

    /// The number of withdrawn departures.
    var takenBack: Int {
        let ways = Set(announced.filter { $0.event.kind.name == "transport" }.map(\.event.id))
        return withdrawn.intersection(ways).count
            + events.count { $0.kind.name != "transport" && ways.contains($0.id) }
    }

    /// The trips: runs of adjacent transport events.
    var trips: [Span] {
        var trips: [Span] = []
        for event in events where event.kind.name == "transport" {
            let span = Span(start: event.start, end: event.end ?? event.lastUpdate)
            if let last = trips.last, last.end == span.start {
                trips[trips.count - 1].end = span.end
            } else {
                trips.append(span)
            }
        }
        return trips
    }
}

/// A time span.
struct Span: Hashable {
    var start: Timestamp
    var end: Timestamp

    var seconds: Double { end.seconds(since: start) }

    func overlapSeconds(_ other: Span) -> Double {
        max(min(end, other.end).seconds(since: max(start, other.start)), 0)
    }

    /// Returns the intersection over union.
    func agreement(with other: Span) -> Double {
        let both = overlapSeconds(other)
        return both / (seconds + other.seconds - both)
    }
}

extension TimelineEvent.Kind {
    var name: String {
        switch self {
        case .stationary: "stationary"
        case .transport: "transport"
        case .offTheGrid: "off"
        case .unknown: "unknown"
        }
    }
}
