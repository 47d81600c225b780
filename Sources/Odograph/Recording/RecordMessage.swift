import CivilTime
import OdographJSON
import Store
import Tracking
import Wire

/// A record of the tracker as the wire has it. This file is the one place that knows which record goes to which channel,
/// before it is stored, as it is stored, and as it is read back.
public enum RecordMessage: Hashable, Sendable {
    /// A location event.
    case location(LocationMessage)
    /// A revision of an event of the timeline.
    case timeline(TimelineMessage)

    /// The wire's form of a record.
    /// - Parameters:
    ///   - identity: what the store, or an analysis, gave it.
    ///   - deviceID: the device that it is of.
    ///   - extras: hung on it; nothing where empty.
    init(_ record: TrackerRecord, identity: RecordIdentity, deviceID: String, extras: [String: JSONValue]) {
        switch record {
        case .location(let location):
            let event = LocationEvent(location, identity: identity, extras: extras)
            self = .location(LocationMessage(deviceID: deviceID, location: event))
        case .timeline(let event):
            self = .timeline(
                TimelineMessage(
                    deviceID: deviceID, timelineEvent: TimelineEventRevision(event, identity: identity)))
        }
    }

    /// The channel that it goes to.
    public var channel: UplinkChannel {
        switch self {
        case .location(let message): message.location.event == LocationCause.geofence.rawValue ? .geofence : .location
        case .timeline: .timeline
        }
    }

    /// The location event, where it is one.
    public var location: LocationEvent? {
        switch self {
        case .location(let message): message.location
        case .timeline: nil
        }
    }

    /// The revision of an event of the timeline, where it is one.
    public var timelineEvent: TimelineEventRevision? {
        switch self {
        case .location: nil
        case .timeline(let message): message.timelineEvent
        }
    }

    /// The bytes that are stored and published.
    func payload() -> RecordPayload {
        switch self {
        case .location(let message): JSONCoder.payload(of: message)
        case .timeline(let message): JSONCoder.payload(of: message)
        }
    }
}

extension LocationEvent {
    /// The locations of some stored payloads. Earlier versions could store a record without contents: those are left out.
    /// - Throws: `DecodingError` where a payload is another message.
    static func decodeStored(_ payloads: [[UInt8]]) throws -> [LocationEvent] {
        try payloads.filter { !$0.isEmpty }.map { try JSONCoder.decode(LocationMessage.self, from: $0).location }
    }
}

extension RecordKind {
    /// The channel that its records go to.
    var channel: UplinkChannel {
        switch self {
        case .location: .location
        case .geofence: .geofence
        case .timeline: .timeline
        }
    }
}

extension TrackerRecord {
    /// What kind of record the store takes it for.
    var kind: RecordKind {
        switch self {
        case .location(let location): location.cause == .geofence ? .geofence : .location
        case .timeline: .timeline
        }
    }

    /// The instant that it is of: retention and queries go by it. What nobody can date is no older than the agent.
    var timestamp: Timestamp {
        switch self {
        case .location(let location) where location.isClockUntrusted:
            max(location.fix.timestamp, Timestamp(millisecondsSinceEpoch: Build.earliestDateMilliseconds))
        case .location(let location): location.fix.timestamp
        case .timeline(let event): event.lastUpdate
        }
    }

    /// By what the store finds it again, where it is a revision of an event of the timeline.
    var timelineKey: TimelineKey? {
        guard case .timeline(let event) = self else { return nil }
        let end = event.isWithdrawn ? event.start.advanced(byMilliseconds: -1) : event.end
        return TimelineKey(
            eventID: event.id.description, start: event.start, end: end, lastUpdate: event.lastUpdate,
            isFinal: !event.isProvisional)
    }
}
