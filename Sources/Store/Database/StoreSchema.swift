import OdographSQLite

/// The schema of the database. A change of it, or of what a column contains, needs a new version.
enum StoreSchema {
    /// The version, which is the database's `user_version`. The agent reads no other one.
    static let version = 10

    /// Creates the tables in a new file, in one transaction.
    static func create(in connection: borrowing SQLiteConnection) throws(StoreError) {
        try connection.execute("BEGIN IMMEDIATE")
        do {
            try connection.execute("\(tables) PRAGMA user_version = \(version); COMMIT")
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Returns whether a file has the tables; a new one has none.
    ///
    /// - Parameter path: The path for error messages.
    /// - Throws: `StoreError.otherSchema` for another version.
    static func isPresent(in connection: borrowing SQLiteConnection, path: String) throws(StoreError) -> Bool {
        let found = Int(try connection.firstInteger("PRAGMA user_version") ?? 0)
        guard found == 0 || found == version else {
            throw .otherSchema(path: path, version: found, known: version)
        }
        return found == version
    }

    /// The tables. `checksum` protects the other columns of its row (see ``Checksum``).
    ///
    /// - `outbox`: the records to publish. The row id is `seq`. The newest row is never deleted, so that `seq`
    ///   survives: its payload and checksum become NULL instead. `inputs` contains the tracker's journal entries. The
    ///   only index is of the given-up records, which costs other records nothing. Each row contains the epoch, so
    ///   that a row in a damaged file is self-contained.
    /// - `salvaged`: the records from a damaged file or an earlier epoch.
    /// - `journal`, `snapshot`: the tracker's state, in rows of about one page (see ``TrackerStateTables``).
    /// - `timeline`: the newest revision of each event, for queries. `finish` is the largest integer while an event is
    ///   unfinished. The indices contain all columns that select a range, so that only rows of the answer are read.
    /// - `own_epoch`: the last numbers of earlier epochs. `receipt`: the revisions of the receipts by which rows were
    ///   deleted.
    private static let tables = """
        CREATE TABLE identity (id INTEGER PRIMARY KEY CHECK (id = 0), epoch INTEGER NOT NULL, seed BLOB NOT NULL,
            created INTEGER NOT NULL);
        CREATE TABLE outbox (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, kind INTEGER NOT NULL,
            timestamp INTEGER NOT NULL, payload BLOB, inputs BLOB, checksum BLOB, inputs_checksum BLOB);
        CREATE INDEX outbox_given_up ON outbox (seq) WHERE kind = 3;
        CREATE TABLE salvaged (epoch INTEGER NOT NULL, seq INTEGER NOT NULL, kind INTEGER NOT NULL,
            timestamp INTEGER NOT NULL, payload BLOB NOT NULL, checksum BLOB, PRIMARY KEY (epoch, seq)) WITHOUT ROWID;
        CREATE TABLE journal (slot INTEGER PRIMARY KEY, entries BLOB NOT NULL, checksum BLOB);
        CREATE TABLE snapshot (part INTEGER PRIMARY KEY, bytes BLOB NOT NULL, checksum BLOB);
        CREATE TABLE ledger (position INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, from_seq INTEGER NOT NULL,
            to_seq INTEGER NOT NULL, count INTEGER NOT NULL, kind INTEGER, reason TEXT NOT NULL, at INTEGER NOT NULL,
            checksum BLOB);
        CREATE TABLE document (name TEXT PRIMARY KEY, bytes BLOB NOT NULL, checksum BLOB) WITHOUT ROWID;
        CREATE TABLE timeline (id INTEGER PRIMARY KEY, event_id TEXT NOT NULL UNIQUE, start INTEGER NOT NULL,
            finish INTEGER NOT NULL, updated INTEGER NOT NULL, final INTEGER NOT NULL, payload BLOB NOT NULL,
            checksum BLOB);
        CREATE INDEX timeline_time ON timeline (start, finish);
        CREATE INDEX timeline_open ON timeline (start) WHERE finish = \(Int64.max);
        CREATE INDEX timeline_updated ON timeline (updated);
        CREATE TABLE own_epoch (epoch INTEGER PRIMARY KEY, through INTEGER NOT NULL, checksum BLOB);
        CREATE TABLE receipt (recorder TEXT PRIMARY KEY, revision INTEGER NOT NULL, checksum BLOB) WITHOUT ROWID;
        """
}
