import Glibc

/// The format of a file, from its first bytes.
enum CaptureFormat: Hashable {
    case gpsd
    case gpx
    case empty
    /// Another format, with its usual name.
    case foreign(String)

    /// Detects the format.
    /// - Parameter head: At most the first 4096 bytes of the file.
    init(head: UnsafeBufferPointer<UInt8>) {
        guard !head.isEmpty else {
            self = .empty
            return
        }
        for (magic, name) in Self.magics where head.starts(with: magic) {
            self = .foreign(name)
            return
        }
        // XML can be UTF-16.
        let isUTF16 = Self.isUTF16(head)
        let text = head.withoutByteOrderMark
        let first = text.first { !Self.whitespace.contains($0) && !(isUTF16 && [0, 0xFF, 0xFE].contains($0)) }
        if first == UInt8(ascii: "<") {
            self = .gpx
        } else if isUTF16 {
            self = .foreign("text in UTF-16 (save it as UTF-8)")
        } else if first == nil {
            self = .empty
        } else if head.contains(0) {
            self = .foreign("binary data")
        } else {
            self = .gpsd
        }
    }

    /// Returns whether a text has the mark of UTF-16, or begins with two characters of ASCII in it.
    private static func isUTF16(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) { return true }
        guard head.count >= 4 else { return false }
        let (even, odd) = ([head[0], head[2]], [head[1], head[3]])
        func areASCII(_ bytes: [UInt8]) -> Bool {
            bytes.allSatisfy { whitespace.contains($0) || (0x20..<0x7F).contains($0) }
        }
        return (areASCII(even) && odd == [0, 0]) || (even == [0, 0] && areASCII(odd))
    }

    private static let whitespace: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

    private static let magics: [([UInt8], String)] = [
        ([0x1F, 0x8B], "a gzip archive (unpack it first)"),
        ([0x28, 0xB5, 0x2F, 0xFD], "a Zstandard archive (unpack it first)"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "an xz archive (unpack it first)"),
        ([0x50, 0x4B, 0x03, 0x04], "a zip archive (unpack it first)"),
        ([0x7F, 0x45, 0x4C, 0x46], "a program"),
        ([0x53, 0x51, 0x4C, 0x69, 0x74, 0x65], "an SQLite database"),
    ]
}

extension Collection<UInt8> {
    /// The bytes without the mark that some editors write before UTF-8.
    var withoutByteOrderMark: SubSequence { starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...] }
}
