import OdographCivilTime
import OdographJSON
import OdographSettings

/// The begin and the end of a backup that another program makes, such as `pg_dump`, `pg_basebackup` or a snapshot of
/// the disk.
///
/// The begin notes what the database covers. All of it is committed, so each copy that begins later has it. Only when
/// the operator says that the copy is complete, the noted numbers are safe: what is stored meanwhile waits for the next
/// backup.
package enum BackupMark {
    /// The age above which a begun backup is forgotten, days.
    private static let maximumDays = 30.0

    /// Begins a backup.
    /// - Parameter location: The place of the database.
    /// - Returns: The random name of the backup, for ``complete(_:of:)``.
    package static func begin(of location: DatabaseLocation) throws(DatabaseFailure) -> String {
        let connection = try open(location)
        let mark = RandomIdentifier.make()
        try connection.transaction { () throws(DatabaseFailure) in
            let limit = SQLValue.time(Timestamp.now.advanced(bySeconds: -maximumDays * 86_400))
            try connection.prepare(
                """
                DELETE FROM begun_backup_numbers
                WHERE mark IN (SELECT mark FROM begun_backups WHERE begin_time < ?1)
                """
            ).run(limit)
            try connection.prepare("DELETE FROM begun_backups WHERE begin_time < ?1").run(limit)
            try connection.prepare(
                "INSERT INTO begun_backups (mark, begin_time, backups) SELECT ?1, ?2, backups FROM identity"
            ).run(.text(mark), .time(.now))
            try connection.prepare(
                """
                INSERT INTO begun_backup_numbers (mark, vehicle, epoch, last)
                SELECT ?1, vehicle, epoch, last FROM covered WHERE first = 1
                """
            ).run(.text(mark))
        }
        return mark
    }

    /// Returns the name of a begun backup as one JSON object and a newline.
    package static func json(of mark: String) throws -> String { try JSONCoder.string(of: ["mark": mark]) + "\n" }

    /// Completes a backup: what was covered at its begin is safe.
    /// - Parameters:
    ///   - mark: The name that ``begin(of:)`` has returned.
    ///   - location: The place of the database.
    /// - Throws: ``DatabaseFailure/backupFailed(path:detail:)`` for an unknown name, or if another backup was complete
    ///   meanwhile: the newest backup would then be one that has less.
    package static func complete(_ mark: String, of location: DatabaseLocation) throws(DatabaseFailure) {
        let connection = try open(location)
        try connection.transaction { () throws(DatabaseFailure) in
            let isKnown = try connection.prepare("SELECT count(*) FROM begun_backups WHERE mark = ?1")
                .firstInteger(.text(mark))
            guard isKnown == 1 else {
                throw .backupFailed(
                    path: location.description,
                    detail: "no backup \(mark.printable) has begun in this database, or it is complete; begin a new one"
                )
            }
            let changes = try connection.prepare(
                """
                UPDATE identity SET backups = backups + 1, last_backup = ?2
                WHERE backups = (SELECT backups FROM begun_backups WHERE mark = ?1)
                """
            ).run(.text(mark), .time(.now))
            guard changes == 1 else {
                throw .backupFailed(
                    path: location.description, detail: "another backup was complete meanwhile; repeat this one")
            }
            try connection.execute("DELETE FROM backed_up")
            try connection.prepare(
                """
                INSERT INTO backed_up (vehicle, epoch, last)
                SELECT vehicle, epoch, last FROM begun_backup_numbers WHERE mark = ?1
                """
            ).run(.text(mark))
            try remove(mark, from: connection)
        }
    }

    /// Forgets a begun backup that has failed.
    static func cancel(_ mark: String, of location: DatabaseLocation) throws(DatabaseFailure) {
        let connection = try open(location)
        try connection.transaction { () throws(DatabaseFailure) in try remove(mark, from: connection) }
    }

    private static func remove(_ mark: String, from connection: any RecorderConnection) throws(DatabaseFailure) {
        try connection.prepare("DELETE FROM begun_backup_numbers WHERE mark = ?1").run(.text(mark))
        try connection.prepare("DELETE FROM begun_backups WHERE mark = ?1").run(.text(mark))
    }

    private static func open(_ location: DatabaseLocation) throws(DatabaseFailure) -> any RecorderConnection {
        let connection = try location.openForWriting(lockSeconds: 60)
        // A mark that a power cut removes would be unknown at the end of the backup.
        if connection.dialect == .sqlite { try connection.execute("PRAGMA synchronous = FULL") }
        return connection
    }
}
