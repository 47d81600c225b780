/// The writes of a process to its database, from strace: the number of device pages that each fsync writes.
///
/// A file system writes whole blocks of 4 KiB, and the page cache keeps one copy of each. So an fsync writes the
/// distinct blocks since the previous fsync. The file system's own journal is not included.
struct WriteTrace {
    static let blockBytes = 4096
    /// The bytes of each write that the trace must contain: the header of a frame of the write-ahead log.
    static let frameHeaderBytes = 24

    /// The counts of one measured time.
    struct Counts {
        var fsyncs = 0
        /// The frames of the log that end a transaction.
        var commits = 0
        /// The fsyncs of the database itself, not of its log: one per checkpoint.
        var checkpoints = 0
        var blocks = 0
        var bytesHandedOver = 0
        var bytesToDevice: Int { blocks * WriteTrace.blockBytes }
    }

    private(set) var counts = Counts()
    private var dirty: [String: Set<Int>] = [:]
    /// The beginnings of calls that a line of another thread interrupted, by thread.
    private var unfinished: [Substring: Substring] = [:]

    /// - Parameter text: The output of `strace -f -y -s 24 -e trace=pwrite64,fsync,fdatasync`.
    init(_ text: String, database: String) {
        for line in text.split(separator: "\n") {
            guard let space = line.firstIndex(of: " ") else { continue }
            let thread = line[..<space]
            var call = line[space...].drop { $0 == " " }
            if let cut = call.firstRange(of: " <unfinished") {
                unfinished[thread] = call[..<cut.lowerBound]
                continue
            }
            if call.hasPrefix("<... "), let head = unfinished.removeValue(forKey: thread) { call = head }
            guard call.contains(database) else { continue }
            take(call)
        }
    }

    private mutating func take(_ call: Substring) {
        guard let open = call.firstIndex(of: "<"), let shut = call.firstIndex(of: ">") else { return }
        let file = String(call[call.index(after: open)..<shut])
        if call.hasPrefix("fsync") || call.hasPrefix("fdatasync") {
            counts.fsyncs += 1
            if !file.hasSuffix("-wal") { counts.checkpoints += 1 }
            counts.blocks += dirty.removeValue(forKey: file)?.count ?? 0
        } else if call.hasPrefix("pwrite64") {
            // pwrite64(7</path>, "..."..., length, offset) = length, or without its end if it was interrupted.
            guard let first = call.firstIndex(of: "\""), let last = call.lastIndex(of: "\""), first < last else {
                return
            }
            let numbers = call[last...].prefix { $0 != ")" }.split(separator: ",").suffix(2).compactMap {
                Int($0.drop { $0 == " " })
            }
            guard numbers.count == 2, numbers[0] > 0 else { return }
            if file.hasSuffix("-wal"), numbers[0] == Self.frameHeaderBytes {
                // The database's size after the commit, or zero in all frames before its last; see SQLite's file
                // format, 4.1.
                let header = Self.bytes(ofLiteral: call[call.index(after: first)..<last])
                if header.count >= 8, header[4..<8].contains(where: { $0 != 0 }) { counts.commits += 1 }
            }
            counts.bytesHandedOver += numbers[0]
            let blocks = numbers[1] / Self.blockBytes...(numbers[1] + numbers[0] - 1) / Self.blockBytes
            dirty[file, default: []].formUnion(blocks)
        }
    }

    /// Returns the bytes of a string as strace prints it: as in C, with octal escapes.
    private static func bytes(ofLiteral text: Substring) -> [UInt8] {
        let named: [UInt8: UInt8] = [
            UInt8(ascii: "n"): 10, UInt8(ascii: "t"): 9, UInt8(ascii: "r"): 13, UInt8(ascii: "v"): 11,
            UInt8(ascii: "f"): 12,
        ]
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escaped = rest.first else {
                bytes.append(byte)
                continue
            }
            let octal = rest.prefix(3).prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
            if octal.isEmpty {
                bytes.append(named[escaped] ?? escaped)
                rest.removeFirst()
            } else {
                bytes.append(octal.reduce(0) { $0 &* 8 &+ ($1 - UInt8(ascii: "0")) })
                rest.removeFirst(octal.count)
            }
        }
        return bytes
    }
}
