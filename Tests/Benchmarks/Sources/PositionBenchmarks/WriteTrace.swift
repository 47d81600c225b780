/// What a process wrote to its database, from strace: how many pages of the device each fsync made it write.
///
/// A file system writes whole blocks, 4 KiB, of which the page cache keeps one copy: so what an fsync sends to the device
/// is the set of distinct blocks that were written since the one before. The file system's own journal is not in it.
struct WriteTrace {
    static let blockBytes = 4096

    /// Counts of one measured time.
    struct Counts {
        var fsyncs = 0
        /// Of the database itself, not of its log: each stands for a checkpoint.
        var checkpoints = 0
        var blocks = 0
        var bytesHandedOver = 0
        var bytesToDevice: Int { blocks * WriteTrace.blockBytes }
    }

    private(set) var counts = Counts()
    private var dirty: [String: Set<Int>] = [:]
    /// The beginnings of calls that another thread's line cut in two, by thread.
    private var unfinished: [Substring: Substring] = [:]

    /// - Parameter text: the output of `strace -f -y -e trace=pwrite64,fsync,fdatasync`.
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
            // pwrite64(7</path>, "..."..., length, offset) = length, or without its end where it was cut.
            let arguments = call.split(separator: ")").first ?? call
            let numbers = arguments.split(separator: ",").suffix(2).compactMap {
                Int($0.drop { $0 == " " })
            }
            guard numbers.count == 2, numbers[0] > 0 else { return }
            counts.bytesHandedOver += numbers[0]
            let blocks = numbers[1] / Self.blockBytes...(numbers[1] + numbers[0] - 1) / Self.blockBytes
            dirty[file, default: []].formUnion(blocks)
        }
    }
}
