import Odograph
import Glibc
import OdographJSON
import OdographStore
import OdographWire

/// Checks the path, the space and the file system of the database.
struct DiskCheck {
    private static let subject = "disk"
    /// The free space below which the check fails, bytes: the next system update would fill the disk.
    private static let minimumFreeBytes = 16 << 20

    private let path: String
    private let options: StoreOptions
    private var maximumBytes: Int { options.maximumBytes }

    init(_ store: StoreConfiguration) {
        path = store.path
        options = store.options
    }

    /// - Parameter agent: the response of the running agent; nil if none answers.
    func findings(agent: CommandResponse?) async -> [Finding] {
        [permissionFinding(), await contentFinding(agent), spaceFinding(), fileSystemFinding()].compactMap { $0 }
    }

    /// Checks that the database can be read and, if an agent runs, that the agent uses this file.
    private func contentFinding(_ agent: CommandResponse?) async -> Finding? {
        if let agent { return inUseFinding(agent) }
        guard StoreReader.exists(at: path, options: options) else { return nil }
        do throws(StoreError) {
            _ = try await StoreReader.open(at: path, options: options)
            return nil
        } catch .inUse {
            return nil
        } catch {
            return Finding(.warn, Self.subject, sentence: "\(error)")
        }
    }

    private func inUseFinding(_ agent: CommandResponse) -> Finding? {
        guard case .object(let store)? = agent.members["store"], store["path"] == .string(path) else { return nil }
        guard StoreReader.exists(at: path, options: options) else {
            return Finding(
                .fail, Self.subject, "\(path) does not exist: the running agent has no file for its records",
                advice: "run odograph status; the agent creates a new file within a minute, if it can")
        }
        guard (try? StoreReader.isInUse(path)) == false else { return nil }
        return Finding(
            .fail, Self.subject,
            "\(path) is not the file that the running agent writes: it was replaced, or could not be used",
            advice: "run odograph status; the agent creates a new file within a minute, if it can")
    }

    /// The path of the database, or of its nearest existing folder.
    private var nearestExistingPath: String {
        var place = path
        while !place.isEmpty, access(place, F_OK) != 0 {
            let folder = PathResolver.folder(of: place)
            if folder == place { break }
            place = folder
        }
        return place.isEmpty ? "." : place
    }

    private func permissionFinding() -> Finding {
        let place = nearestExistingPath
        let isThere = place == path
        let folder = isThere ? PathResolver.folder(of: path) : place
        let canWrite =
            access(folder.isEmpty ? "." : folder, W_OK | X_OK) == 0 && (!isThere || access(path, R_OK | W_OK) == 0)
        guard canWrite else {
            return Finding(
                .fail, Self.subject,
                "\(path): this user cannot write \(isThere ? "it and its folder" : "in \(place)")",
                advice: "run this as the agent's user, chown the folder to that user, or set store.path")
        }
        return Finding(.ok, Self.subject, "\(path) \(isThere ? "can be written" : "can be created")")
    }

    private func spaceFinding() -> Finding? {
        var status = statvfs()
        guard statvfs(nearestExistingPath, &status) == 0 else { return nil }
        let available = Int(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
        let text = "\(Format.bytes(available)) free, the database needs up to \(Format.bytes(maximumBytes))"
        if available < Self.minimumFreeBytes { return Finding(.fail, Self.subject, text, advice: "free some space") }
        guard available >= maximumBytes else {
            return Finding(.warn, Self.subject, text, advice: "free some space, or lower store.maximum_size")
        }
        return Finding(.ok, Self.subject, text)
    }

    private func fileSystemFinding() -> Finding? {
        guard let real = realpath(nearestExistingPath, nil) else { return nil }
        defer { free(real) }
        guard case .success(let table) = FileReader.read("/proc/self/mountinfo", atMost: 1 << 20) else { return nil }
        switch Self.fileSystem(of: String(cString: real), mounts: String(decoding: table, as: UTF8.self)) {
        case "tmpfs", "ramfs":
            return Finding(
                .warn, Self.subject, "\(path) is in memory: a restart of the machine deletes it",
                advice: "set store.path to a path on a disk")
        case let kind? where ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs"].contains(kind):
            return Finding(
                .warn, Self.subject,
                "\(path) is on a network file system (\(kind)), which may lose committed data",
                advice: "set store.path to a path on a local disk")
        default: return nil
        }
    }

    /// Returns the type of a path's file system: that of the longest mount point that contains it, the last of equals.
    /// - Parameter mounts: the kernel's table, see proc_pid_mountinfo(5).
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
