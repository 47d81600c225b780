/// The content of a write-ahead log after its complete transactions.
///
/// Format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log. A frame is valid if its salts are those of the
/// header, its checksum continues that of the previous frames, and it or a later valid frame ends a transaction.
/// SQLite's own recovery uses the same rules.
struct WriteAheadLog {
    static let headerBytes = 32
    private static let frameHeaderBytes = 24

    /// The bytes of the log.
    private let bytes: [UInt8]
    /// The size of a page, in bytes.
    private let pageBytes: Int
    /// The data after the last complete transaction.
    private(set) var end = End.whole

    /// The data after the last complete transaction of a log.
    enum End: Hashable {
        /// There is none.
        case whole
        /// The beginning of a transaction that was not completed.
        case unfinished
        /// One frame with this log's salts whose page and checksum differ: the process ended between both writes, or
        /// one of them is damaged.
        case torn
        /// A frame that does not continue the log, or further frames after such a frame. Their salts show that they
        /// belong to this log and to no earlier one.
        ///
        /// - isFollowed: Whether a transaction ends among them, and another one began after it.
        case broken(isFollowed: Bool)
    }

    /// Reads a log.
    ///
    /// - Returns: Nil if the bytes are not a log.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headerBytes else { return nil }
        // This magic number marks checksums of little-endian words, which SQLite writes on little-endian machines.
        guard Self.word(bytes, at: 0) == 0x377F_0682 else { return nil }
        pageBytes = Int(Self.word(bytes, at: 8))
        guard pageBytes >= 512, pageBytes <= 65_536, pageBytes & (pageBytes - 1) == 0 else { return nil }
        var sum = FrameChecksum()
        sum.add(bytes[..<24])
        guard sum.matches(bytes, at: 24) else { return nil }
        self.bytes = bytes
        readFrames(sum)
    }

    private mutating func readFrames(_ header: FrameChecksum) {
        var sum = header
        let salts = bytes[16..<24]
        var isUnfinished = false
        var start = Self.headerBytes
        while start + Self.frameHeaderBytes + pageBytes <= bytes.count {
            let content = start + Self.frameHeaderBytes
            guard Self.word(bytes, at: start) > 0, bytes[start + 8..<start + 16] == salts else { break }
            sum.add(bytes[start..<start + 8])
            sum.add(bytes[content..<content + pageBytes])
            guard sum.matches(bytes, at: start + 16) else { break }
            // The last frame of a transaction has the size of the database after it.
            isUnfinished = Self.word(bytes, at: start + 4) == 0
            start = content + pageBytes
        }
        scanTail(from: start, isUnfinished: isUnfinished)
    }

    /// Searches for frames of this log after the last valid one.
    private mutating func scanTail(from first: Int, isUnfinished: Bool) {
        let frameBytes = Self.frameHeaderBytes + pageBytes
        var strayCount = 0
        var isTorn = false
        var isComplete = false
        var isFollowed = false
        for start in stride(from: first, through: bytes.count - frameBytes, by: frameBytes) {
            let equalWords = [0, 4].filter { word(start + 8 + $0) == word(16 + $0) }.count
            // A flipped bit may have changed one of the two salts.
            guard equalWords > 0 else { continue }
            strayCount += 1
            guard equalWords == 2 else { continue }
            isTorn = start == first
            isFollowed = isFollowed || isComplete
            // After a power cut during writing, a frame header may contain the database size of an earlier log.
            isComplete =
                isComplete || (word(start + 4) > 0 && start > first && continues(start, after: start - frameBytes))
        }
        end =
            switch strayCount {
            case 0: isUnfinished ? .unfinished : .whole
            case 1 where isTorn: .torn
            default: .broken(isFollowed: isFollowed)
            }
    }

    /// Returns whether the checksum of a frame continues that of another frame.
    private func continues(_ start: Int, after previous: Int) -> Bool {
        let content = start + Self.frameHeaderBytes
        var sum = FrameChecksum(first: word(previous + 16), second: word(previous + 20))
        sum.add(bytes[start..<start + 8])
        sum.add(bytes[content..<content + pageBytes])
        return sum.matches(bytes, at: start + 16)
    }

    private func word(_ index: Int) -> UInt32 { Self.word(bytes, at: index) }

    private static func word(_ bytes: [UInt8], at index: Int) -> UInt32 {
        bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The checksum of a log: two sums over pairs of words.
    private struct FrameChecksum {
        var first: UInt32 = 0
        var second: UInt32 = 0

        /// - Parameter bytes: The bytes; their number is a multiple of 8.
        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { bytes in
                for index in stride(from: 0, to: bytes.count, by: 8) {
                    first &+= word(bytes, index) &+ second
                    second &+= word(bytes, index + 4) &+ first
                }
            }
        }

        func matches(_ bytes: [UInt8], at index: Int) -> Bool {
            first == WriteAheadLog.word(bytes, at: index) && second == WriteAheadLog.word(bytes, at: index + 4)
        }

        private func word(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
        }
    }
}
