/// The pages that a write-ahead log adds to its database: those of its complete transactions.
///
/// Format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log. A frame counts when its salts are those of the
/// header, its checksum continues that of the frames before it, and it or a later such frame ends a transaction.
/// SQLite's own recovery decides by the same rules.
struct WriteAheadLog {
    static let headerBytes = 32
    private static let frameHeaderBytes = 24

    /// The whole log.
    private let bytes: [UInt8]
    /// The size of a page, in bytes.
    let pageBytes: Int
    /// The size of the database after the last complete transaction, in pages. Nil where there is none.
    private(set) var pageCount: Int?
    /// What follows the last complete transaction.
    private(set) var end = End.whole
    /// Where the newest content of a page begins in the log, by page number, from 1.
    private var pageOffsets: [Int: Int] = [:]

    /// What follows the last complete transaction of a log.
    enum End: Hashable {
        /// Nothing.
        case whole
        /// The beginning of another: its process ended before it was complete.
        case unfinished
        /// One frame with this log's salts, and with another page than its own: its process ended between the writing
        /// of both, or one of them was damaged.
        case torn
        /// A frame that does not continue it, or others behind such a frame. They are of this log and of no earlier
        /// one, since they have its salts.
        ///
        /// - isFollowed: Whether a transaction ends among them, and another one had begun after it.
        case broken(isFollowed: Bool)
    }

    /// Reads a log.
    ///
    /// - Returns: Nil where the bytes are no log.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headerBytes else { return nil }
        // The checksums of a log that begins so are of little-endian words: each machine that runs Swift writes it.
        guard Self.word(bytes, at: 0) == 0x377F_0682 else { return nil }
        pageBytes = Int(Self.word(bytes, at: 8))
        guard pageBytes >= 512, pageBytes <= 65_536, pageBytes & (pageBytes - 1) == 0 else { return nil }
        var sum = FrameChecksum()
        sum.add(bytes[..<24])
        guard sum.matches(bytes, at: 24) else { return nil }
        self.bytes = bytes
        readFrames(sum)
    }

    /// Writes the pages over those of a database.
    ///
    /// - Parameter database: At least ``pageCount`` pages.
    func overlay(_ database: UnsafeMutableRawBufferPointer) {
        bytes.withUnsafeBytes { source in
            for (number, start) in pageOffsets where number * pageBytes <= database.count {
                let page = UnsafeMutableRawBufferPointer(
                    rebasing: database[(number - 1) * pageBytes..<number * pageBytes])
                page.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + pageBytes]))
            }
        }
    }

    private mutating func readFrames(_ header: FrameChecksum) {
        var sum = header
        let salts = bytes[16..<24]
        var waiting: [Int: Int] = [:]
        var start = Self.headerBytes
        while start + Self.frameHeaderBytes + pageBytes <= bytes.count {
            let content = start + Self.frameHeaderBytes
            let number = Int(Self.word(bytes, at: start))
            guard number > 0, bytes[start + 8..<start + 16] == salts else { break }
            sum.add(bytes[start..<start + 8])
            sum.add(bytes[content..<content + pageBytes])
            guard sum.matches(bytes, at: start + 16) else { break }
            waiting[number] = content
            let count = Int(Self.word(bytes, at: start + 4))
            if count > 0 {
                pageOffsets.merge(waiting) { $1 }
                waiting = [:]
                pageCount = count
            }
            start = content + pageBytes
        }
        scanTail(from: start, isUnfinished: !waiting.isEmpty)
    }

    /// Looks for frames of this log behind the last one that continues it.
    private mutating func scanTail(from first: Int, isUnfinished: Bool) {
        let frameBytes = Self.frameHeaderBytes + pageBytes
        var strayCount = 0
        var isTorn = false
        var isComplete = false
        var isFollowed = false
        for start in stride(from: first, through: bytes.count - frameBytes, by: frameBytes) {
            let equalWords = [0, 4].filter { word(start + 8 + $0) == word(16 + $0) }.count
            // A flipped bit changes one of the salts.
            guard equalWords > 0 else { continue }
            strayCount += 1
            guard equalWords == 2 else { continue }
            isTorn = start == first
            isFollowed = isFollowed || isComplete
            // Of a header that a power cut has torn, the size of the database may be that of an earlier log.
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

    /// Whether the checksum of a frame continues the one that another frame has.
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

    /// The log's checksum: two sums over pairs of words.
    private struct FrameChecksum {
        var first: UInt32 = 0
        var second: UInt32 = 0

        /// - Parameter bytes: A multiple of 8 of them.
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
