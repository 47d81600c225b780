import Glibc

/// The operations on the reservation file.
extension StoreFileSystem {
    /// The suffix of the reservation file's name: see ``SequenceReservationFile``.
    static let reservationSuffix = "-numbers"

    /// Returns a file's content. Nil if there is no file.
    func contents(of path: String) throws(StoreError) -> [UInt8]? {
        do {
            return try operations.read(path)
        } catch {
            guard error.code != ENOENT else { return nil }
            throw Self.failure("cannot be read", path, error)
        }
    }

    /// Writes bytes into a file and waits until they are on the disk. A missing file is created for its owner only.
    func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) throws(StoreError) {
        let isNew = !operations.exists(path)
        do {
            if isNew { try operations.makeFile(path) }
            try operations.write(bytes, to: path, at: offset)
            try operations.synchronize(path)
        } catch {
            throw Self.failure("cannot be written", path, error)
        }
        if isNew { synchronizeFolder(of: path) }
    }

    /// Deletes the header of a write-ahead log that was copied to its database. On return the log is empty, even after
    /// a power cut: the header is in one sector, while a truncated log could reappear in part.
    func invalidateLog(of path: String) throws(StoreError) {
        try overwrite(path + "-wal", at: 0, with: [UInt8](repeating: 0, count: WriteAheadLog.headerBytes))
    }

    /// Returns the paths of the databases that were put aside, in the folder of the database.
    func asidePaths(of path: String) -> [String] {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? ""
        let prefix = (slash.map { String(path[path.index(after: $0)...]) } ?? path) + ".aside-"
        let names = operations.names(in: folder.isEmpty ? "." : folder).filter { name in
            name.hasPrefix(prefix) && !Self.companionSuffixes.contains(where: name.hasSuffix)
        }
        return names.sorted().map { folder + $0 }
    }

    private static func failure(_ what: String, _ path: String, _ error: SystemError) -> StoreError {
        if [ENOSPC, EDQUOT].contains(error.code) { return .diskFull(path: path, detail: "\(error)") }
        return .unusable(
            path: path, reason: "\(what): \(error); the agent's user must be able to read and write this file")
    }
}
