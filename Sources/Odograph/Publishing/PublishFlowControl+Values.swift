import OdographStore
import OdographWire

/// The answers of ``PublishFlowControl`` to its owner.
extension PublishFlowControl {
    /// A message with one token.
    struct Publication: Equatable {
        var token: UInt64
        /// The records, at least one; exactly one unless ``isBatch``.
        var records: [StoredRecord]
        var isLive: Bool
        var isBatch = false
    }

    /// The consequence of a refusal by the broker.
    enum Refusal: Equatable {
        /// The record is sent again later.
        case record(RecordKey)
        /// The records of a batch are sent again at once, at most this many in a message.
        case batch(records: Int, nextLimit: Int)
    }

    struct BacklogRequest: Equatable {
        var after: RecordKey?
        var limit: Int
        var maximumBytes: Int
        /// Whether location records are asked for.
        var withLocations = true
    }

    /// A record that is set aside, because the broker ends the connection on it.
    struct SetAside: Equatable {
        var key: RecordKey
        var kind: RecordKind
        var isLive: Bool
        /// The records that wait, and the time for which they do.
        var pause: ConnectionEnds.Pause
    }
}
