import Glibc
import OdographSettings

/// Checks the place of a program's database: the permissions, the free space and the file system.
package struct PlaceCheck {
    /// The free space below which a check fails, bytes: the next system update would fill the disk.
    package static let minimumFreeBytes = 16 << 20

    private let path: String
    private let subject: String
    private let program: String
    private let key: String
    private let user: ServiceUser?

    /// - Parameters:
    ///   - path: The file.
    ///   - subject: The subject of the findings.
    ///   - program: The program that writes the file, such as `agent`.
    ///   - key: The key of the configuration with the path.
    ///   - user: The user of the service, if it is not this one.
    package init(_ path: String, subject: String, program: String, key: String, user: ServiceUser? = nil) {
        (self.path, self.subject, self.program, self.key) = (path, subject, program, key)
        self.user = user
    }

    /// The file, or its nearest existing folder.
    private var nearestExistingPath: String {
        var place = path
        while !place.isEmpty, access(place, F_OK) != 0 {
            let folder = PathResolver.folder(of: place)
            if folder == place { break }
            place = folder
        }
        return place.isEmpty ? "." : place
    }

    /// Returns whether this user, and that of the service, can write or create the file.
    package func permissionFinding() -> Finding {
        let place = nearestExistingPath
        let isThere = place == path
        let folder = isThere ? PathResolver.folder(of: path) : place
        let canWrite =
            access(folder.isEmpty ? "." : folder, W_OK | X_OK) == 0 && (!isThere || access(path, R_OK | W_OK) == 0)
        guard canWrite else {
            return Finding(
                .fail, subject, "\(path): this user cannot write \(isThere ? "it and its folder" : "in \(place)")",
                advice: "run this as the \(program)'s user, chown the folder to that user, or set \(key)")
        }
        if let user, let obstacle = obstacle(for: user, folder: folder.isEmpty ? "." : folder) {
            return Finding(
                .fail, subject, "\(path): the service's user \(user.name) cannot write it: \(obstacle)",
                advice: "chown that to \(user.name), or set \(key)")
        }
        return Finding(.ok, subject, "\(path) \(isThere ? "can be written" : "can be created")")
    }

    /// Returns what keeps a user from writing: the folder, the file, or what is beside it: the log of SQLite, the lock.
    private func obstacle(for user: ServiceUser, folder: String) -> String? {
        user.obstacle(to: folder, W_OK | X_OK)
            ?? ["", "-wal", "-shm", ".lock"].lazy.compactMap { user.obstacle(to: path + $0, R_OK | W_OK) }.first
    }

    /// The free space at the place for this user, bytes. Nil if the system does not say it.
    package var freeBytes: Int? {
        var status = statvfs()
        guard statvfs(nearestExistingPath, &status) == 0 else { return nil }
        return Int(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
    }

    /// The size of the file, bytes; 0 if there is none.
    package var fileBytes: Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Returns a finding if the file system loses committed data. Nil if it does not.
    package func fileSystemFinding() -> Finding? {
        guard let real = realpath(nearestExistingPath, nil) else { return nil }
        defer { free(real) }
        guard case .success(let table) = FileReader.read("/proc/self/mountinfo", atMost: 1 << 20) else { return nil }
        switch Self.fileSystem(of: String(cString: real), mounts: String(decoding: table, as: UTF8.self)) {
        case "tmpfs", "ramfs":
            return Finding(
                .warn, subject, "\(path) is in memory: a restart of the machine deletes it",
                advice: "set \(key) to a path on a disk")
        case let kind? where ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs"].contains(kind):
            return Finding(
                .warn, subject, "\(path) is on a network file system (\(kind)), which may lose committed data",
                advice: "set \(key) to a path on a local disk")
        default: return nil
        }
    }

    /// Returns the type of a path's file system: that of the longest mount point that contains it, the last of equals.
    /// - Parameter mounts: The kernel's table, see proc_pid_mountinfo(5).
    static func fileSystem(of path: String, mounts: String) -> String? {
        var best: (length: Int, kind: String)?
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 6, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else { continue }
            let point = String(fields[4])
            let leads = point == "/" || path == point || path.hasPrefix(point + "/")
            if leads, point.utf8.count >= best?.length ?? 0 { best = (point.utf8.count, String(fields[dash + 1])) }
        }
        return best?.kind
    }
}
