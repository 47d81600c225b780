import OdographStore
import OdographWire

/// A message that the client has, and that the broker has not acknowledged: a record, or a batch.
struct OutstandingMessage {
    /// The records in it, in the order of their numbers; at least one.
    var keys: [RecordKey]
    /// The kind of the first record.
    var kind: RecordKind
    /// The size of the payloads, bytes.
    var bytes: Int
    /// Whether it was sent on the topic of live records.
    var isLive: Bool
    /// Whether it is a batch.
    var isBatch: Bool
    /// When the client got it, on the monotonic clock.
    var sentUptimeMilliseconds: Int64

    /// The subject that is blamed if the connection ends before the acknowledgement.
    var subject: ConnectionEnds.Subject { isBatch ? .batch : .record(keys[0], kind) }
}
