/// The pages that a write-ahead log adds to its database: those of its complete transactions.
///
/// Format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log. A frame counts when its salts are those of the header, its
/// checksum continues that of the frames before it, and it or a later such frame ends a transaction. SQLite's own recovery decides by
/// the same rules.
struct WriteAheadLog {
    private static let headerBytes = 32
    private static let frameHeaderBytes = 24

    /// The whole log.
    private let bytes: [UInt8]
    /// The size of a page, in bytes.
    let pageBytes: Int
    /// The size of the database after the last complete transaction, in pages. Nil where there is none.
    private(set) var pageCount: Int?
    /// Where the newest content of a page begins in the log, by page number, from 1.
    private var starts: [Int: Int] = [:]

    /// Reads a log.
    ///
    /// - Returns: Nil where the bytes are no log.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headerBytes else { return nil }
        let magic = Self.word(bytes, at: 0)
        guard magic & ~1 == 0x377F_0682 else { return nil }
        pageBytes = Int(Self.word(bytes, at: 8))
        guard pageBytes >= 512, pageBytes <= 65_536, pageBytes & (pageBytes - 1) == 0 else { return nil }
        var sum = Checksum(isBigEndian: magic & 1 == 1)
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
            for (number, start) in starts where number * pageBytes <= database.count {
                let page = UnsafeMutableRawBufferPointer(
                    rebasing: database[(number - 1) * pageBytes..<number * pageBytes])
                page.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + pageBytes]))
            }
        }
    }

    private mutating func readFrames(_ header: Checksum) {
        var sum = header
        let salts = bytes[16..<24]
        var waiting: [Int: Int] = [:]
        var start = Self.headerBytes
        while start + Self.frameHeaderBytes + pageBytes <= bytes.count {
            let content = start + Self.frameHeaderBytes
            let number = Int(Self.word(bytes, at: start))
            guard number > 0, bytes[start + 8..<start + 16] == salts else { return }
            sum.add(bytes[start..<start + 8])
            sum.add(bytes[content..<content + pageBytes])
            guard sum.matches(bytes, at: start + 16) else { return }
            waiting[number] = content
            let count = Int(Self.word(bytes, at: start + 4))
            if count > 0 {
                starts.merge(waiting) { $1 }
                waiting = [:]
                pageCount = count
            }
            start = content + pageBytes
        }
    }

    private static func word(_ bytes: [UInt8], at index: Int) -> UInt32 {
        bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The log's checksum: two sums over pairs of words.
    private struct Checksum {
        let isBigEndian: Bool
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

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
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)
            return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
        }
    }
}
