import Store
import Tracking
import Wire

/// A record of the tracker as the wire has it: the one place that knows which record goes to which channel.
public enum RecordMessage: Hashable, Sendable {
    /// A location event.
    case location(LocationMessage)

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
        }
    }

    /// The channel that it goes to.
    public var channel: Channel {
        switch self {
        case .location(let message): message.location.event == LocationCause.geofence.rawValue ? .geofence : .location
        }
    }

    /// The location event, where it is one.
    public var location: LocationEvent? {
        switch self {
        case .location(let message): message.location
        }
    }

    /// The bytes that are stored and published.
    func payload() throws -> [UInt8] {
        switch self {
        case .location(let message): try JSONText.bytes(of: message)
        }
    }
}
