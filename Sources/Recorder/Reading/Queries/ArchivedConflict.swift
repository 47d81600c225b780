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
        guard let stored = try? JSONCoder.decode(StoredPayload.self, from: bytes) else { return nil }
        self.key = key
        self.payload = bytes
        content = DatedContent(stored)
        if let location = stored.location {
            channel = location.geofence == nil ? .location : .geofence
        } else if stored.event != nil {
            channel = .timeline
        } else {
            channel = .givenUp
        }
    }
}
