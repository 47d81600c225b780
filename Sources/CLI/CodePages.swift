import Glibc

/// Gives back the pages of the executable's code that nobody has needed for a while.
///
/// Starting touches most of it: relocations, the language's tables of conformances, parsers that run once. The kernel maps those pages
/// and keeps them mapped for as long as there is memory, so that they count as resident though nobody needs them. They are
/// read from the file and never written: letting them go loses nothing, and one that is needed again comes back from the page
/// cache by a fault of a microsecond. It makes the process small as it is counted, and gives the kernel the choice which pages
/// of the cache to keep; it frees no memory that the kernel could not have taken by itself.
///
/// Only the executable's own read-only code is let go, never data, and only by `odograph run`: an agent within another program leaves
/// that one's memory alone.
struct CodePages {
    /// A minute of faults costs about a tenth of a millisecond of processor time.
    private static let intervalSeconds = 60

    /// Where the code is mapped; nil where that cannot be told.
    private let mapping: UnsafeMutableRawBufferPointer?

    init() {
        mapping = Self.maps().flatMap { Self.codeRange(in: $0, of: Self.executable()) }
            .flatMap { range in
                UnsafeMutableRawPointer(bitPattern: range.lowerBound).map {
                    UnsafeMutableRawBufferPointer(start: $0, count: Int(range.upperBound - range.lowerBound))
                }
            }
    }

    /// Until the task is cancelled.
    func keepGivingBack() async {
        guard let mapping else { return }
        while !Task.isCancelled {
            do { try await Task.sleep(for: .seconds(Self.intervalSeconds), tolerance: .seconds(5)) } catch { return }
            madvise(mapping.baseAddress, mapping.count, MADV_DONTNEED)
        }
    }

    /// The addresses of a file's code in a listing of mappings, see proc_pid_maps(5): readable, executable and private, not writable.
    static func codeRange(in maps: String, of path: String?) -> Range<UInt>? {
        guard let path, !path.isEmpty else { return nil }
        for line in maps.split(separator: "\n") where line.hasSuffix(" \(path)") {
            let fields = line.split(separator: " ", maxSplits: 2)
            guard fields.count == 3, fields[1] == "r-xp" else { continue }
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2, bounds[0] < bounds[1] { return bounds[0]..<bounds[1] }
        }
        return nil
    }

    private static func maps() -> String? {
        guard let file = fopen("/proc/self/maps", "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func executable() -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
