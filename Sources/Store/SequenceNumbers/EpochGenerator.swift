import CivilTime

/// The choice of a new epoch.
///
/// The upper 21 bits are hours since 1970, the lower 32 bits are random: epochs that begin in the same hour, or on a machine whose clock begins
/// in 1970 at each start, differ all the same. The result is below 2^53, so that every JSON parser reads it exactly. Earlier
/// agents used seconds since 1970, which are smaller than any of these.
enum EpochGenerator {
    private static let randomBits: Int64 = 32
    private static let latestHour: Int64 = 1 << 21 - 1
    /// The largest number that is taken as an epoch when it comes from a place without a checksum. A flipped bit can claim no more,
    /// and 65,536 hours of later epochs remain.
    static let latestCredible: Int64 = (latestHour - 1 << 16) << randomBits

    /// Returns a new epoch, later than all known ones.
    ///
    /// - Parameters:
    ///   - known: The latest known epoch; 0 for none. Read from a place without a checksum, it is `credible`.
    ///   - now: The machine's time. It may be wrong: it decides only the order of epochs that do not know of each other.
    static func next(
        after known: Int64, at now: Timestamp, using generator: inout some RandomNumberGenerator
    ) -> Int64 {
        let hour = min(max(now.secondsSinceEpoch / 3600, 1), latestHour)
        let later = max(hour, (known >> randomBits) + 1)
        guard later <= latestHour else { return known + 1 }
        return later << randomBits | Int64(UInt32.random(in: .min ... .max, using: &generator))
    }

    /// Returns the number if it can be an epoch, otherwise 0.
    static func credible(_ epoch: Int64) -> Int64 { (1...latestCredible).contains(epoch) ? epoch : 0 }
}
