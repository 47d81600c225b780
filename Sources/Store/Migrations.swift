import OdographSQLite

/// The schema of the database, as migration steps. A released step is never changed; a change is a new step.
struct Migrations {
    /// The SQL of one step.
    typealias Step = String

    /// The steps: step `n` leads from version `n` to `n + 1`.
    var steps: [Step]

    /// The steps of this agent.
    static let all = Migrations(steps: [
        outboxAndState, timelineHistory, payloadsInPhraseCodes, checksumsAndReservationFile, deletedDataErased,
        compressedPayloads, deliveryTables,
    ])

    /// The version that the steps lead to.
    var newestVersion: Int { steps.count }

    /// Migrates a database to a version, in one transaction.
    ///
    /// - Parameters:
    ///   - path: The path for error messages.
    ///   - last: The target version. Nil for the newest.
    /// - Returns: The previous version: 0 for a new file.
    /// - Throws: `StoreError.newerSchema` for an unknown version.
    @discardableResult
    func apply(to connection: borrowing SQLiteConnection, path: String, upTo last: Int? = nil) throws(StoreError) -> Int
    {
        let version = try version(of: connection, path: path)
        let last = last ?? newestVersion
        guard version < last else { return version }
        try connection.execute("BEGIN IMMEDIATE")
        do {
            for step in steps[version..<last] { try connection.execute(step) }
            try connection.execute("PRAGMA user_version = \(last); COMMIT")
        } catch {
            connection.rollBack()
            throw error
        }
        return version
    }

    /// Returns the version of a database: 0 for a new file.
    ///
    /// - Throws: `StoreError.newerSchema` for an unknown version.
    func version(of connection: borrowing SQLiteConnection, path: String) throws(StoreError) -> Int {
        let version = Int(try connection.firstInteger("PRAGMA user_version") ?? 0)
        guard version >= 0, version <= newestVersion else {
            throw .newerSchema(path: path, version: version, known: newestVersion)
        }
        return version
    }

    /// The first version whose sequence numbers are reserved in a file (see ``SequenceReservationFile``).
    static let firstVersionWithReservationFile = 4
    /// The first version whose files contain no deleted data (see ``Database/eraseDeletedData()``).
    static let firstVersionWithoutDeletedData = 5
    /// The first version whose payloads can be compressed (see ``PayloadCompression``).
    static let firstVersionWithCompressedPayloads = 6
    /// The first version with the tables of ``DeliveryTables`` and records of the kind `givenUp`.
    static let firstVersionWithDeliveryTables = 7

    /// Version 1, the first schema.
    ///
    /// - `outbox`: the records to publish. The row id is `seq`. The newest row is never deleted, so that `seq`
    ///   survives: its payload becomes NULL instead. `inputs` contains the tracker's journal entries. There is no
    ///   index. Each row contains the epoch, so that a row in a damaged file is self-contained.
    /// - `salvaged`: the records from a damaged file.
    /// - `journal`, `snapshot`: the tracker's state, in rows of about one page (see `TrackerStateTables`).
    private static let outboxAndState = """
        CREATE TABLE identity (id INTEGER PRIMARY KEY CHECK (id = 0), epoch INTEGER NOT NULL, seed BLOB NOT NULL,
            created INTEGER NOT NULL);
        CREATE TABLE outbox (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, kind INTEGER NOT NULL,
            timestamp INTEGER NOT NULL, payload BLOB, inputs BLOB);
        CREATE TABLE salvaged (epoch INTEGER NOT NULL, seq INTEGER NOT NULL, kind INTEGER NOT NULL,
            timestamp INTEGER NOT NULL, payload BLOB NOT NULL, PRIMARY KEY (epoch, seq)) WITHOUT ROWID;
        CREATE TABLE journal (slot INTEGER PRIMARY KEY, entries BLOB NOT NULL);
        CREATE TABLE snapshot (part INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
        CREATE TABLE ledger (position INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, from_seq INTEGER NOT NULL,
            to_seq INTEGER NOT NULL, count INTEGER NOT NULL, kind INTEGER, reason TEXT NOT NULL, at INTEGER NOT NULL);
        CREATE TABLE document (name TEXT PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID;
        """

    /// Version 2: `timeline`, the newest revision of each event, for queries. `finish` is the largest integer while an
    /// event is unfinished. The indices contain all columns that select a range, so that only rows of the answer are
    /// read.
    private static let timelineHistory = """
        CREATE TABLE timeline (id INTEGER PRIMARY KEY, event_id TEXT NOT NULL UNIQUE, start INTEGER NOT NULL,
            finish INTEGER NOT NULL, updated INTEGER NOT NULL, final INTEGER NOT NULL, payload BLOB NOT NULL);
        CREATE INDEX timeline_time ON timeline (start, finish);
        CREATE INDEX timeline_open ON timeline (start) WHERE finish = \(Int64.max);
        CREATE INDEX timeline_updated ON timeline (updated);
        """

    /// Version 3: payloads can be stored in ``PhraseCodes``, which an earlier agent would publish unchanged. Existing
    /// rows do not change.
    private static let payloadsInPhraseCodes = "SELECT 1;"

    /// Version 4: each row has a checksum. An older row reads as one with the default, an empty blob; a row that lost
    /// its checksum has NULL. The sequence numbers are reserved in a file: if a database of this version has none, it
    /// was deleted. An earlier agent would use numbers without reserving them.
    private static let checksumsAndReservationFile = """
        ALTER TABLE outbox ADD COLUMN checksum BLOB DEFAULT x'';
        ALTER TABLE outbox ADD COLUMN inputs_checksum BLOB DEFAULT x'';
        ALTER TABLE salvaged ADD COLUMN checksum BLOB DEFAULT x'';
        ALTER TABLE journal ADD COLUMN checksum BLOB DEFAULT x'';
        ALTER TABLE snapshot ADD COLUMN checksum BLOB DEFAULT x'';
        ALTER TABLE ledger ADD COLUMN checksum BLOB DEFAULT x'';
        ALTER TABLE document ADD COLUMN checksum BLOB DEFAULT x'';
        ALTER TABLE timeline ADD COLUMN checksum BLOB DEFAULT x'';
        """

    /// Version 5: the file contains no data that an earlier agent deleted. The step is applied after the erasure, so
    /// that an interrupted erasure is repeated at the next start.
    private static let deletedDataErased = "SELECT 1;"

    /// Version 6: payloads are stored as ``PayloadCompression``, which an earlier agent would publish unchanged.
    /// Existing rows do not change.
    private static let compressedPayloads = "SELECT 1;"

    /// Version 7: `own_epoch`, the last numbers of earlier epochs; `receipt`, the revisions of the receipts by which
    /// rows were deleted; an index of the given-up records, which costs other records nothing.
    private static let deliveryTables = """
        CREATE TABLE own_epoch (epoch INTEGER PRIMARY KEY, through INTEGER NOT NULL, checksum BLOB);
        CREATE TABLE receipt (store TEXT PRIMARY KEY, revision INTEGER NOT NULL, checksum BLOB) WITHOUT ROWID;
        CREATE INDEX outbox_given_up ON outbox (seq) WHERE kind = 3;
        """
}
