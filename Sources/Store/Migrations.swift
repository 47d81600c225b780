/// The database's structure, as the steps that lead to it. A step that was released is never changed; a change is a new
/// step.
struct Migrations {
    /// What leads from the version before to this one.
    typealias Step = String

    /// Step `n` leads from version `n` to `n + 1`.
    var steps: [Step]

    /// The steps of this agent.
    static let all = Migrations(steps: [
        outboxAndState, timelineHistory, payloadsInPhraseCodes, checksumsAndReservationFile, deletedDataErased,
        compressedPayloads,
    ])

    /// The version that the steps lead to.
    var newestVersion: Int { steps.count }

    /// Brings a database to a version, in one transaction.
    ///
    /// - Parameters:
    ///   - path: What an error calls the file.
    ///   - last: The version. Nil for the newest.
    /// - Returns: The version that it had: 0 for a new file.
    /// - Throws: `StoreError.newerSchema` for a version that these steps do not know.
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

    /// The version of a database: 0 for a new file.
    ///
    /// - Throws: `StoreError.newerSchema` for a version that these steps do not know.
    func version(of connection: borrowing SQLiteConnection, path: String) throws(StoreError) -> Int {
        let version = Int(try connection.firstInteger("PRAGMA user_version") ?? 0)
        guard version >= 0, version <= newestVersion else {
            throw .newerSchema(path: path, version: version, known: newestVersion)
        }
        return version
    }

    /// The first version whose numbers are reserved in a file beside the database (see ``SequenceReservationFile``).
    static let firstVersionWithReservationFile = 4
    /// The first version in whose files nothing is left of what was deleted (see ``Database/eraseDeletedData()``).
    static let firstVersionWithoutDeletedData = 5

    /// Version 1.
    ///
    /// - `outbox`: what is to be published. The row number is `seq`; the newest row is never deleted, so that `seq`
    ///   survives: its payload becomes NULL instead. `inputs` are the tracker's journal entries. There is no index: the
    ///   epoch is in each row so that a row found in a damaged file speaks for itself.
    /// - `salvaged`: what was found in a damaged file.
    /// - `journal`, `snapshot`: the tracker's state, in rows of about one page that are written over in place (see
    ///   `TrackerStateTables`).
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

    /// Version 2: `timeline`, the newest revision of each event, for queries. `finish` is the largest number there is
    /// while an event lasts. The indices hold all that a range is found by, so that only the rows of the answer are
    /// read.
    private static let timelineHistory = """
        CREATE TABLE timeline (id INTEGER PRIMARY KEY, event_id TEXT NOT NULL UNIQUE, start INTEGER NOT NULL,
            finish INTEGER NOT NULL, updated INTEGER NOT NULL, final INTEGER NOT NULL, payload BLOB NOT NULL);
        CREATE INDEX timeline_time ON timeline (start, finish);
        CREATE INDEX timeline_open ON timeline (start) WHERE finish = \(Int64.max);
        CREATE INDEX timeline_updated ON timeline (updated);
        """

    /// Version 3: payloads can be stored in ``PhraseCodes``, which an earlier agent would publish as they are. Earlier
    /// rows do not change.
    private static let payloadsInPhraseCodes = "SELECT 1;"

    /// Version 4: each row has a checksum. A row of before reads as one with the default, which is told from a row that
    /// has lost its checksum. The numbers are reserved in a file beside the database. Where a database of this version
    /// has no such file, it was removed. An earlier agent would use numbers without reserving them.
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

    /// Version 5: nothing is left of what an earlier agent had deleted. The step is applied after that was erased, so
    /// that an erasure that was interrupted is repeated at the next start.
    private static let deletedDataErased = "SELECT 1;"

    /// Version 6: payloads are stored in the form of ``PayloadCompression``, which an earlier agent would publish as they
    /// are. Earlier rows do not change.
    private static let compressedPayloads = "SELECT 1;"
}
