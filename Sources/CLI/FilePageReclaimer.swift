import Glibc

/// Releases mapped file pages, mostly code, that were not used recently.
///
/// The start of the program touches most of them: relocations, protocol conformance tables, parsers that run once. They
/// remain resident while memory is free. They were never written, so releasing them loses nothing: a page that is used
/// again returns from the page cache by a fault of about a microsecond. This lowers the resident size of the process
/// and lets the kernel choose which cached pages to keep. It frees no memory that the kernel could not reclaim itself.
///
/// Only `odograph run` uses it: an agent within another program must not affect the memory of that program.
struct FilePageReclaimer {
    /// The delay before the first release, by which the agent has started and connected to the broker.
    private static let initialDelaySeconds = 10
    /// The interval of the releases. The page faults of a minute cost about 0.1 ms of processor time.
    private static let intervalSeconds = 60

    /// The mappings of the executable at its start, which remain as long as it runs. Files that are loaded later may be
    /// unmapped, and their addresses used again.
    private let ranges: [Range<UInt>]

    /// Reads the mappings. Must be called at the start, before other files are loaded.
    init() { ranges = Self.readMappings().map(Self.cleanRanges) ?? [] }

    /// Releases the pages repeatedly until the task is cancelled.
    func reclaimPeriodically() async {
        var seconds = Self.initialDelaySeconds
        while !Task.isCancelled {
            do { try await Task.sleep(for: .seconds(seconds), tolerance: .seconds(2)) } catch { return }
            for range in ranges {
                madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
            }
            seconds = Self.intervalSeconds
        }
    }

    /// Returns the addresses of read-only file mappings without modified pages; see proc_pid_smaps(5).
    ///
    /// Pages that the loader modified and then protected (relocations) are "Anonymous". Releasing them would lose them.
    static func cleanRanges(in listing: String) -> [Range<UInt>] {
        var found: [Range<UInt>] = []
        var candidate: Range<UInt>?
        for line in listing.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            if fields.first == "Anonymous:" {
                if let candidate, fields.count > 1, fields[1] == "0" { found.append(candidate) }
                candidate = nil
            } else if let range = fields.first.flatMap(addresses) {
                let isUnwritable = fields.count == 6 && (fields[1] == "r-xp" || fields[1] == "r--p")
                candidate = isUnwritable && fields[5].drop(while: { $0 == " " }).first == "/" ? range : nil
            }
        }
        return found
    }

    /// Parses the addresses of a mapping, such as `7f00-8f00`; nil for other text.
    private static func addresses(_ text: Substring) -> Range<UInt>? {
        let bounds = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt($0, radix: 16) }
        guard bounds.count == 2, let low = bounds[0], let high = bounds[1], low < high else { return nil }
        return low..<high
    }

    private static func readMappings() -> String? {
        guard let file = fopen("/proc/self/smaps", "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
