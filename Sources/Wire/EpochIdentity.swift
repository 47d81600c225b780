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
