import Glibc
import Odograph
import OdographCivilTime

/// A complete copy of the recorder's database, made while the recorder runs.
package enum RecorderBackup {
    /// Makes a copy, and then notes in the database which numbers it covers. After an error the database says what it
    /// said before, and an earlier copy at the same path is unchanged.
    /// - Parameters:
    ///   - path: The database.
    ///   - output: The path of the copy. A file at this path is replaced at the end.
    package static func make(of path: String, at output: String) throws(DatabaseFailure) {
        let connection = try RecorderSchema.openForWriting(path, lockSeconds: 60)
        let file = FileIdentity(path)
        guard FileIdentity(output) != file else {
            throw .backupFailed(path: output, detail: "this is the database itself; set another --output")
        }
        let folder = try lockedFolder(of: output)
        defer { close(folder) }
        let partial = output + ".partial"
        unlink(partial)
        do throws(DatabaseFailure) {
            try makeEmpty(partial, like: path)
            try connection.copy(to: partial)
            try synchronize(partial)
            guard rename(partial, output) == 0 else { throw systemError(output) }
        } catch {
            unlink(partial)
            throw error
        }
        guard fsync(folder) == 0 else { throw systemError(output) }
        // A database that was replaced meanwhile is another one, which the copy does not cover.
        guard FileIdentity(path) == file else { throw .fileLost(path: path) }
        try note(output, in: connection)
    }

    /// Notes what the copy covers. The copy itself is the source, because the recorder has stored more meanwhile.
    private static func note(
        _ copy: String, in connection: SQLiteRecorderConnection
    ) throws(DatabaseFailure) {
        try connection.prepare("ATTACH ?1 AS copy").run(.text(copy))
        try connection.execute("PRAGMA synchronous = FULL")
        try connection.transaction { () throws(DatabaseFailure) in
            let isSame = try connection.firstInteger(
                "SELECT count(*) FROM main.store JOIN copy.store USING (store_id, backups)")
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
            try connection.prepare("UPDATE main.store SET backups = backups + 1, last_backup = ?1").run(.time(.now))
        }
    }

    /// Makes an empty file that the same users can read as another one.
    private static func makeEmpty(_ path: String, like other: String) throws(DatabaseFailure) {
        var status = stat()
        guard stat(other, &status) == 0 else { throw systemError(other) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw systemError(path) }
        defer { close(descriptor) }
        guard fchmod(descriptor, status.st_mode & 0o777) == 0 else { throw systemError(path) }
    }

    /// Opens the folder of a file, and locks it: a second backup would write into the file of the first one.
    private static func lockedFolder(of path: String) throws(DatabaseFailure) -> Int32 {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemError(folder) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .backupFailed(path: path, detail: "another backup writes into this folder; wait for its end")
        }
        return descriptor
    }

    private static func synchronize(_ path: String) throws(DatabaseFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemError(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw systemError(path) }
    }

    private static func systemError(_ path: String) -> DatabaseFailure {
        .backupFailed(path: path, detail: String(cString: strerror(errno)))
    }
}
