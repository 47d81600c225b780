import Glibc

/// The listening socket of an agent, and a lock that keeps other agents from replacing it.
///
/// The socket file of a killed agent must be removed before a new one is created. Without the lock, two agents that
/// start at the same time could each remove the file of the other.
struct ControlSocket: Sendable {
    /// The descriptor for `accept`. The owner of this value closes it.
    let descriptor: Int32
    private let path: String
    private let lock: Int32
    /// The identity of the socket file, to detect a different file of the same name.
    private let fileIdentity: FileIdentity

    /// Creates the socket.
    /// - Throws: ``ControlError`` if it cannot be created, or another agent uses it.
    init(at path: String) throws(ControlError) {
        let address = try UnixSocketAddress(path)
        self.path = path
        lock = try Self.lock(path)
        if address.hasListener {
            Self.release(lock, of: path)
            throw Self.inUse(path)
        }
        unlink(path)
        let listening = socket(AF_UNIX, UnixSocketAddress.streamType | Int32(SOCK_NONBLOCK.rawValue), 0)
        // The mode is set before `bind` creates the file, so that no other user can open it in between.
        let isBound =
            listening >= 0 && fchmod(listening, 0o600) == 0
            && address.withSockaddr({ bind(listening, $0, $1) }) == 0
        guard isBound, Glibc.listen(listening, 8) == 0, let file = FileIdentity(of: path) else {
            let reason = errno
            if isBound { unlink(path) }
            if listening >= 0 { close(listening) }
            Self.release(lock, of: path)
            throw Self.unusable(path, reason)
        }
        descriptor = listening
        self.fileIdentity = file
    }

    /// Whether the path still leads to this socket. Any program can delete the file.
    var isBoundToPath: Bool { FileIdentity(of: path) == fileIdentity }

    /// Removes the socket and lock files, so that another agent can use the path. The descriptor remains open.
    func remove() {
        if FileIdentity(of: path) == fileIdentity { unlink(path) }
        Self.release(lock, of: path)
    }

    // MARK: Lock

    private static func lockPath(of path: String) -> String { path + ".lock" }

    /// Takes the lock. The kernel releases it when the process ends in any way.
    private static func lock(_ path: String) throws(ControlError) -> Int32 {
        let name = lockPath(of: path)
        while true {
            let descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw unusable(path, errno) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let reason = errno
                close(descriptor)
                throw reason == EWOULDBLOCK ? inUse(path) : unusable(path, reason)
            }
            // The previous owner may just have removed this file. Then the name is free, or another file has it.
            if let held = FileIdentity(of: descriptor), held == FileIdentity(of: name) { return descriptor }
            close(descriptor)
        }
    }

    private static func release(_ lock: Int32, of path: String) {
        unlink(lockPath(of: path))
        close(lock)
    }

    // MARK: Errors

    private static func inUse(_ path: String) -> ControlError {
        ControlError(
            .inUse,
            description: "\(path): another agent uses this control socket; stop it, or set another control.path")
    }

    private static func unusable(_ path: String, _ code: Int32) -> ControlError {
        ControlError(
            .unusable,
            description:
                "\(path): the control socket cannot be created: \(String(cString: strerror(code))); check that its "
                + "folder exists and that this user can write there, or set control.path")
    }
}

/// The identity of a file: its device and inode.
private struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let inode: ino_t

    init?(of path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        (device, inode) = (status.st_dev, status.st_ino)
    }

    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        (device, inode) = (status.st_dev, status.st_ino)
    }
}
