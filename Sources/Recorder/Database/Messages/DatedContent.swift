import OdographCivilTime
import OdographJSON
import OdographWire

/// The part of a record that decides whether an erasure or the retention covers it.
enum DatedContent: Hashable {
    /// A location or a geofence event.
    case position(Timestamp)
    /// A revision of an event of the timeline. An event without an end lasts until its last revision.
    case event(id: String, start: Timestamp, end: Timestamp, driver: String? = nil)

    /// Creates the part; nil for a message without a place.
    init?(_ content: VehicleMessage.Content) {
        switch content {
        case .location(let event): self = .position(event.timestamp)
        case .timeline(let event): self.init(event)
        case .givenUp, .status, .reported: return nil
        }
    }

    /// Reads a stored payload; nil for one without a place.
    init?(payload: String) {
        guard let stored = try? JSONCoder.decode(StoredPayload.self, from: Array(payload.utf8)) else { return nil }
        self.init(stored)
    }

    /// Creates the part of a stored payload; nil for one without a place.
    init?(_ stored: StoredPayload) {
        if let location = stored.location {
            self = .position(location.timestamp)
        } else if let event = stored.event {
            self.init(event)
        } else {
            return nil
        }
    }

    /// Nil for a withdrawn event: it has no place, and without its revision the event would stay.
    private init?(_ event: TimelineEventRevision) {
        if event.withdrawn == true, event.location == nil, event.waypoints == nil { return nil }
        self = .event(
            id: event.eventID, start: event.startDate, end: event.endDate ?? event.lastUpdateDate, driver: event.driver)
    }

    /// Returns whether the content is of a time: a position in it, or an event that overlaps it.
    func overlaps(_ times: Range<Timestamp>) -> Bool {
        switch self {
        case .position(let time): times.contains(time)
        case .event(_, let start, let end, _): start < times.upperBound && end >= times.lowerBound
        }
    }

    /// The driver of an event; nil for none, and for a position.
    var driver: String? {
        switch self {
        case .position: nil
        case .event(_, _, _, let driver): driver
        }
    }

    /// The newest time of the content.
    var end: Timestamp {
        switch self {
        case .position(let time): time
        case .event(_, _, let end, _): end
        }
    }
}

/// The members of a stored payload that have places.
struct StoredPayload: Decodable {
    let location: LocationEvent?
    let event: TimelineEventRevision?

    private enum CodingKeys: String, CodingKey {
        case location
        case event = "timeline_event"
    }
}
