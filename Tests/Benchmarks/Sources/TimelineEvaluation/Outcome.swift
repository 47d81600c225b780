import CivilTime
import Geodesy
import OdographModel
import Tracking

/// What the tracker made of a capture.
struct Outcome {
    /// The last revision of every event that was not withdrawn, in order of their starts.
    let events: [TimelineEvent]
    /// The events that turned out to be none.
    let withdrawn: Set<TimelineEventID>
    /// When each event was first said, by its identifier, and what it was taken for then.
    let announced: [(time: Timestamp, event: TimelineEvent)]
    /// What the movement was taken for at each fix.
    let activities: [Activity]
    let meters: Double
    let errorMeters: Double

    /// - Parameters:
    ///   - figures: what the movement and the timeline are judged by.
    ///   - vehicle: what the receiver is mounted in, where it is.
    init(_ capture: Capture, figures: Figures = Figures(), aboard vehicle: TransportMode? = nil) {
        var configuration = TrackingConfiguration()
        configuration.timeline.vehicle = vehicle
        configuration.figures = figures
        var tracker = Tracker(configuration: configuration)
        var last: [TimelineEventID: TimelineEvent] = [:]
        var announced: [(Timestamp, TimelineEvent)] = []
        var activities: [Activity] = []
        for fix in capture.fixes {
            for case .record(.timeline(let event)) in tracker.handle(.fix(fix)) {
                let isNewKind = last[event.id].map { $0.kind.name != event.kind.name } ?? true
                if isNewKind { announced.append((event.lastUpdate, event)) }
                last[event.id] = event
            }
            let location = tracker.currentLocation(at: fix.received)
            activities.append(location?.activity ?? .unknown)
        }
        meters = tracker.odometerMeters
        errorMeters = tracker.odometerErrorMeters
        if let moment = capture.fixes.last?.received {
            for case .record(.timeline(let event)) in tracker.end(at: moment) { last[event.id] = event }
        }
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

    /// The event at an instant.
    func event(at time: Timestamp) -> TimelineEvent? {
        events.last { $0.start <= time }
    }

    /// How many departures were told that were none.
    var takenBack: Int {
        let ways = Set(announced.filter { $0.event.kind.name == "transport" }.map(\.event.id))
        return withdrawn.intersection(ways).count
            + events.count { $0.kind.name != "transport" && ways.contains($0.id) }
    }

    /// Runs of transport events that touch: the trips.
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

/// A stretch of time.
struct Span: Hashable {
    var start: Timestamp
    var end: Timestamp

    var seconds: Double { end.seconds(since: start) }

    func overlapSeconds(_ other: Span) -> Double {
        max(min(end, other.end).seconds(since: max(start, other.start)), 0)
    }

    /// Intersection over union.
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
