import OdographCivilTime
import OdographWire

/// A record to commit, with one of the next numbers of the store: see ``AgentStore/nextIdentities(_:dropped:)``.
package struct NewRecord: Hashable, Sendable {
    /// The record.
    package var record: StoredRecord
    /// The key among the timeline events for queries; nil for a record of another kind.
    package var timeline: TimelineKey?

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - identity: The identity, which the payload contains.
    ///   - kind: The kind of the record.
    ///   - timestamp: The instant that the record is about.
    ///   - timeline: The key among the timeline events for queries; nil for a record of another kind.
    ///   - payload: The payload that is stored and published.
    package init(
        _ identity: RecordIdentity, kind: RecordKind, timestamp: Timestamp, timeline: TimelineKey? = nil,
        payload: RecordPayload
    ) {
        record = StoredRecord(
            epoch: identity.epoch, seq: identity.seq, kind: kind, timestamp: timestamp, payload: payload.bytes)
        self.timeline = timeline
    }
}

/// The payload of a record: at least one byte. An empty payload would delete the message that the broker retains for
/// its topic, and consumers could not read it.
package struct RecordPayload: Hashable, Sendable {
    /// The bytes; at least one.
    package let bytes: [UInt8]

    /// - Parameters:
    ///   - first: The first byte.
    ///   - rest: The other bytes, if any.
    package init(first: UInt8, rest: some Collection<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1 + rest.count)
        bytes.append(first)
        bytes.append(contentsOf: rest)
        self.bytes = bytes
    }
}

/// A stored record.
package struct StoredRecord: Hashable, Sendable {
    /// The epoch in which the record was made: an older one for a salvaged record.
    package var epoch: Int64
    /// The sequence number in the epoch.
    package var seq: Int64
    /// The kind of the record.
    package var kind: RecordKind
    /// The instant that the record is about.
    package var timestamp: Timestamp
    /// The payload to publish.
    package var payload: [UInt8]

    /// The key: epoch and sequence number.
    package var key: RecordKey { RecordKey(epoch: epoch, seq: seq) }

    /// Creates a stored record.
    package init(epoch: Int64, seq: Int64, kind: RecordKind, timestamp: Timestamp, payload: [UInt8]) {
        self.epoch = epoch
        self.seq = seq
        self.kind = kind
        self.timestamp = timestamp
        self.payload = payload
    }
}
