public import CivilTime

/// A record that is to be committed. Its bytes are made in the transaction, since they contain its identity.
public struct PendingRecord: Sendable {
    /// What it is.
    public var kind: RecordKind
    /// The instant that it speaks of.
    public var timestamp: Timestamp
    /// Where it belongs among the events that can be asked for; nil for a record that is none of the timeline.
    public var timeline: TimelineKey?
    /// Makes the bytes that are stored and published. Called once for each try to commit, on the store's thread.
    public var encode: @Sendable (RecordIdentity) -> RecordPayload

    /// - Parameters: as the properties of the same names.
    public init(
        kind: RecordKind, timestamp: Timestamp, timeline: TimelineKey? = nil,
        encode: @escaping @Sendable (RecordIdentity) -> RecordPayload
    ) {
        self.kind = kind
        self.timestamp = timestamp
        self.timeline = timeline
        self.encode = encode
    }
}

/// The bytes of a record: one at the least. An empty payload would delete the message that the broker retains for its topic,
/// and no consumer could read it.
public struct RecordPayload: Hashable, Sendable {
    /// The bytes, never empty.
    public let bytes: [UInt8]

    /// - Parameters:
    ///   - first: the first byte.
    ///   - rest: the others, if there are any.
    public init(first: UInt8, rest: some Collection<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1 + rest.count)
        bytes.append(first)
        bytes.append(contentsOf: rest)
        self.bytes = bytes
    }

    /// - Returns: nil where there are no bytes.
    public init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return nil }
        self.bytes = bytes
    }
}

/// A record that is on the disk.
public struct StoredRecord: Hashable, Sendable {
    /// The database that it was made in: an older one for a record that was salvaged.
    public var epoch: Int64
    /// Its number in it.
    public var seq: Int64
    /// What it is.
    public var kind: RecordKind
    /// The instant that it speaks of.
    public var timestamp: Timestamp
    /// The bytes to publish.
    public var payload: [UInt8]

    /// Epoch and number together.
    public var key: RecordKey { RecordKey(epoch: epoch, seq: seq) }

    /// - Parameters: as the properties of the same names.
    public init(epoch: Int64, seq: Int64, kind: RecordKind, timestamp: Timestamp, payload: [UInt8]) {
        self.epoch = epoch
        self.seq = seq
        self.kind = kind
        self.timestamp = timestamp
        self.payload = payload
    }
}
