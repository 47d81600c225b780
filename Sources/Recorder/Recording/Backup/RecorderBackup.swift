import Glibc
import OdographCivilTime

/// A complete copy of the recorder's database, made while the recorder runs.
package enum RecorderBackup {
    /// Makes a copy, and then notes in the database which numbers it covers. After an error the database says what it
    /// said before, and an earlier copy at the same path is unchanged.
    /// - Parameters:
    ///   - location: The place of the database. In PostgreSQL, `pg_dump` makes the copy.
    ///   - output: The path of the copy. A file at this path is replaced at the end.
    package static func make(of location: DatabaseLocation, at output: String) throws(DatabaseFailure) {
        switch location {
        case .file(let path): try make(ofFile: path, at: output)
        case .server(let address): try ServerBackup.make(of: address, at: output)
        }
    }

    private static func make(ofFile path: String, at output: String) throws(DatabaseFailure) {
        let connection = try SQLiteSchema.openForWriting(path, lockSeconds: 60)
        let identity = FileIdentity(path)
        // The copy is written at another path first, whose file is deleted.
        guard ![output, output + BackupFile.partialSuffix].contains(where: { isOfDatabase($0, path) }) else {
            throw .backupFailed(path: output, detail: "this is a file of the database itself; set another --output")
        }
        let file = try BackupFile(output)
        try file.write { partial throws(DatabaseFailure) in
            // A journal that a killed command has left would change the new file. SQLite leaves one after an error.
            let journal = partial + "-journal"
            unlink(journal)
            defer { unlink(journal) }
            do throws(DatabaseFailure) {
                try connection.copy(to: partial)
            } catch {
                throw error.ofCopy(at: output)
            }
        }
        // A database that was replaced meanwhile is another one, which the copy does not cover.
        guard FileIdentity(path) == identity else { throw .fileLost(path: path) }
        try note(output, in: connection)
    }

    /// Returns whether a path is that of a database or of a file that SQLite or a recorder has beside it, now or later.
    private static func isOfDatabase(_ path: String, _ database: String) -> Bool {
        guard let resolved = realpath(database, nil) else { return false }
        defer { free(resolved) }
        let (name, place) = (String(cString: resolved), FilePlace(path))
        return ["", "-wal", "-shm", "-journal", ".lock"].contains { suffix in
            let file = FileIdentity(name + suffix)
            return file != nil && file == FileIdentity(path) || FilePlace(name + suffix) == place
        }
    }

    /// Notes what the copy covers. The copy itself is the source, because the recorder has stored more meanwhile.
    private static func note(
        _ copy: String, in connection: SQLiteRecorderConnection
    ) throws(DatabaseFailure) {
        try connection.prepare("ATTACH ?1 AS copy").run(.text(copy))
        try connection.execute("PRAGMA synchronous = FULL")
        try connection.transaction { () throws(DatabaseFailure) in
            let isSame = try connection.firstInteger(
                "SELECT count(*) FROM main.identity JOIN copy.identity USING (database_id, backups)")
            guard isSame == 1 else {
                throw .backupFailed(path: copy, detail: "another backup was complete meanwhile; repeat this one")
            }
            try connection.execute(
                """
                DELETE FROM main.backed_up;
                INSERT INTO main.backed_up (vehicle, epoch, last)
                SELECT mine.id, covered.epoch, covered.last
                FROM copy.covered
                    JOIN copy.vehicles AS copied ON copied.id = covered.vehicle
                    JOIN main.vehicles AS mine USING (fleet, device)
                WHERE covered.first = 1;
                """)
            try connection.prepare("UPDATE main.identity SET backups = backups + 1, last_backup = ?1").run(.time(.now))
        }
    }
}

/// The folder and the name of a file that need not exist.
private struct FilePlace: Hashable {
    private let folder: FileIdentity?
    private let name: Substring

    init(_ path: String) {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        folder = FileIdentity(start == path.startIndex ? "." : String(path[..<start]))
        name = path[start...]
    }
}

extension DatabaseFailure {
    /// Returns the error of a copy: SQLite names the database although it is the copy that cannot be written.
    fileprivate func ofCopy(at output: String) -> DatabaseFailure {
        switch self {
        case .full(_, let detail), .failed(_, _, let detail), .cannotOpen(_, let detail):
            .backupFailed(path: output, detail: detail)
        default: self
        }
    }
}
