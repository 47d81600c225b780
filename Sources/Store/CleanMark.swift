import Glibc

/// A note beside a database that says in what condition it was left: whoever finds the files exactly as the note says
/// need not read all of them to know that they are whole.
///
/// Whatever writes to one of the files afterwards, a copy or a repair too, changes its time of modification, which the
/// file system keeps in nanoseconds: the note then speaks of other files and counts for nothing. So it is never removed,
/// and a power cut cannot leave one that is wrong.
enum CleanMark {
    private static let version = "1"

    /// Writes the note. It need not survive a power cut: without it the next opening takes longer, that is all.
    static func leave(besides path: String) {
        guard let condition = condition(of: path) else { return }
        let descriptor = open(name(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(condition.utf8)
        _ = write(descriptor, bytes, bytes.count)
    }

    /// Whether the files are as the note says.
    static func holds(for path: String) -> Bool {
        guard let condition = condition(of: path) else { return false }
        let descriptor = open(name(path), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 && bytes[..<count].elementsEqual(condition.utf8)
    }

    private static func name(_ path: String) -> String { path + "-clean" }

    /// Which files these are, how long, and when each was last written to; nil where there is none, or a journal of
    /// another kind beside it.
    private static func condition(of path: String) -> String? {
        guard !FileSystem.exists(path + "-journal") else { return nil }
        var text = version
        for file in [path, path + "-wal"] {
            var information = stat()
            guard lstat(file, &information) == 0 else { return nil }
            let time = information.st_mtim
            text += " \(information.st_dev) \(information.st_ino) \(information.st_size) \(time.tv_sec).\(time.tv_nsec)"
        }
        return text + "\n"
    }
}
