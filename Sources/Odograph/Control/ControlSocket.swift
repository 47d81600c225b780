import Glibc

/// The listening socket of an agent, and the lock that keeps every other agent from taking its place.
///
/// A socket that a killed agent left behind has to be removed before another can be made. Without the lock, two agents that start at the
/// same time could each remove the other's.
struct ControlSocket: Sendable {
    /// For `accept`; whoever has the socket closes it.
    let descriptor: Int32
    private let path: String
    private let lock: Int32
    /// The socket file, by which its own one is told from another's of the same name.
    private let fileIdentity: FileIdentity

    /// Makes the socket.
    /// - Throws: ``ControlError`` where it cannot be made, or another agent has it.
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
        // The mode is set before the name exists, so that nobody else can open it in between.
        guard listening >= 0, fchmod(listening, 0o600) == 0,
            address.withSockaddr({ bind(listening, $0, $1) }) == 0, Glibc.listen(listening, 8) == 0,
            let file = FileIdentity(of: path)
        else {
            let reason = errno
            if listening >= 0 { close(listening) }
            Self.release(lock, of: path)
            throw Self.unusable(path, reason)
        }
        descriptor = listening
        self.fileIdentity = file
    }

    /// Whether the socket still has its name: a program can delete it.
    var isBoundToPath: Bool { FileIdentity(of: path) == fileIdentity }

    /// Removes the names, so that another agent can have them. The descriptor stays open.
    func remove() {
        if FileIdentity(of: path) == fileIdentity { unlink(path) }
        Self.release(lock, of: path)
    }

    // MARK: Lock

    private static func lockPath(of path: String) -> String { path + ".lock" }

    /// Takes the lock. The kernel gives it back when the process ends, however it ends.
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
            // The agent that had it may just have removed this file: then the name is another one's, or free.
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
            description: "\(path): another agent answers on this control socket; stop it, or set control.path")
    }

    private static func unusable(_ path: String, _ code: Int32) -> ControlError {
        ControlError(
            .unusable,
            description:
                "\(path): the control socket cannot be made: \(String(cString: strerror(code))); check that its "
                + "folder exists and that this user may write there, or set control.path")
    }
}

/// A file by what the kernel knows it by.
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
