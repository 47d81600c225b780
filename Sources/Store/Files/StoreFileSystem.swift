import OdographCivilTime
import Glibc

/// The files of a store: SQLite's access to them, and the store's own operations.
struct StoreFileSystem: Sendable {
    /// The suffixes of the files that SQLite keeps beside a database.
    static let companionSuffixes = ["-wal", "-shm", "-journal"]
    /// The system's files.
    static let system = StoreFileSystem(vfs: nil, operations: SystemFileOperations())

    /// The name of SQLite's VFS. Nil for SQLite's default.
    let vfs: String?
    let operations: any FileOperations

    /// Returns a file's size in bytes; 0 if there is none.
    func size(of path: String) -> Int { operations.status(of: path)?.size ?? 0 }

    /// Creates the folder for a file, and its parents, readable by the owner and the group. Each survives a power cut.
    func makeFolder(of path: String) throws(StoreError) {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
        let folder = String(path[..<slash])
        guard !operations.exists(folder) else { return }
        try makeFolder(of: folder)
        do {
            try operations.makeFolder(folder)
        } catch {
            guard error.code != EEXIST else { return }
            throw .unusable(path: path, reason: "the folder \(folder) cannot be created: \(error)")
        }
        synchronizeFolder(of: folder)
    }

    /// Creates an empty file that only the owner can read and write, if there is none.
    func makePrivateFile(_ path: String) throws(StoreError) {
        guard !operations.exists(path) else { return }
        do {
            try operations.makeFile(path)
        } catch {
            if [ENOSPC, EDQUOT].contains(error.code) { throw .diskFull(path: path, detail: "\(error)") }
            throw .unusable(
                path: path, reason: "\(error); the folder must exist and be writable for the agent's user")
        }
    }

    /// Renames a database and the files that SQLite keeps beside it.
    ///
    /// - Returns: Whether the database itself was renamed.
    func renameDatabase(_ path: String, to other: String) -> Bool {
        do {
            try operations.rename(path, to: other)
        } catch {
            return false
        }
        for companion in Self.companionSuffixes { try? operations.rename(path + companion, to: other + companion) }
        synchronizeFolder(of: path)
        return true
    }

    func removeDatabase(_ path: String) {
        for companion in Self.companionSuffixes { try? operations.remove(path + companion) }
        try? operations.remove(path)
    }

    /// Returns a free name that contains the time, `agent.db.aside-20261121T091502Z`.
    func asidePath(for path: String, at now: Timestamp) -> String {
        let time = now.iso8601.prefix(19).filter { $0 != "-" && $0 != ":" }
        let name = "\(path).aside-\(time)Z"
        var candidate = name
        var number = 2
        while operations.exists(candidate) {
            candidate = "\(name)-\(number)"
            number += 1
        }
        return candidate
    }

    /// Makes a rename survive a power cut.
    func synchronizeFolder(of path: String) {
        try? operations.synchronize(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
    }
}

extension SystemError: CustomStringConvertible {
    /// The system's message for the code.
    var description: String { String(cString: strerror(code)) }
}
