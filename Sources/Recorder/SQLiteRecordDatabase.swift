import OdographCivilTime
import OdographSQLite
import OdographStore
import OdographWire

/// The recorder's database in a file of SQLite.
package final class SQLiteRecordDatabase: RecordDatabase {
    let connection: Connection<DatabaseFailure>
    private let path: String
    /// The file at the opening; nil for a database in memory.
    private let file: FileIdentity?
    private let vehicles: VehicleTable
    private let records: RecordTable
    private let timeline: TimelineEventTable
    private let runs: RunTable
    private let ledger: LedgerTable
    private let rejected: RejectedTable

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
        runs = try RunTable(connection)
        ledger = try LedgerTable(connection)
        rejected = try RejectedTable(connection)
        self.connection = connection
        self.path = path
        file = FileIdentity(path)
    }

    package func write(_ batch: [BatchEntry]) throws(DatabaseFailure) {
        guard !batch.isEmpty else { return }
        // SQLite would go on with the file that has no name any more, and lose it at the end.
        guard FileIdentity(path) == file else { throw .fileLost(path: path) }
        // IMMEDIATE: a transaction that first reads could not wait for another program's lock.
        try connection.execute("BEGIN IMMEDIATE")
        do throws(DatabaseFailure) {
            var changes = BatchChanges()
            for entry in batch { try write(entry, &changes) }
            try write(changes)
            try connection.execute("COMMIT")
        } catch {
            connection.rollBack()
            vehicles.forgetKeys()
            throw error
        }
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
        case .location, .timeline:
            guard let number = message.number,
                try records.insert(message, number, of: vehicle, received: received)
            else { return }
            changes.add(number, kind: message.channel, of: vehicle)
            if case .timeline(let event) = message.content { try timeline.upsert(event, number, of: vehicle) }
        }
    }

    /// Writes what is written once for each vehicle, not once for each message.
    private func write(_ changes: BatchChanges) throws(DatabaseFailure) {
        for (key, number) in changes.latest { try records.updateLatest(of: key.vehicle, key.kind, number) }
        for (key, numbers) in changes.numbers {
            for run in contiguousRanges(of: numbers) { try runs.insert(run, of: key.vehicle, epoch: key.epoch) }
        }
        for (vehicle, time) in changes.lastSeen { try vehicles.touch(vehicle, at: time) }
        if changes.hasRejected { try rejected.removeOldest() }
    }
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
