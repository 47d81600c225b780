/// The statement about the numbers of one epoch that stands in a file beside the database: see ``SequenceReservationFile``.
///
/// The database can come back in an earlier state: its write-ahead log is lost, one bit of it is flipped, an older copy
/// is put in its place, or the power fails with `synchronous` normal. This record then still says which numbers must
/// not be used again.
struct SequenceReservation: Hashable {
    /// The epoch, and the seed of its UUIDs.
    var epochIdentity: EpochIdentity
    /// Every number up to this one was committed so that not even a power cut takes it back.
    var committedThrough: Int64
    /// No number above this one was ever used.
    var reservedThrough: Int64
    /// The latest epoch that this machine knows of. It is later than the record's own after a run without a database.
    var latestEpoch: Int64
    /// The least size of the write-ahead log while the database is open, in bytes; 0 for an epoch that has no number
    /// yet.
    var logBytes: Int64
    /// Whether each commit since the record was written survives a power cut.
    var isDurable: Bool
    /// The run of the system in which the record was written, see ``FileOperations/bootID``. Nil where it is not
    /// known.
    var bootID: UInt64?

    /// A Boolean value that indicates whether the database was closed properly: then no number is reserved.
    var isClosed: Bool { committedThrough == reservedThrough }

    /// A Boolean value that indicates whether no number of the latest epoch was ever used.
    var isUnused: Bool { reservedThrough == 0 && latestEpoch == epochIdentity.epoch }

    /// The record of an epoch that has no number yet.
    static func initial(_ identities: EpochIdentity) -> SequenceReservation {
        SequenceReservation(
            epochIdentity: identities, committedThrough: 0, reservedThrough: 0, latestEpoch: identities.epoch,
            logBytes: 0, isDurable: true, bootID: nil)
    }
}

/// The bytes of a record: 88 of them, each number little endian.
///
/// | offset | content |
/// |---|---|
/// | 0 | `ODONUMB1` |
/// | 8 | generation: how often the file was written |
/// | 16 | epoch |
/// | 24 | seed, 16 bytes |
/// | 40 | `committedThrough` |
/// | 48 | `reservedThrough` |
/// | 56 | `latestEpoch` |
/// | 64 | `logBytes`, times 2, plus 1 where `isDurable` |
/// | 72 | `systemRun`; 0 for nil |
/// | 80 | FNV-1a (64 bits) of all bytes before |
extension SequenceReservation {
    /// The size of the encoded record, in bytes.
    static let byteCount = 88
    private static let magic = Array("ODONUMB1".utf8)

    /// Returns the encoded record.
    ///
    /// - Parameter generation: How often the file was written.
    func bytes(generation: UInt64) -> [UInt8] {
        let words = [
            generation, UInt64(bitPattern: epochIdentity.epoch), epochIdentity.seed.high, epochIdentity.seed.low,
            UInt64(bitPattern: committedThrough), UInt64(bitPattern: reservedThrough),
            UInt64(bitPattern: latestEpoch), UInt64(bitPattern: logBytes << 1 | (isDurable ? 1 : 0)), bootID ?? 0,
        ]
        let content = Self.magic + words.flatMap(Self.bytes)
        return content + Self.bytes(of: Self.checksum(of: content[...]))
    }

    /// Returns a record and its generation. Nil where the bytes are not those of a whole record.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> (record: SequenceReservation, generation: UInt64)? {
        guard bytes.count >= byteCount, bytes.starts(with: magic) else { return nil }
        let content = bytes.prefix(byteCount - 8)
        func word(_ index: Int) -> UInt64 {
            let start = bytes.startIndex + 8 + 8 * index
            return bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        func number(_ index: Int) -> Int64 { Int64(bitPattern: word(index)) }
        guard word(9) == checksum(of: content) else { return nil }
        let record = SequenceReservation(
            epochIdentity: EpochIdentity(epoch: number(1), seed: EpochIdentity.Seed(high: word(2), low: word(3))),
            committedThrough: number(4), reservedThrough: number(5), latestEpoch: number(6),
            logBytes: number(7) >> 1, isDurable: number(7) & 1 == 1, bootID: word(8) == 0 ? nil : word(8))
        return (record, word(0))
    }

    private static func bytes(of word: UInt64) -> [UInt8] { withUnsafeBytes(of: word.littleEndian) { Array($0) } }

    private static func checksum(of bytes: ArraySlice<UInt8>) -> UInt64 {
        var checksum = Checksum()
        checksum.add(bytes)
        return checksum.value
    }
}
