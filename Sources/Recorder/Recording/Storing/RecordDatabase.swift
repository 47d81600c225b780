import OdographWire

/// The recorder's database in SQLite or PostgreSQL, as the recorder writes it.
package final class RecordDatabase {
    /// The random name of the database, made with it.
    package let databaseID: String
    /// The secret of the recorder's client id, made with the database.
    package let clientSecret: String
    let connection: any RecorderConnection
    private let vehicles: VehicleTable
    private let writer: BatchWriter
    private let coverage: CoverageReader
    private let backups: any RecorderStatement
    /// The lock of a file; nil for a server, whose connection has the lock, and for a database in memory.
    private let lock: WriterLock?
    /// The revisions of published receipts that the next batch stores.
    private var revisions: [DeviceAddress: Int64] = [:]

    /// Opens a file of SQLite, or creates it.
    /// - Parameters:
    ///   - path: The file; `:memory:` for a database in memory.
    ///   - lockSeconds: How long to wait for another program that has locked the database.
    /// - Throws: ``DatabaseFailure/inUse(path:)`` while another recorder writes into it.
    package convenience init(path: String, lockSeconds: Double = 1) throws(DatabaseFailure) {
        let connection = try SQLiteRecorderConnection(path: path, lockSeconds: lockSeconds)
        // Checked first: the settings below would change the file of another program.
        _ = try SQLiteSchema.hasTables(connection)
        let lock = path == ":memory:" ? nil : try WriterLock(beside: path)
        // FULL: a commit is on the disk when it returns, also after a power cut.
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
        try SQLiteSchema.apply(to: connection)
        try self.init(connection, partitions: nil, lock: lock)
    }

    /// Opens a database of PostgreSQL, and creates the tables in it if there are none.
    /// - Throws: ``DatabaseFailure/inUse(path:)`` while another recorder writes into it.
    package convenience init(_ address: PostgreSQLAddress) throws(DatabaseFailure) {
        let connection = try PostgreSQLRecorderConnection(address)
        guard try connection.lock() else { throw .inUse(path: connection.name) }
        try PostgreSQLSchema.apply(to: connection)
        // Without it, what a killed removal has taken out of the table could not be queried until the next removal.
        try ServerPartitionRemover(connection).finishIfPossible()
        try self.init(connection, partitions: RecordPartitions(connection), lock: nil)
    }

    private init(
        _ connection: any RecorderConnection, partitions: RecordPartitions?, lock: consuming WriterLock?
    ) throws(DatabaseFailure) {
        self.connection = connection
        self.lock = lock
        vehicles = try VehicleTable(connection)
        writer = try BatchWriter(connection, vehicles, partitions)
        coverage = try CoverageReader(connection)
        backups = try connection.prepare("SELECT backups FROM identity")
        databaseID = try RecorderSchema.databaseID(of: connection)
        clientSecret = try RecorderSchema.clientSecret(of: connection)
    }

    /// Makes an empty transaction.
    /// - Throws: ``DatabaseFailure`` if the database cannot be written, or is not the one that was opened.
    package func verify() throws(DatabaseFailure) {
        try connection.transaction { () throws(DatabaseFailure) in }
    }

    /// Stores messages in one transaction. When the function returns, they are on the disk.
    ///
    /// A message that is stored already changes nothing, so a batch can be written again after an error.
    /// - Parameters:
    ///   - batch: The messages.
    ///   - refused: The numbers of messages of vehicles that were refused because they have sent too much.
    ///   - observers: What evaluates the batch in its transaction, in this order.
    /// - Returns: What was new in it.
    @discardableResult
    func write(
        _ batch: [BatchEntry], refused: [DeviceAddress: Int] = [:], observers: [any BatchObserver] = []
    ) throws(DatabaseFailure) -> StoredBatch {
        guard !batch.isEmpty else { return StoredBatch() }
        let stored = try writer.write(batch, refused: refused, revisions: revisions, observers: observers)
        revisions.removeAll()
        return stored
    }

    // MARK: - Receipts

    /// Returns the fleets and names of the vehicles that read receipts.
    package func receiptReaders() throws(DatabaseFailure) -> [(fleet: String, device: String)] {
        try vehicles.receiptReaders()
    }

    /// Returns what the receipt of a vehicle states, from committed messages only. It is empty for an unknown vehicle.
    package func coverage(of vehicle: DeviceAddress) throws(DatabaseFailure) -> VehicleCoverage {
        // A receipt of a deleted file would claim what is lost.
        try connection.checkIdentity()
        let revision = revisions[vehicle] ?? 0
        guard let facts = try vehicles.receiptFacts(of: vehicle) else { return VehicleCoverage(revision: revision) }
        return VehicleCoverage(
            epochs: try coverage.epochs(of: facts.key), conflicts: facts.conflicts,
            revision: max(facts.revision, revision))
    }

    /// Notes the revision of a published receipt. The next batch stores it: a commit of its own would cost more than a
    /// lost revision, which the broker and the vehicle know too.
    package func noteRevision(_ revision: Int64, of vehicle: DeviceAddress) { revisions[vehicle] = revision }

    /// Returns the count of complete backups.
    package func backupCount() throws(DatabaseFailure) -> Int64 { try backups.firstInteger() ?? 0 }
}
