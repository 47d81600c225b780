import Glibc

/// Gives back the pages of code that nobody has needed for a while.
///
/// Starting touches most of it: relocations, the language's tables of conformances, parsers that run once. The kernel maps those pages
/// and keeps them mapped for as long as there is memory, so that they count as resident though nobody needs them. They are
/// read from the file and never written: letting them go loses nothing, and one that is needed again comes back from the page
/// cache by a fault of a microsecond. It makes the process small as it is counted, and gives the kernel the choice which pages
/// of the cache to keep; it frees no memory that the kernel could not have taken by itself.
///
/// Only code is let go, which is mapped from files to be read and executed: never data, and nothing that the loader has written to. And
/// only by `odograph run`: an agent within another program leaves that one's memory alone.
struct CodePages {
    /// A minute of faults costs about a tenth of a millisecond of processor time.
    private static let intervalSeconds = 60

    /// What the executable was started with, which stays where it is for as long as it runs. What is loaded later may go, and
    /// something else may come to lie there.
    private let ranges: [Range<UInt>]

    /// To be made at the start, before anything is loaded.
    init() { ranges = Self.maps().map(Self.codeRanges) ?? [] }

    /// Until the task is cancelled.
    func keepGivingBack() async {
        while !Task.isCancelled {
            do { try await Task.sleep(for: .seconds(Self.intervalSeconds), tolerance: .seconds(5)) } catch { return }
            for range in ranges {
                madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
            }
        }
    }

    /// The addresses of all files' code in a listing of mappings, see proc_pid_maps(5): readable, executable and private, not
    /// writable.
    static func codeRanges(in maps: String) -> [Range<UInt>] {
        maps.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count == 6, fields[1] == "r-xp", fields[5].drop(while: { $0 == " " }).first == "/" else {
                return nil
            }
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            return bounds.count == 2 && bounds[0] < bounds[1] ? bounds[0]..<bounds[1] : nil
        }
    }

    private static func maps() -> String? {
        guard let file = fopen("/proc/self/maps", "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
