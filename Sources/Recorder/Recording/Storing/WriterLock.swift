import Glibc

/// The lock of the recorder that writes into a file of SQLite. It ends with the process, also when that is killed.
///
/// The lock is on a file beside the database: to close the database itself would end the locks of SQLite in this
/// process. The file stays, because a recorder that has it open would hold the lock of a deleted file.
struct WriterLock: ~Copyable {
    private let descriptor: Int32

    /// Takes the lock.
    /// - Parameter database: The path of a file that exists. A symbolic link is followed.
    /// - Throws: ``DatabaseFailure/inUse(path:)`` while another recorder has the lock.
    init(beside database: String) throws(DatabaseFailure) {
        guard let resolved = realpath(database, nil) else { throw .fileLost(path: database) }
        defer { free(resolved) }
        let descriptor = open(String(cString: resolved) + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw .cannotOpen(path: database + ".lock", detail: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .inUse(path: database)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}
