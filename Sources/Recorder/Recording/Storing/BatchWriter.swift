import OdographCivilTime
import OdographWire

/// Stores batches of messages in the tables, each in one transaction.
final class BatchWriter {
    private let connection: any RecorderConnection
    private let vehicles: VehicleTable
    private let records: RecordTable
    private let timeline: TimelineEventTable
    private let runs: RunTable
    private let covered: RunTable
    private let givenUp: GivenUpTable
    private let ledger: LedgerTable
    private let rejected: RejectedTable
    private let erased: ErasedTable
    /// Nil if the table `records` has no partitions.
    private let partitions: RecordPartitions?

    init(
        _ connection: any RecorderConnection, _ vehicles: VehicleTable, _ partitions: RecordPartitions?
    ) throws(DatabaseFailure) {
        (self.connection, self.vehicles, self.partitions) = (connection, vehicles, partitions)
        records = try RecordTable(connection)
        timeline = try TimelineEventTable(connection)
        runs = try RunTable("runs", connection)
        covered = try RunTable("covered", connection)
        givenUp = try GivenUpTable(connection)
        ledger = try LedgerTable(connection)
        rejected = try RejectedTable(connection)
        erased = try ErasedTable(connection)
    }

    /// Stores messages. A value that the database cannot store rejects only its own message: the batch is written in
    /// parts, to find it.
    /// - Parameters:
    ///   - batch: The messages, at least one.
    ///   - refused: The numbers of refused messages of vehicles.
    ///   - revisions: The revisions of published receipts that are not stored.
    ///   - observers: What evaluates the batch in its transaction.
    func write(
        _ batch: [BatchEntry], refused: [DeviceAddress: Int], revisions: [DeviceAddress: Int64],
        observers: [any BatchObserver]
    ) throws(DatabaseFailure) -> StoredBatch {
        do throws(DatabaseFailure) {
            return try writeTogether(batch, refused, revisions, observers)
        } catch .refusedValue(_, let detail) {
            guard batch.count > 1 else {
                let rejected = batch.map { $0.rejected(because: detail) }
                return try writeTogether(rejected, refused, revisions, observers)
            }
            let (first, second) = (batch.prefix(batch.count / 2), batch.dropFirst(batch.count / 2))
            var stored = try write(Array(first), refused: refused, revisions: revisions, observers: observers)
            stored.add(try write(Array(second), refused: [:], revisions: [:], observers: observers))
            return stored
        }
    }

    private func writeTogether(
        _ batch: [BatchEntry], _ refused: [DeviceAddress: Int], _ revisions: [DeviceAddress: Int64],
        _ observers: [any BatchObserver]
    ) throws(DatabaseFailure) -> StoredBatch {
        do throws(DatabaseFailure) {
            return try connection.transaction { () throws(DatabaseFailure) in
                if let lock = connection.dialect.writerLock { try connection.execute(lock) }
                try erased.refresh()
                var contents = BatchContents()
                for entry in batch { try write(entry, &contents) }
                let (stored, changes) = try write(contents)
                for observer in observers { try observer.evaluate(changes) }
                for (vehicle, revision) in revisions { try vehicles.update(vehicle, revision: revision) }
                if let last = batch.last {
                    for (vehicle, count) in refused {
                        try vehicles.add(refused: count, of: vehicle, at: last.received)
                    }
                }
                return stored
            }
        } catch {
            vehicles.forgetKeys()
            partitions?.forget()
            for observer in observers { observer.forget() }
            throw error
        }
    }

    private func write(_ entry: BatchEntry, _ contents: inout BatchContents) throws(DatabaseFailure) {
        switch entry.content {
        case .rejected(let topic, let payload, let bytes, let reason):
            try rejected.insert(topic: topic, payload: payload, bytes: bytes, reason: reason, received: entry.received)
            contents.rejected += 1
        case .message(let message):
            let vehicle = try vehicles.key(of: message.vehicle, seen: entry.received)
            contents.lastSeen[vehicle] = entry.received
            switch message.content {
            case .status(let status):
                contents.reports.append(StoredChanges.Report(vehicle: vehicle, entry: entry))
                try vehicles.update(vehicle, status, payload: message.payload)
            case .reported(let report):
                contents.reports.append(StoredChanges.Report(vehicle: vehicle, entry: entry))
                try vehicles.update(vehicle, report, payload: message.payload)
                try ledger.insert(report.ledger, of: vehicle)
            case .location, .timeline, .givenUp:
                guard let number = message.number else { return }
                contents.records.append(
                    NumberedMessage(
                        identity: NumberedMessage.Identity(vehicle: vehicle, number: number), message: message,
                        received: entry.received))
            }
        }
    }

    /// Writes what is written together for all messages of a batch, or once for each vehicle.
    private func write(_ contents: BatchContents) throws(DatabaseFailure) -> (StoredBatch, StoredChanges) {
        var (new, withoutContents): ([NumberedMessage], [NumberedMessage]) = ([], [])
        for record in contents.records {
            if erased.contains(record) { withoutContents.append(record) } else { new.append(record) }
        }
        try partitions?.make(
            for: new.compactMap { record in record.message.recordTime.map { ($0, record.received) } })
        let known = try runs.runs(touching: NewNumbers.ranges(of: contents.records))
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
        try vehicles.touch(contents.lastSeen)
        if contents.rejected > 0 { try rejected.removeOldest() }
        var batch = StoredBatch(rejected: contents.rejected)
        for record in inserted { batch.add(record) }
        return (batch, StoredChanges(reports: contents.reports, records: inserted))
    }
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
private struct BatchContents {
    var records: [NumberedMessage] = []
    /// When the newest message of each vehicle was received.
    var lastSeen: [Int64: Timestamp] = [:]
    /// The number of messages that violate the contract.
    var rejected = 0
    var reports: [StoredChanges.Report] = []
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
