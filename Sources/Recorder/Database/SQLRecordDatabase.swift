import OdographCivilTime
import OdographWire

/// The recorder's database in SQLite or PostgreSQL.
package final class SQLRecordDatabase: RecordDatabase {
    package let storeID: String
    package let clientSecret: String
    let connection: any RecorderConnection
    private let vehicles: VehicleTable
    private let records: RecordTable
    private let timeline: TimelineEventTable
    private let runs: RunTable
    private let covered: RunTable
    private let givenUp: GivenUpTable
    private let coverage: CoverageReader
    private let backups: any RecorderStatement
    private let ledger: LedgerTable
    private let rejected: RejectedTable
    private let erased: ErasedTable
    let notifications: NotificationTable
    let alerts: AlertTable
    let relay: RelayTable
    /// The rules; nil before ``begin(_:)``.
    var rules: RuleDesk?
    /// Nil if the table `records` has no partitions.
    private let partitions: RecordPartitions?
    /// The revisions of published receipts that the next batch stores.
    private var revisions: [DeviceAddress: Int64] = [:]

    /// Opens a file of SQLite, or creates it.
    /// - Parameters:
    ///   - path: The file; `:memory:` for a database in memory.
    ///   - lockSeconds: How long to wait for another program that has locked the database.
    ///   - waitingNotifications: The number of notifications of a rule that wait; beyond it some are dropped.
    package convenience init(
        path: String, lockSeconds: Double = 1, waitingNotifications: Int = NotificationTable.usualMaximumRows
    ) throws(DatabaseFailure) {
        let connection = try SQLiteRecorderConnection(path: path, lockSeconds: lockSeconds)
        // Checked first: the settings below would change the file of another program.
        _ = try RecorderSchema.hasTables(connection)
        // FULL: a commit is on the disk when it returns, also after a power cut.
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
        try RecorderSchema.apply(to: connection)
        try self.init(connection, partitions: nil, waitingNotifications: waitingNotifications)
    }

    /// Opens a database of PostgreSQL, and creates the tables in it if there are none.
    /// - Throws: ``DatabaseFailure/inUse(path:)`` while another recorder writes into it.
    package convenience init(_ address: PostgreSQLAddress) throws(DatabaseFailure) {
        let connection = try PostgreSQLRecorderConnection(address)
        guard try connection.lock() else { throw .inUse(path: connection.name) }
        try PostgreSQLSchema.apply(to: connection)
        // Without it, what a killed removal has taken out of the table could not be queried until the next removal.
        try ServerPartitionRemover(connection).finishIfPossible()
        try self.init(
            connection, partitions: RecordPartitions(connection),
            waitingNotifications: NotificationTable.usualMaximumRows)
    }

    private init(
        _ connection: any RecorderConnection, partitions: RecordPartitions?, waitingNotifications: Int
    ) throws(DatabaseFailure) {
        vehicles = try VehicleTable(connection)
        records = try RecordTable(connection)
        timeline = try TimelineEventTable(connection)
        runs = try RunTable("runs", connection)
        covered = try RunTable("covered", connection)
        givenUp = try GivenUpTable(connection)
        coverage = try CoverageReader(connection)
        backups = try connection.prepare("SELECT backups FROM store")
        storeID = try RecorderSchema.storeID(of: connection)
        clientSecret = try RecorderSchema.clientSecret(of: connection)
        ledger = try LedgerTable(connection)
        rejected = try RejectedTable(connection)
        erased = try ErasedTable(connection)
        notifications = try NotificationTable(connection, maximumRows: waitingNotifications)
        alerts = try AlertTable(connection)
        relay = try RelayTable(connection, isServer: partitions != nil)
        self.partitions = partitions
        self.connection = connection
    }

    package func verify() throws(DatabaseFailure) {
        try connection.transaction { () throws(DatabaseFailure) in }
    }

    /// A value that the database cannot store rejects only its own message: the batch is written in parts, to find it.
    @discardableResult
    package func write(
        _ batch: [BatchEntry], refused: [DeviceAddress: Int]
    ) throws(DatabaseFailure) -> StoredBatch {
        guard !batch.isEmpty else { return StoredBatch() }
        do throws(DatabaseFailure) {
            return try writeTogether(batch, refused)
        } catch .refusedValue(_, let detail) {
            guard batch.count > 1 else { return try writeTogether(batch.map { $0.rejected(because: detail) }, refused) }
            var stored = try write(Array(batch.prefix(batch.count / 2)), refused: refused)
            stored.add(try write(Array(batch.dropFirst(batch.count / 2)), refused: [:]))
            return stored
        }
    }

    private func writeTogether(
        _ batch: [BatchEntry], _ refused: [DeviceAddress: Int]
    ) throws(DatabaseFailure) -> StoredBatch {
        do throws(DatabaseFailure) {
            let stored = try connection.transaction { () throws(DatabaseFailure) in
                if let lock = connection.dialect.writerLock { try connection.execute(lock) }
                try erased.refresh()
                var changes = BatchChanges()
                for entry in batch { try write(entry, &changes) }
                let stored = try write(changes)
                for (vehicle, revision) in revisions { try vehicles.update(vehicle, revision: revision) }
                if let last = batch.last {
                    for (vehicle, count) in refused {
                        try vehicles.add(refused: count, of: vehicle, at: last.received)
                    }
                }
                return stored
            }
            revisions.removeAll()
            return stored
        } catch {
            vehicles.forgetKeys()
            partitions?.forget()
            rules?.forget()
            throw error
        }
    }

    private func write(_ entry: BatchEntry, _ changes: inout BatchChanges) throws(DatabaseFailure) {
        switch entry.content {
        case .rejected(let topic, let payload, let bytes, let reason):
            try rejected.insert(topic: topic, payload: payload, bytes: bytes, reason: reason, received: entry.received)
            changes.rejected += 1
        case .message(let message):
            let vehicle = try vehicles.key(of: message.vehicle, seen: entry.received)
            changes.lastSeen[vehicle] = entry.received
            switch message.content {
            case .status(let status):
                changes.reports.append((vehicle, entry))
                try vehicles.update(vehicle, status, payload: message.payload)
                try alerts.store(status, of: vehicle, message.vehicle, received: entry.received)
            case .reported(let report):
                changes.reports.append((vehicle, entry))
                try vehicles.update(vehicle, report, payload: message.payload)
                try ledger.insert(report.ledger, of: vehicle)
            case .location, .timeline, .givenUp:
                guard let number = message.number else { return }
                changes.records.append(
                    NumberedMessage(
                        identity: NumberedMessage.Identity(vehicle: vehicle, number: number), message: message,
                        received: entry.received))
            }
        }
    }

    /// Writes what is written together for all messages of a batch, or once for each vehicle.
    private func write(_ changes: BatchChanges) throws(DatabaseFailure) -> StoredBatch {
        var (new, withoutContents): ([NumberedMessage], [NumberedMessage]) = ([], [])
        for record in changes.records {
            if erased.contains(record) { withoutContents.append(record) } else { new.append(record) }
        }
        try partitions?.make(for: new)
        let known = try runs.runs(touching: NewNumbers.ranges(of: changes.records))
        let inserted = try records.insert(new, known: known)
        try timeline.upsert(inserted)
        // Also the numbers of erased contents: a receipt must not ask for them again.
        let stored = NewNumbers.ranges(of: inserted + withoutContents)
        try runs.insert(stored, known: known)
        var numbers = stored
        for record in inserted {
            guard case .givenUp(let content) = record.message.content else { continue }
            for range in content.ranges {
                try givenUp.insert(range, of: record.identity.vehicle)
                let key = RunTable.Key(vehicle: record.identity.vehicle, epoch: range.epoch)
                numbers[key, default: []].append(range.from...range.to)
            }
        }
        try covered.insert(numbers, known: try covered.runs(touching: numbers))
        try records.updateLatest(NewNumbers.latest(of: inserted))
        try vehicles.touch(changes.lastSeen)
        if changes.rejected > 0 { try rejected.removeOldest() }
        try rules?.evaluate(reports: changes.reports, records: inserted)
        var batch = StoredBatch(rejected: changes.rejected)
        for record in inserted { batch.add(record) }
        return batch
    }
}

extension SQLRecordDatabase {
    package func receiptReaders() throws(DatabaseFailure) -> [(fleet: String, device: String)] {
        try vehicles.receiptReaders()
    }

    package func coverage(of vehicle: DeviceAddress) throws(DatabaseFailure) -> VehicleCoverage {
        // A receipt of a deleted file would claim what is lost.
        try connection.checkIdentity()
        let revision = revisions[vehicle] ?? 0
        guard let facts = try vehicles.receiptFacts(of: vehicle) else { return VehicleCoverage(revision: revision) }
        return VehicleCoverage(
            epochs: try coverage.epochs(of: facts.key), conflicts: facts.conflicts,
            revision: max(facts.revision, revision))
    }

    package func noteRevision(_ revision: Int64, of vehicle: DeviceAddress) { revisions[vehicle] = revision }

    package func backupCount() throws(DatabaseFailure) -> Int64 { try backups.firstInteger() ?? 0 }
}

extension BatchEntry {
    /// Returns the entry as a rejected message.
    fileprivate func rejected(because detail: String) -> BatchEntry {
        guard case .message(let message) = content else { return self }
        let address = message.vehicle
        return BatchEntry(
            .rejected(
                topic: message.isBacklog ? address.backlogTopic(message.channel) : address.topic(message.channel),
                payload: Array(message.payload.utf8.prefix(RejectedTable.maximumBytes)),
                bytes: message.payload.utf8.count,
                reason: RejectionReason("the database cannot store a value: \(detail)")),
            received: received)
    }
}

/// The parts of a batch that are written together.
private struct BatchChanges {
    var records: [NumberedMessage] = []
    /// When the newest message of each vehicle was received.
    var lastSeen: [Int64: Timestamp] = [:]
    /// The number of messages that violate the contract.
    var rejected = 0
    /// The entries with a status or a report, with the keys of their vehicles.
    var reports: [(vehicle: Int64, entry: BatchEntry)] = []
}

/// The numbers of the records of a batch.
private enum NewNumbers {
    private struct KindKey: Hashable {
        var vehicle: Int64
        var kind: UplinkChannel
    }

    /// Returns the numbers as ranges.
    static func ranges(of records: [NumberedMessage]) -> RunTable.Ranges {
        var seqs: [RunTable.Key: [Int64]] = [:]
        for record in records { seqs[record.identity.key, default: []].append(record.identity.number.seq) }
        return seqs.mapValues { contiguousRanges(of: $0) }
    }

    /// Returns the newest record of each kind of each vehicle, see ``SQLDialect/isNewer(_:than:)``.
    static func latest(of records: [NumberedMessage]) -> [NumberedMessage] {
        var latest: [KindKey: NumberedMessage] = [:]
        for record in records {
            let key = KindKey(vehicle: record.identity.vehicle, kind: record.message.channel)
            if let known = latest[key], !record.isNewer(than: known) { continue }
            latest[key] = record
        }
        return Array(latest.values)
    }
}
