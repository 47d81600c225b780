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

/// The identities of one epoch: a pure function of its seed. So a repeated commit, or an analysis without a database,
/// gets the same ones.
public struct EpochIdentity: Hashable, Sendable {
    /// The epoch.
    public let epoch: Int64
    /// The seed: 128 random bits, generated once for the epoch.
    public let seed: Seed

    /// 128 bits.
    public struct Seed: Hashable, Sendable {
        /// The first 64 bits.
        public var high: UInt64
        /// The last 64 bits.
        public var low: UInt64

        /// Creates a seed.
        public init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }

        /// Returns a seed from the system's random number generator.
        public static func random() -> Seed { Seed(high: .random(in: .min ... .max), low: .random(in: .min ... .max)) }
    }

    /// Creates the identities of an epoch.
    public init(epoch: Int64, seed: Seed) {
        self.epoch = epoch
        self.seed = seed
    }

    /// Returns the identity of a record.
    ///
    /// Source: two rounds of the SplitMix64 finalizer (Steele, Lea, Flood: Fast splittable pseudorandom number
    /// generators, OOPSLA 2014; constants: Stafford's variant 13), each keyed with one half of the seed. For one seed,
    /// the first 64 bits before the version is set are a bijection of `seq`. UUIDs can be guessed.
    ///
    /// - Parameter seq: The sequence number, from 1.
    public func identity(forSeq seq: Int64) -> RecordIdentity {
        let counter = UInt64(bitPattern: seq) &* 0x9E37_79B9_7F4A_7C15
        let high = Self.mixed(Self.mixed(counter) ^ seed.high)
        let low = Self.mixed(Self.mixed(high &+ seed.low) ^ counter)
        return RecordIdentity(epoch: epoch, seq: seq, uuid: RecordUUID(high: high, low: low))
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
