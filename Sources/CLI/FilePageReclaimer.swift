import Glibc

/// Gives back the pages of files, code most of all, that nobody has needed for a while.
///
/// Starting touches most of them: relocations, the language's tables of conformances, parsers that run once. The kernel maps those
/// pages and keeps them mapped for as long as there is memory, so that they count as resident though nobody needs them. They are
/// read from the file and were never written: letting them go loses nothing, and one that is needed again comes back from the
/// page cache by a fault of a microsecond. It makes the process small as it is counted, and gives the kernel the choice which
/// pages of the cache to keep; it frees no memory that the kernel could not have taken by itself.
///
/// Only by `odograph run`: an agent within another program leaves that one's memory alone.
struct FilePageReclaimer {
    /// When the agent has started and found its broker; what it needed for that it needs once.
    private static let initialDelaySeconds = 10
    /// A minute of faults costs about a tenth of a millisecond of processor time.
    private static let intervalSeconds = 60

    /// What the executable was started with, which stays where it is for as long as it runs. What is loaded later may go, and
    /// something else may come to lie there.
    private let ranges: [Range<UInt>]

    /// To be made at the start, before anything is loaded.
    init() { ranges = Self.readMappings().map(Self.cleanRanges) ?? [] }

    /// Until the task is cancelled.
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

    /// The addresses of what is mapped from files, may not be written and never was, in a listing of mappings; see
    /// proc_pid_smaps(5).
    ///
    /// What the loader has written to and then protected (relocations) has pages of its own, "Anonymous": it would be lost.
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

    /// `7f00-8f00` as the listing spells a mapping's addresses, and nil for everything else.
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
