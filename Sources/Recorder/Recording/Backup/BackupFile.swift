import Glibc

/// The file of a backup, which replaces an earlier one only when it is complete and on the disk.
struct BackupFile: ~Copyable {
    private let path: String
    /// The folder, locked: a second backup would write into the file of the first one.
    private let folder: Int32

    /// Locks the folder of a file.
    init(_ path: String) throws(DatabaseFailure) {
        self.path = path
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        self.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard self.folder >= 0 else { throw Self.systemError(folder) }
        guard flock(self.folder, LOCK_EX | LOCK_NB) == 0 else {
            throw .backupFailed(path: path, detail: "another backup writes into this folder; wait for its end")
        }
    }

    deinit { if folder >= 0 { close(folder) } }

    /// Writes the file, which only this user can read. After an error, an earlier file is unchanged.
    /// - Parameter body: Writes a file at a path, at which an empty one is.
    func write(_ body: (String) throws(DatabaseFailure) -> Void) throws(DatabaseFailure) {
        let partial = path + ".partial"
        unlink(partial)
        do throws(DatabaseFailure) {
            try Self.makeEmpty(partial)
            try body(partial)
            try Self.synchronize(partial)
            guard rename(partial, path) == 0 else { throw Self.systemError(path) }
        } catch {
            unlink(partial)
            throw error
        }
        guard fsync(folder) == 0 else { throw Self.systemError(path) }
    }

    private static func makeEmpty(_ path: String) throws(DatabaseFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw systemError(path) }
        close(descriptor)
    }

    private static func synchronize(_ path: String) throws(DatabaseFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemError(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw systemError(path) }
    }

    /// Creates the error for a failure of a system call.
    static func systemError(_ path: String) -> DatabaseFailure {
        .backupFailed(path: path, detail: String(cString: strerror(errno)))
    }
}
