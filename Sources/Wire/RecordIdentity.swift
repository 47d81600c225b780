/// The identity of a record, which the store assigns at the commit.
public struct RecordIdentity: Hashable, Sendable {
    /// The epoch in which the record is made.
    public var epoch: Int64
    /// The sequence number in the epoch, from 1, never used twice.
    public var seq: Int64
    /// The record's universally unique identifier, the same in every redelivery.
    public var uuid: RecordUUID

    /// Creates an identity.
    public init(epoch: Int64, seq: Int64, uuid: RecordUUID) {
        self.epoch = epoch
        self.seq = seq
        self.uuid = uuid
    }
}

/// A UUID of version 8 (RFC 9562, section 5.8), with 122 custom bits.
public struct RecordUUID: Hashable, Sendable, CustomStringConvertible {
    /// The first 8 bytes, big endian.
    public let high: UInt64
    /// The last 8 bytes, big endian.
    public let low: UInt64

    /// Creates a UUID from 128 bits, of which six are replaced by version and variant.
    public init(high: UInt64, low: UInt64) {
        self.high = high & ~0xF000 | 0x8000
        self.low = low & ~(0b11 << 62) | 0b10 << 62
    }

    /// The lowercase hexadecimal text, `01234567-89ab-8def-8123-456789abcdef`.
    public var description: String {
        String(unsafeUninitializedCapacity: 36) { text in
            var position = 0
            for nibble in 0..<32 {
                if [8, 12, 16, 20].contains(nibble) {
                    text[position] = UInt8(ascii: "-")
                    position += 1
                }
                let word = nibble < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - nibble % 16 * 4)) & 0xF
                text[position] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                position += 1
            }
            return position
        }
    }
}
