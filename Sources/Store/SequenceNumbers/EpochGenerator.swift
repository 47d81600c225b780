import OdographCivilTime

/// Generates epochs.
///
/// The upper 21 bits are hours since 1970, the lower 32 bits are random. So epochs that begin in the same hour, or on a
/// machine whose clock starts in 1970, still differ. The result is below 2^53, so that every JSON parser reads it
/// exactly.
enum EpochGenerator {
    private static let randomBits: Int64 = 32
    private static let latestHour: Int64 = 1 << 21 - 1
    /// The largest epoch that is accepted without a checksum: after a flipped bit, 65,536 hours of epochs remain.
    static let latestCredible: Int64 = (latestHour - 1 << 16) << randomBits

    /// Returns a new epoch that is later than all known epochs.
    ///
    /// - Parameters:
    ///   - known: The latest known epoch; 0 for none. One without a checksum must be `credible`.
    ///   - now: The machine's time. If it is wrong, only epochs that do not know of each other can be out of order.
    static func next(
        after known: Int64, at now: Timestamp, using generator: inout some RandomNumberGenerator
    ) -> Int64 {
        let hour = min(max(now.secondsSinceEpoch / 3600, 1), latestHour)
        let later = max(hour, (known >> randomBits) + 1)
        guard later <= latestHour else { return known + 1 }
        return later << randomBits | Int64(UInt32.random(in: .min ... .max, using: &generator))
    }

    /// Returns the number if it can be an epoch, or else 0.
    static func credible(_ epoch: Int64) -> Int64 { (1...latestCredible).contains(epoch) ? epoch : 0 }
}
