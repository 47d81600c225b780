import OdographCivilTime
import OdographJSON
import OdographWire

/// A record whose number another record of the database has.
package struct ArchivedConflict: Hashable, Sendable {
    /// The key in the database, in the order of reception.
    package let key: Int64
    /// The channel, as the contents say.
    package let channel: UplinkChannel
    /// The message as it came, JSON.
    package let payload: [UInt8]
    /// The contents; nil if they have no place.
    let content: DatedContent?

    /// Reads a stored payload; nil if it is not readable.
    init?(key: Int64, payload: String) {
        let bytes = Array(payload.utf8)
        guard let members = try? JSONCoder.decode(Members.self, from: bytes) else { return nil }
        self.key = key
        self.payload = bytes
        content = DatedContent(payload: payload)
        if let location = members.location {
            channel = location.geofence == nil ? .location : .geofence
        } else if members.event != nil {
            channel = .timeline
        } else {
            channel = .givenUp
        }
    }

    /// The members of a stored payload.
    private struct Members: Decodable {
        let location: LocationEvent?
        let event: TimelineEventRevision?

        private enum CodingKeys: String, CodingKey {
            case location
            case event = "timeline_event"
        }
    }
}
