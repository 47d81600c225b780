import CivilTime
import Glibc

/// The few things that the store does to files itself.
enum FileSystem {
    /// What SQLite keeps beside a database.
    static let companions = ["-wal", "-shm", "-journal"]

    static func exists(_ path: String) -> Bool {
        var information = stat()
        return lstat(path, &information) == 0
    }

    /// A file's size in bytes; 0 where there is none.
    static func size(of path: String) -> Int {
        var information = stat()
        return stat(path, &information) == 0 ? Int(information.st_size) : 0
    }

    /// Makes the folder that a file is to be in, and those above it, for the owner and the group to read.
    static func makeFolder(of path: String) throws(StoreError) {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
        let folder = String(path[..<slash])
        guard !exists(folder) else { return }
        try makeFolder(of: folder)
        guard mkdir(folder, 0o750) == 0 || errno == EEXIST else {
            throw .unusable(
                path: path, reason: "the folder \(folder) cannot be made: \(String(cString: strerror(errno)))")
        }
    }

    /// Whether this user may read and write what is there, as far as its mode says.
    static func isOpen(_ path: String) -> Bool { access(path, R_OK | W_OK) == 0 || errno != EACCES }

    /// Makes an empty file that only the owner can read, if there is none.
    static func makePrivateFile(_ path: String) throws(StoreError) {
        guard !exists(path) else { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let error = errno
            let reason = String(cString: strerror(error))
            if [ENOSPC, EDQUOT].contains(error) { throw .diskFull(path: path, detail: reason) }
            throw .unusable(
                path: path, reason: "\(reason); the folder has to exist and be writable for the agent's user")
        }
        close(descriptor)
    }

    /// Renames a database together with what SQLite keeps beside it.
    ///
    /// - Returns: Whether the database itself could be renamed.
    static func renameDatabase(_ path: String, to other: String) -> Bool {
        guard rename(path, other) == 0 else { return false }
        for companion in companions { rename(path + companion, other + companion) }
        synchronizeFolder(of: path)
        return true
    }

    static func removeDatabase(_ path: String) {
        for companion in companions { unlink(path + companion) }
        unlink(path)
    }

    /// A free name with the time in it, `agent.db.aside-20261121T091502Z`.
    static func asidePath(for path: String, at now: Timestamp) -> String {
        let time = now.iso8601.prefix(19).filter { $0 != "-" && $0 != ":" }
        let name = "\(path).aside-\(time)Z"
        var candidate = name
        var number = 2
        while exists(candidate) {
            candidate = "\(name)-\(number)"
            number += 1
        }
        return candidate
    }

    /// Makes a rename survive a power cut.
    static func synchronizeFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Grows a file with zeros, so that writing to it later changes no metadata. Does nothing where there is no space: it is no necessity.
    ///
    /// The kernel marks as dirty what it has cached as one: a page where it was written by pages, up to 2 MB where it was read ahead.
    /// So zeros are written a page at a time, and what reading has cached is let go: 5 kB are counted a small commit, not 25 to 200.
    static func grow(_ path: String, toBytes wanted: Int) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { return }
        var end = Int(information.st_size)
        if end > 0 { posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) }
        let zeros = [UInt8](repeating: 0, count: 4 << 10)
        while end < wanted {
            let written = pwrite(descriptor, zeros, min(zeros.count, wanted - end), end)
            guard written > 0 else { return }
            end += written
        }
        fsync(descriptor)
    }
}
