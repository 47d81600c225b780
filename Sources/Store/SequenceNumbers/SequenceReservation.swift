import OdographWire

/// The reserved sequence numbers of one epoch, stored beside the database: see ``SequenceReservationFile``.
///
/// The database can return to an earlier state: its write-ahead log is lost, one bit of it is flipped, an older copy
/// replaces it, or the power fails with `synchronous` normal. This reservation still shows the used numbers.
struct SequenceReservation: Hashable {
    /// The epoch and the seed of its UUIDs.
    var epochIdentity: EpochIdentity
    /// The last number whose commit survives a power cut, with all before it.
    var committedThrough: Int64
    /// The upper bound of all used numbers.
    var reservedThrough: Int64
    /// The latest epoch known on this machine. After a run without the database it is later than `epochIdentity`.
    var latestEpoch: Int64
    /// The minimum size of the write-ahead log while the database is open, in bytes; 0 for an epoch without numbers.
    var logBytes: Int64
    /// Whether each commit since the reservation was written survives a power cut.
    var isDurable: Bool
    /// The boot of the system in which the reservation was written, see ``FileOperations/bootID``. Nil if unknown.
    var bootID: UInt64?
    /// The last number that was announced to the broker, see ``NumberAnnouncement``; 0 for none. Unlike
    /// `reservedThrough` it never becomes smaller.
    var announcedThrough: Int64 = 0
    /// The random name of the newest announcement; 0 for none.
    var announcementID: UInt64 = 0

    /// The newest announcement of the epoch.
    var announcement: NumberAnnouncement {
        NumberAnnouncement(epoch: epochIdentity.epoch, through: announcedThrough, id: announcementID)
    }

    /// Whether the database was closed properly, so that no number is reserved.
    var isClosed: Bool { committedThrough == reservedThrough }

    /// Whether no number of the latest epoch was ever used.
    var isUnused: Bool { reservedThrough == 0 && latestEpoch == epochIdentity.epoch }

    /// Returns the reservation of an epoch without numbers.
    static func initial(_ identities: EpochIdentity) -> SequenceReservation {
        SequenceReservation(
            epochIdentity: identities, committedThrough: 0, reservedThrough: 0, latestEpoch: identities.epoch,
            logBytes: 0, isDurable: true, bootID: nil)
    }
}

/// The encoding of a reservation: 104 bytes, each number little endian.
///
/// | offset | content |
/// |---|---|
/// | 0 | `ODONUMB2` |
/// | 8 | the number of times the file was written |
/// | 16 | epoch |
/// | 24 | seed, 16 bytes |
/// | 40 | `committedThrough` |
/// | 48 | `reservedThrough` |
/// | 56 | `latestEpoch` |
/// | 64 | `logBytes`, times 2, plus 1 if `isDurable` |
/// | 72 | `bootID`; 0 for nil |
/// | 80 | `announcedThrough` |
/// | 88 | `announcementID` |
/// | 96 | FNV-1a (64 bits) of all bytes before |
extension SequenceReservation {
    /// The size of an encoded reservation, in bytes.
    static let byteCount = 104
    private static let magic = Array("ODONUMB2".utf8)

    /// Returns the encoded reservation.
    func bytes(writes: UInt64) -> [UInt8] {
        let words = [
            writes, UInt64(bitPattern: epochIdentity.epoch), epochIdentity.seed.high, epochIdentity.seed.low,
            UInt64(bitPattern: committedThrough), UInt64(bitPattern: reservedThrough),
            UInt64(bitPattern: latestEpoch), UInt64(bitPattern: logBytes << 1 | (isDurable ? 1 : 0)), bootID ?? 0,
            UInt64(bitPattern: announcedThrough), announcementID,
        ]
        let content = Self.magic + words.flatMap(Self.bytes)
        return content + Self.bytes(of: Self.checksum(of: content[...]))
    }

    /// Returns a reservation, and how often the file was written. Nil if the bytes are not a complete reservation.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> (record: SequenceReservation, writes: UInt64)? {
        guard bytes.count >= byteCount, bytes.starts(with: magic) else { return nil }
        let content = bytes.prefix(byteCount - 8)
        func word(_ index: Int) -> UInt64 {
            let start = bytes.startIndex + 8 + 8 * index
            return bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        func number(_ index: Int) -> Int64 { Int64(bitPattern: word(index)) }
        guard word(11) == checksum(of: content) else { return nil }
        let record = SequenceReservation(
            epochIdentity: EpochIdentity(epoch: number(1), seed: EpochIdentity.Seed(high: word(2), low: word(3))),
            committedThrough: number(4), reservedThrough: number(5), latestEpoch: number(6),
            logBytes: number(7) >> 1, isDurable: number(7) & 1 == 1, bootID: word(8) == 0 ? nil : word(8),
            announcedThrough: number(9), announcementID: word(10))
        return (record, word(0))
    }

    private static func bytes(of word: UInt64) -> [UInt8] { withUnsafeBytes(of: word.littleEndian) { Array($0) } }

    private static func checksum(of bytes: ArraySlice<UInt8>) -> UInt64 {
        var checksum = Checksum()
        checksum.add(bytes)
        return checksum.value
    }
}
