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
        // XML may begin with a byte order mark. Only XML can be UTF-16, because gpsd writes UTF-8.
        let isUTF16 = head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
        let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
        let first = text.first { !Self.whitespace.contains($0) }
        if isUTF16 || first == UInt8(ascii: "<") {
            self = .gpx
        } else if first == nil {
            self = .empty
        } else if head.contains(0) {
            self = .foreign("binary data")
        } else {
            self = .gpsd
        }
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
