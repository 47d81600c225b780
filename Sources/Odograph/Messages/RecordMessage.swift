import OdographCivilTime
import OdographJSON
import OdographModel
import OdographSettings
import OdographStore
import OdographTracking
import OdographWire

/// The wire form of a tracker record. Only this file assigns records to channels: before they are stored, in the store,
/// and when they are read back.
public enum RecordMessage: Hashable, Sendable {
    /// A location event.
    case location(LocationMessage)
    /// A revision of a timeline event.
    case timeline(TimelineMessage)

    /// Creates the wire form of a record.
    /// - Parameters:
    ///   - identity: The record's identity in the store or in an analysis.
    ///   - deviceID: The device of the record.
    ///   - annotations: What the agent adds to the record.
    package init(
        _ record: TrackerRecord, identity: RecordIdentity, deviceID: String, annotations: RecordAnnotations
    ) {
        switch record {
        case .location(let location):
            let event = LocationEvent(location, identity: identity, annotations: annotations)
            self = .location(LocationMessage(deviceID: deviceID, location: event))
        case .timeline(let event):
            self = .timeline(
                TimelineMessage(
                    deviceID: deviceID,
                    timelineEvent: TimelineEventRevision(event, identity: identity, annotations: annotations)))
        }
    }

    /// The channel of the record.
    public var channel: UplinkChannel {
        switch self {
        case .location(let message): message.location.event == .geofence ? .geofence : .location
        case .timeline: .timeline
        }
    }

    /// The location event. nil for another record.
    public var location: LocationEvent? {
        switch self {
        case .location(let message): message.location
        case .timeline: nil
        }
    }

    /// The revision of a timeline event. nil for another record.
    public var timelineEvent: TimelineEventRevision? {
        switch self {
        case .location: nil
        case .timeline(let message): message.timelineEvent
        }
    }

    /// Returns the bytes to store and publish.
    package func payload() -> RecordPayload {
        switch self {
        case .location(let message): JSONCoder.payload(of: message)
        case .timeline(let message): JSONCoder.payload(of: message)
        }
    }
}

extension RecordMessage {
    /// Returns the payload of a stored record with another identity; nil for a payload that cannot be read.
    package static func payload(
        of record: StoredRecord, renumbered identity: RecordIdentity
    ) -> RecordPayload? {
        let uuid = identity.uuid.description
        switch record.kind {
        case .location, .geofence:
            guard var message = try? JSONCoder.decode(LocationMessage.self, from: record.payload) else { return nil }
            (message.location.uuid, message.location.epoch, message.location.seq) = (uuid, identity.epoch, identity.seq)
            return JSONCoder.payload(of: message)
        case .timeline:
            guard var message = try? JSONCoder.decode(TimelineMessage.self, from: record.payload) else { return nil }
            (message.timelineEvent.uuid, message.timelineEvent.epoch) = (uuid, identity.epoch)
            message.timelineEvent.seq = identity.seq
            return JSONCoder.payload(of: message)
        case .givenUp:
            guard var message = try? JSONCoder.decode(GivenUpMessage.self, from: record.payload) else { return nil }
            (message.givenUp.uuid, message.givenUp.epoch, message.givenUp.seq) = (uuid, identity.epoch, identity.seq)
            return JSONCoder.payload(of: message)
        }
    }
}

extension LocationEvent {
    /// Decodes stored payloads.
    /// - Throws: `DecodingError` if a payload is another message.
    package static func decodeStored(_ payloads: [[UInt8]]) throws -> [LocationEvent] {
        try payloads.map { try JSONCoder.decode(LocationMessage.self, from: $0).location }
    }
}

extension RecordKind {
    /// The channel of the kind.
    package var channel: UplinkChannel {
        switch self {
        case .location: .location
        case .geofence: .geofence
        case .timeline: .timeline
        case .givenUp: .givenUp
        }
    }
}

extension TrackerRecord {
    /// The record's kind in the store.
    package var kind: RecordKind {
        switch self {
        case .location(let location): location.cause == .geofence ? .geofence : .location
        case .timeline: .timeline
        }
    }

    /// The time of the record for retention and queries. An untrusted time is raised to the build's earliest date.
    package var timestamp: Timestamp {
        switch self {
        case .location(let location) where location.isClockUntrusted:
            max(location.fix.timestamp, Timestamp(millisecondsSinceEpoch: Build.earliestDateMilliseconds))
        case .location(let location): location.fix.timestamp
        case .timeline(let event): event.lastUpdate
        }
    }

    /// The key of a timeline event's revision in the store. nil for another record.
    package var timelineKey: TimelineKey? {
        guard case .timeline(let event) = self else { return nil }
        let end = event.isWithdrawn ? event.start.advanced(byMilliseconds: -1) : event.end
        return TimelineKey(
            eventID: event.id.description, start: event.start, end: end, lastUpdate: event.lastUpdate,
            isFinal: !event.isProvisional)
    }
}
