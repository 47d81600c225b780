import OdographCivilTime
import OdographSQLite
import OdographStore
import OdographWire

/// The recorder's database in a file of SQLite.
package final class SQLiteRecordDatabase: RecordDatabase {
    let connection: Connection<DatabaseFailure>
    package let storeID: String
    private let path: String
    /// The file at the opening; nil for a database in memory.
    private let file: FileIdentity?
    private let vehicles: VehicleTable
    private let records: RecordTable
    private let timeline: TimelineEventTable
    private let runs: RunTable
    private let covered: RunTable
    private let givenUp: GivenUpTable
    private let coverage: CoverageReader
    private let backups: Statement<DatabaseFailure>
    private let ledger: LedgerTable
    private let rejected: RejectedTable
    /// The revisions of published receipts that the next batch stores.
    private var revisions: [DeviceAddress: Int64] = [:]

    /// Opens a database, or creates it.
    /// - Parameters:
    ///   - path: The file; `:memory:` for a database in memory.
    ///   - lockSeconds: How long to wait for another program that has locked the database.
    package init(path: String, lockSeconds: Double = 1) throws(DatabaseFailure) {
        let connection = try Connection<DatabaseFailure>(path: path)
        connection.setBusyTimeout(milliseconds: Int(lockSeconds * 1000))
        // Checked first: the settings below would change the file of another program.
        _ = try RecorderSchema.checkedVersion(of: connection, path: path)
        // FULL: a commit is on the disk when it returns, also after a power cut.
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
        try RecorderSchema.apply(to: connection, path: path)
        vehicles = try VehicleTable(connection)
        records = try RecordTable(connection)
        timeline = try TimelineEventTable(connection)
        runs = try RunTable("runs", connection)
        covered = try RunTable("covered", connection)
        givenUp = try GivenUpTable(connection)
        coverage = try CoverageReader(connection)
        backups = try connection.prepare("SELECT backups FROM store")
        storeID = try RecorderSchema.storeID(of: connection, path: path)
        ledger = try LedgerTable(connection)
        rejected = try RejectedTable(connection)
        self.connection = connection
        self.path = path
        file = FileIdentity(path)
    }

    package func write(_ batch: [BatchEntry]) throws(DatabaseFailure) {
        guard !batch.isEmpty else { return }
        try checkFile()
        // IMMEDIATE: a transaction that first reads could not wait for another program's lock.
        try connection.execute("BEGIN IMMEDIATE")
        do throws(DatabaseFailure) {
            var changes = BatchChanges()
            for entry in batch { try write(entry, &changes) }
            try write(changes)
            for (vehicle, revision) in revisions { try vehicles.update(vehicle, revision: revision) }
            try connection.execute("COMMIT")
            revisions.removeAll()
        } catch {
            connection.rollBack()
            vehicles.forgetKeys()
            throw error
        }
    }

    /// SQLite would go on with a file that has no name any more, and lose it at the end.
    private func checkFile() throws(DatabaseFailure) {
        guard FileIdentity(path) == file else { throw .fileLost(path: path) }
    }

    private func write(_ entry: BatchEntry, _ changes: inout BatchChanges) throws(DatabaseFailure) {
        switch entry.content {
        case .rejected(let topic, let payload, let bytes, let reason):
            try rejected.insert(topic: topic, payload: payload, bytes: bytes, reason: reason, received: entry.received)
            changes.hasRejected = true
        case .message(let message):
            let vehicle = try vehicles.key(of: message.vehicle, seen: entry.received)
            changes.lastSeen[vehicle] = entry.received
            try write(message, of: vehicle, received: entry.received, &changes)
        }
    }

    private func write(
        _ message: VehicleMessage, of vehicle: Int64, received: Timestamp, _ changes: inout BatchChanges
    ) throws(DatabaseFailure) {
        switch message.content {
        case .status(let status): try vehicles.update(vehicle, status, payload: message.payload)
        case .reported(let report):
            try vehicles.update(vehicle, report, payload: message.payload)
            for entry in report.ledger { try ledger.insert(entry, of: vehicle) }
        case .location, .timeline, .givenUp:
            guard let number = message.number,
                try records.insert(message, number, of: vehicle, received: received)
            else { return }
            changes.add(number, kind: message.channel, of: vehicle)
            switch message.content {
            case .timeline(let event): try timeline.upsert(event, number, of: vehicle)
            case .givenUp(let record):
                for range in record.ranges {
                    try givenUp.insert(range, of: vehicle)
                    try covered.insert(range.from...range.to, of: vehicle, epoch: range.epoch)
                }
            case .location, .status, .reported: break
            }
        }
    }

    /// Writes what is written once for each vehicle, not once for each message.
    private func write(_ changes: BatchChanges) throws(DatabaseFailure) {
        for (key, number) in changes.latest { try records.updateLatest(of: key.vehicle, key.kind, number) }
        for (key, numbers) in changes.numbers {
            for run in contiguousRanges(of: numbers) {
                try runs.insert(run, of: key.vehicle, epoch: key.epoch)
                try covered.insert(run, of: key.vehicle, epoch: key.epoch)
            }
        }
        for (vehicle, time) in changes.lastSeen { try vehicles.touch(vehicle, at: time) }
        if changes.hasRejected { try rejected.removeOldest() }
    }
}

extension SQLiteRecordDatabase {
    package func receiptReaders() throws(DatabaseFailure) -> [(fleet: String, device: String)] {
        try vehicles.receiptReaders()
    }

    package func coverage(of vehicle: DeviceAddress) throws(DatabaseFailure) -> VehicleCoverage {
        // A receipt of a deleted file would claim what is lost.
        try checkFile()
        let revision = revisions[vehicle] ?? 0
        guard let facts = try vehicles.receiptFacts(of: vehicle) else { return VehicleCoverage(revision: revision) }
        return VehicleCoverage(
            epochs: try coverage.epochs(of: facts.key), conflicts: facts.conflicts,
            revision: max(facts.revision, revision))
    }

    package func noteRevision(_ revision: Int64, of vehicle: DeviceAddress) { revisions[vehicle] = revision }

    package func backupCount() throws(DatabaseFailure) -> Int64 { try backups.firstInteger() ?? 0 }
}

/// The changes of a batch that are written once for each vehicle.
private struct BatchChanges {
    struct EpochKey: Hashable {
        var vehicle: Int64
        var epoch: Int64
    }

    struct KindKey: Hashable {
        var vehicle: Int64
        var kind: UplinkChannel
    }

    /// The numbers of the new records.
    var numbers: [EpochKey: [Int64]] = [:]
    /// The greatest number of the new records.
    var latest: [KindKey: RecordKey] = [:]
    /// When the newest message was received.
    var lastSeen: [Int64: Timestamp] = [:]
    var hasRejected = false

    mutating func add(_ number: RecordKey, kind: UplinkChannel, of vehicle: Int64) {
        numbers[EpochKey(vehicle: vehicle, epoch: number.epoch), default: []].append(number.seq)
        let key = KindKey(vehicle: vehicle, kind: kind)
        latest[key] = max(latest[key] ?? number, number)
    }
}
