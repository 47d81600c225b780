import CivilTime

/// The agreement of a database with the record of its numbers.
///
/// The record is always written before the database: at each moment it speaks of the database that is there, or of one
/// whose numbers have not been used yet.
extension Opening {
    /// What was decided about a database that is being opened, and the record that is on the disk by now.
    struct Numbering {
        var file: NumberFile
        var record: NumberRecord
        var continuation: Continuation
    }

    /// Returns what a locked database shows, before it is changed. Nil where it has no identities yet.
    func look(
        at connection: borrowing Connection, version: Int, log: Continuation.Log
    ) throws(StoreError) -> Continuation.Database? {
        guard version > 0, let identities = try SideTables(connection).identities() else { return nil }
        return Continuation.Database(
            identities: identities, newestSeq: try connection.number("SELECT max(seq) FROM outbox") ?? 0,
            hasRecord: version >= Migrations.versionWithNumbers, log: log, systemRun: files.operations.systemRun)
    }

    /// Decides with which numbers a locked database goes on, and writes the record where it has to be another.
    func number(
        _ database: Continuation.Database?, _ file: NumberFile, _ content: NumberFile.Content
    ) throws(StoreError) -> Numbering {
        var file = file
        let continuation = Continuation(of: database, with: content)
        let record: NumberRecord
        switch (continuation, content.record, database) {
        case (.goOn, .some(let known), _): record = known
        case (.goOn(let gap, _), nil, .some(let database)):
            var first = NumberRecord.beginning(database.identities)
            first.reservedThrough = gap?.range.upperBound ?? database.newestSeq
            record = first
        case (.begin(.some, _), .some(let known), _): record = known
        default: record = .beginning(newIdentities(after: database?.identities.epoch ?? 0, content.record))
        }
        if record != content.record { try file.save(record) }
        return Numbering(file: file, record: record, continuation: continuation)
    }

    /// Copies a log to the database and makes it an empty one, where something is left behind its last transaction:
    /// that would look like damage once it is written over in part.
    ///
    /// - Parameter isProof: Whether the log and the record prove that no committed record is missing.
    func emptyLog(
        of connection: consuming Connection, _ file: NumberFile, _ record: NumberRecord?, isProof: Bool
    ) throws(StoreError) {
        if var record {
            // The next look, also after an interruption, must miss nothing of the log. What this log does not prove, the
            // empty one must not prove either.
            record.logBytes = 0
            if !isProof {
                record.isDurable = false
                record.systemRun = nil
            }
            var file = file
            try file.save(record)
        }
        try connection.execute("PRAGMA wal_checkpoint(RESTART)")
        // SQLite would keep the salts of a log without a complete transaction; of one without a header it makes new
        // ones.
        _ = consume connection
        try files.endLog(of: path)
    }

    /// Applies the decision to an opened database.
    ///
    /// - Parameter inconsistency: What shows that the database is not as it was left.
    func apply(
        _ numbering: Numbering, _ inconsistency: OpeningReport.Inconsistency?, to vault: inout Vault
    ) throws(StoreError) {
        switch numbering.continuation {
        case .begin: break
        case .goOn(let gap, _):
            vault.counters.gap = gap.map { gap in
                LedgerEntry(
                    epoch: numbering.record.identities.epoch, fromSeq: gap.range.lowerBound,
                    toSeq: gap.range.upperBound, count: gap.range.count, kind: nil, reason: gap.reason, at: now)
            }
        case .beginEpoch:
            try vault.beginEpoch(numbering.record.identities, at: now)
            vault.report.epoch = numbering.record.identities.epoch
        }
        if let lost = inconsistency?.lostEpoch(at: now) {
            try vault.transaction { vault throws(StoreError) in vault.counters.ledger.add(lost) }
        }
        vault.report.inconsistency = inconsistency
        vault.numbers = ReservedNumbers(
            file: numbering.file, record: numbering.record,
            isReverted: vault.counters.newestSeq < numbering.record.committedThrough)
    }

    /// Begins a new epoch in a database that is open.
    func beginEpoch(in vault: inout Vault) throws(StoreError) {
        guard vault.numbers != nil else {
            return try vault.beginEpoch(newIdentities(after: vault.counters.identities.epoch, nil), at: now)
        }
        let numbering = try saveNewRecord(after: vault.counters.identities.epoch)
        try vault.beginEpoch(numbering.record.identities, at: now)
        vault.numbers = ReservedNumbers(file: numbering.file, record: numbering.record, isReverted: false)
        try vault.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// Writes the record of an epoch that begins now.
    ///
    /// - Parameter epoch: The latest epoch that is known of the database.
    func saveNewRecord(after epoch: Int64) throws(StoreError) -> Numbering {
        var file = NumberFile(besideDatabase: path, on: files)
        let record = NumberRecord.beginning(newIdentities(after: epoch, try file.load().record))
        try file.save(record)
        return Numbering(file: file, record: record, continuation: .begin(record.identities, nil))
    }

    /// Returns the identities of an epoch that is later than all that can be found beside the database.
    func newIdentities(after epoch: Int64, _ record: NumberRecord?) -> RecordIdentities {
        let aside = files.asidePaths(of: path).compactMap { Salvage.identitiesIgnoringLog(of: $0, on: files)?.epoch }
        let unchecked = (aside + [epoch]).map(EpochNumber.credible).max() ?? 0
        var generator = SystemRandomNumberGenerator()
        let next = EpochNumber.next(after: max(record?.latestEpoch ?? 0, unchecked), at: now, using: &generator)
        return RecordIdentities(epoch: next, seed: .random())
    }

    /// A database in memory in place of a file that cannot be used. Its epoch is noted as far as that is possible, so
    /// that the file's next epoch is later.
    func runInsteadOfFile() throws(StoreError) -> Vault {
        var file = NumberFile(besideDatabase: path, on: files)
        let record = (try? file.load())?.record
        let ofFile = files.exists(path) ? Salvage.identitiesIgnoringLog(of: path, on: files)?.epoch : nil
        let identities = newIdentities(after: ofFile ?? 0, record)
        let vault = try runInMemory(as: identities)
        if var record {
            record.latestEpoch = identities.epoch
            try? file.save(record)
        }
        return vault
    }
}

extension OpeningReport.Inconsistency {
    /// The ledger's entry for an epoch whose database is gone. Nil where that is not what happened.
    fileprivate func lostEpoch(at now: Timestamp) -> LedgerEntry? {
        switch self {
        case .databaseMissing(let epoch, let through), .otherDatabase(let epoch, let through):
            LedgerEntry(
                epoch: epoch, fromSeq: 1, toSeq: through, count: Int(clamping: through), kind: nil,
                reason: .possiblyLost, at: now)
        default: nil
        }
    }
}
