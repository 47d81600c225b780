import Glibc

/// The operations on the file of reserved numbers.
extension StoreFileSystem {
    /// The end of the name of the file that holds the reserved numbers: see ``SequenceReservationFile``.
    static let reservationSuffix = "-numbers"

    /// Returns a file's content. Nil where there is none.
    func contents(of path: String) throws(StoreError) -> [UInt8]? {
        do {
            return try operations.read(path)
        } catch {
            guard error.code != ENOENT else { return nil }
            throw Self.failure("cannot be read", path, error)
        }
    }

    /// Writes bytes into a file, which is made for its owner alone where there is none, and waits until they are on the
    /// disk.
    func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) throws(StoreError) {
        let isNew = !exists(path)
        do {
            if isNew { try operations.makeFile(path) }
            try operations.write(bytes, to: path, at: offset)
            try operations.synchronize(path)
        } catch {
            throw Self.failure("cannot be written", path, error)
        }
        if isNew { synchronizeFolder(of: path) }
    }

    /// Takes the header of a write-ahead log that was copied to its database. On return the log holds nothing, also
    /// after a power cut: the header lies in one sector, while a log that is made shorter could come back in parts.
    func invalidateLog(of path: String) throws(StoreError) {
        try overwrite(path + "-wal", at: 0, with: [UInt8](repeating: 0, count: WriteAheadLog.headerBytes))
    }

    /// The databases that were put aside, beside the one that they were.
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
            path: path, reason: "\(what): \(error); the agent's user has to be able to read and write this file")
    }
}
