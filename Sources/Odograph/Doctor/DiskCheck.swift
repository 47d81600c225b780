import Glibc
import OdographJSON
import Store
import Wire

/// Whether the database can be written, and will stay.
struct DiskCheck {
    private static let subject = "disk"
    /// Below this the next update of the system fills the disk.
    private static let minimumFreeBytes = 16 << 20

    private let path: String
    private let options: StoreOptions
    private var maximumBytes: Int { options.maximumBytes }

    init(_ store: StoreConfiguration) {
        path = store.path
        options = store.options
    }

    /// - Parameter agent: What an agent that runs says of itself. Nil where none answers.
    func findings(agent: CommandResponse?) async -> [Finding] {
        [permissionFinding(), await contentFinding(agent), spaceFinding(), fileSystemFinding()].compactMap { $0 }
    }

    /// Whether the database can be read and, where an agent runs, is the one that it writes.
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
                .fail, Self.subject, "\(path) is not there: the agent that runs has no file to keep its records in",
                advice: "see odograph status; it writes a new one by itself within a minute, where it can")
        }
        guard (try? StoreReader.isInUse(path)) == false else { return nil }
        return Finding(
            .fail, Self.subject,
            "\(path) is not the file that the agent that runs writes: it was replaced, or could not be used",
            advice: "see odograph status; the agent writes a new one by itself within a minute, where it can")
    }

    /// The database, or the nearest folder of it that there is.
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
                "\(path): this user may not write \(isThere ? "it and its folder" : "in \(place)")",
                advice: "run this as the agent's user; else chown the folder to it, or set store.path")
        }
        return Finding(.ok, Self.subject, "\(path) \(isThere ? "can be written" : "can be made")")
    }

    private func spaceFinding() -> Finding? {
        var status = statvfs()
        guard statvfs(nearestExistingPath, &status) == 0 else { return nil }
        let available = Int(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
        let text = "\(Format.bytes(available)) free, the database takes up to \(Format.bytes(maximumBytes))"
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
                .warn, Self.subject, "\(path) lies in memory: a restart of the machine loses it",
                advice: "set store.path to a disk")
        case let kind? where ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs"].contains(kind):
            return Finding(
                .warn, Self.subject,
                "\(path) lies on a network's file system (\(kind)), which may lose what was committed",
                advice: "set store.path to a disk of this machine")
        default: return nil
        }
    }

    /// The kind of file system that a path lies on: of the mount points that lead to it the longest, of those the last.
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
