import Glibc

/// Removes the bytes of erased rows from the files of a database.
protocol DeletedByteEraser {
    /// Prepares an erasure, before its transaction.
    func begin() throws(DatabaseFailure)
    /// Notes the end of the transaction.
    func end()
    /// Notes which rows the open transaction is going to erase.
    /// - Parameter selection: The values of ``ErasureSQL/partitionsOfRows``.
    func note(_ selection: [SQLValue]) throws(DatabaseFailure)
    /// Removes the bytes, after the transaction.
    /// - Throws: ``DatabaseFailure/locked(path:)`` while another program reads what was there before.
    func erase() throws(DatabaseFailure)
}

/// Removes the bytes from a file of SQLite.
struct FileByteEraser: DeletedByteEraser {
    private let connection: SQLiteRecorderConnection

    init(_ connection: SQLiteRecorderConnection) throws(DatabaseFailure) {
        self.connection = connection
        // A backup has no write-ahead log. Without one, a program that reads the file would delay the erasure at each
        // page that leaves the memory. Deleted bytes are overwritten, and no temporary file gets a copy.
        try connection.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL;
            PRAGMA trusted_schema = OFF
            """)
    }

    func begin() {}

    func end() {}

    func note(_ selection: [SQLValue]) {}

    /// The erasure has overwritten its rows, but not what was deleted before without `secure_delete`: only a new file
    /// is without it. The write-ahead log has the pages as they were.
    func erase() throws(DatabaseFailure) {
        try connection.execute("VACUUM")
        guard try connection.firstInteger("PRAGMA wal_checkpoint(TRUNCATE)") == 0 else {
            throw .locked(path: connection.name)
        }
    }
}

/// Removes the bytes from the tables of a PostgreSQL server. Its write-ahead log and its archive keep them until the
/// server removes these files.
final class ServerByteEraser: DeletedByteEraser {
    /// The tables beside the partitions of `records` that contain places or names.
    private static let smallTables = [
        "timeline_events", "conflicts", "rejected", "vehicles", "notifications", "alerts",
    ]

    private let connection: PostgreSQLRecorderConnection
    private let lockSeconds: Double

    init(_ connection: PostgreSQLRecorderConnection, lockSeconds: Double) throws(DatabaseFailure) {
        (self.connection, self.lockSeconds) = (connection, lockSeconds)
        let isOwner = try connection.firstInteger(
            """
            SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname = 'odograph' AND relkind IN ('r', 'p') AND NOT pg_has_role(relowner, 'USAGE')
            """)
        // The server does not rewrite a table for anybody else, and only warns.
        guard isOwner == 0 else {
            throw .cannotOpen(
                path: connection.name, detail: "this login does not own the tables, and cannot remove their old bytes")
        }
    }

    func begin() throws(DatabaseFailure) {
        // Rows that the retention has taken out of the table, but not dropped yet, would come back.
        let remover = ServerPartitionRemover(connection)
        try remover.lock()
        do throws(DatabaseFailure) {
            try remover.finishLocked()
        } catch {
            remover.unlock()
            throw error
        }
    }

    func end() { ServerPartitionRemover(connection).unlock() }

    func note(_ selection: [SQLValue]) throws(DatabaseFailure) {
        try connection.prepare(ErasureSQL.insertRewrites).run(selection)
    }

    /// Rewrites the tables with erased rows, also those of an earlier erasure whose second step has failed. The rows of
    /// `records_other` can have moved to a partition before, which leaves their bytes there.
    func erase() throws(DatabaseFailure) {
        let noted = try connection.prepare("SELECT name FROM tables_to_rewrite").rows { $0.text(0) }
        guard !noted.isEmpty else { return }
        let transaction = try connection.prepare("SELECT pg_current_xact_id()::text").first { $0.text(0) }
        if let transaction { try waitForReaders(of: transaction) }
        // A noted partition can be gone.
        let existing = Set(try ServerPartitionRemover(connection).partitions())
        let tables = Set(noted + ["records_other"]).intersection(existing).sorted() + Self.smallTables
        for table in tables { try connection.execute("VACUUM (FULL, ANALYZE) \(table)") }
        try connection.execute("ANALYZE records")
        try connection.prepare("DELETE FROM tables_to_rewrite").run()
    }

    /// Waits for everything that began before the erasure: for it the server keeps the rows. A transaction that writes
    /// counts in every database of the server, because the rewriting of a table takes it for a possible reader; one
    /// that reads counts in this database; and a standby's slot counts for the readers of the standby.
    private func waitForReaders(of transaction: String) throws(DatabaseFailure) {
        let readers = try connection.prepare(
            """
            WITH erasure (id) AS (SELECT CAST(?1 AS xid8))
            SELECT count(*) FROM erasure
            WHERE pg_snapshot_xmin(pg_current_snapshot()) <= id
                OR EXISTS (SELECT 1 FROM pg_stat_activity
                    WHERE pid <> pg_backend_pid() AND (datname = current_database() OR datname IS NULL)
                        AND age(backend_xmin) >= age(CAST(id AS xid)))
                OR EXISTS (SELECT 1 FROM pg_replication_slots WHERE age(xmin) >= age(CAST(id AS xid)))
            """)
        let end = ContinuousClock.now + .seconds(lockSeconds)
        while try readers.firstInteger(.text(transaction)) ?? 0 > 0 {
            guard ContinuousClock.now < end else { throw .locked(path: connection.name) }
            usleep(50_000)
        }
    }
}
