import OdographCivilTime
package import OdographStore
package import OdographWire

/// A record whose payload is made when its number is known.
package struct PendingRecord: Sendable {
    /// The instant that the record is about.
    package var timestamp: Timestamp
    private var kind: RecordKind
    private var timeline: TimelineKey?
    /// Returns the payload.
    package var encode: @Sendable (RecordIdentity) -> RecordPayload

    /// Creates a record.
    package init(
        kind: RecordKind, timestamp: Timestamp, timeline: TimelineKey? = nil,
        encode: @escaping @Sendable (RecordIdentity) -> RecordPayload
    ) {
        self.kind = kind
        self.timestamp = timestamp
        self.timeline = timeline
        self.encode = encode
    }

    /// Returns the record with its number.
    package func numbered(_ identity: RecordIdentity) -> NewRecord {
        NewRecord(identity, kind: kind, timestamp: timestamp, timeline: timeline, payload: encode(identity))
    }
}

extension AgentStore {
    /// Commits records with the next numbers, and again when the numbers have changed.
    /// - Returns: The stored records.
    @discardableResult
    package func commit(
        _ records: [PendingRecord], dropped: [RecordKind: Int] = [:], journal: [UInt8], snapshot: [UInt8]? = nil,
        now: Timestamp
    ) throws(StoreError) -> [StoredRecord] {
        while true {
            do throws(StoreError) {
                let identities = try nextIdentities(records.count, dropped: dropped)
                let rows = zip(records, identities).map { $0.numbered($1) }
                try commit(rows, dropped: dropped, journal: journal, snapshot: snapshot, now: now)
                return rows.map(\.record)
            } catch .numbersChanged {
                continue
            }
        }
    }
}
