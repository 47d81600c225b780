import Glibc

/// The file of a backup, which replaces an earlier one only when it is complete and on the disk.
struct BackupFile: ~Copyable {
    /// The end of the path of a copy that is not complete.
    static let partialSuffix = ".partial"

    private let path: String
    /// The folder, locked: a second backup would write into the file of the first one.
    private let folder: Int32

    /// Locks the folder of a file.
    /// - Parameter path: The path of a regular file or of none. A symbolic link is followed.
    init(_ path: String) throws(DatabaseFailure) {
        let path = try Self.file(at: path)
        let name = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.systemError(name) }
        guard flock(folder, LOCK_EX | LOCK_NB) == 0 else {
            close(folder)
            throw .backupFailed(path: path, detail: "another backup writes into this folder; wait for its end")
        }
        (self.path, self.folder) = (path, folder)
    }

    deinit { close(folder) }

    /// Writes the file, which only this user can read. After an error, an earlier file is unchanged.
    /// - Parameter body: Writes a file at a path, at which an empty one is.
    func write(_ body: (String) throws(DatabaseFailure) -> Void) throws(DatabaseFailure) {
        let partial = path + Self.partialSuffix
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

    /// Returns the path without symbolic links: the renaming at the end would replace a link, and not what it names.
    private static func file(at path: String) throws(DatabaseFailure) -> String {
        var status = stat()
        // Nothing is there, which a link is not.
        if lstat(path, &status) != 0, errno == ENOENT { return path }
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let resolved = realpath(path, nil) else {
            throw .backupFailed(path: path, detail: "this is no regular file and no link to one; set another --output")
        }
        defer { free(resolved) }
        return String(cString: resolved)
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
