import OdographCivilTime
import OdographWire

/// A range of numbers for which no record comes.
package struct GivenUpNumbers: Hashable, Sendable {
    /// A reason why no record comes.
    package enum Reason: Hashable, Sendable {
        /// A reason of the ledger.
        case ledger(LedgerEntry.Reason)
        /// Receipts permitted the deletion of the record, but a database no longer has it.
        case delivered

        /// The word for the reason on the wire.
        package var word: String {
            switch self {
            case .ledger(let reason): reason.rawValue
            case .delivered: "delivered"
            }
        }

        /// Creates a reason from its word; an unknown word is `merged`.
        package init(word: String) {
            self = word == "delivered" ? .delivered : .ledger(LedgerEntry.Reason(rawValue: word) ?? .merged)
        }
    }

    /// The epoch of the numbers.
    package var epoch: Int64
    /// The numbers; each of them is given up.
    package var numbers: ClosedRange<Int64>
    /// The reason.
    package var reason: Reason

    /// Creates a range.
    package init(epoch: Int64, numbers: ClosedRange<Int64>, reason: Reason) {
        self.epoch = epoch
        self.numbers = numbers
        self.reason = reason
    }
}

/// The conversion between given-up numbers and the payload of the record that names them.
package struct GivenUpCodec: Sendable {
    /// Returns the payload of a record that names numbers.
    package var encode: @Sendable (RecordIdentity, Timestamp, [GivenUpNumbers]) -> RecordPayload
    /// Returns the numbers that a payload names; none for another payload.
    package var decode: @Sendable ([UInt8]) -> [GivenUpNumbers]

    /// Creates a conversion.
    package init(
        encode: @escaping @Sendable (RecordIdentity, Timestamp, [GivenUpNumbers]) -> RecordPayload,
        decode: @escaping @Sendable ([UInt8]) -> [GivenUpNumbers]
    ) {
        self.encode = encode
        self.decode = decode
    }
}
