import CivilTime

/// The agreement of a database with the record of its numbers.
///
/// The record is always written before the database: at each moment it speaks of the database that is there, or of one
/// whose numbers have not been used yet.
extension DatabaseOpener {
    /// What was decided about a database that is being opened, and the record that is on the disk by now.
    struct SequencePlan {
        var file: SequenceReservationFile
        var reservation: SequenceReservation
        var decision: SequenceDecision
    }

    /// Returns what a locked database shows, before it is changed. Nil where it has no identities yet.
    func inspect(
        _ connection: borrowing SQLiteConnection, version: Int, log: SequenceDecision.LogState
    ) throws(StoreError) -> SequenceDecision.DatabaseState? {
        guard version > 0, let identities = try MetadataTables(connection).epochIdentity() else { return nil }
        return SequenceDecision.DatabaseState(
            epochIdentity: identities, newestSeq: try connection.firstInteger("SELECT max(seq) FROM outbox") ?? 0,
            hasReservation: version >= Migrations.firstVersionWithReservationFile, log: log,
            bootID: files.operations.bootID)
    }

    /// Decides with which numbers a locked database goes on, and writes the record where it has to be another.
    func decideSequence(
        _ database: SequenceDecision.DatabaseState?, _ file: SequenceReservationFile,
        _ content: SequenceReservationFile.Content
    ) throws(StoreError) -> SequencePlan {
        var file = file
        let continuation = SequenceDecision(of: database, with: content)
        let record: SequenceReservation
        switch (continuation, content.reservation, database) {
        case (.resumeEpoch, .some(let known), _): record = known
        case (.resumeEpoch(let gap, _), nil, .some(let database)):
            var first = SequenceReservation.initial(database.epochIdentity)
            first.reservedThrough = gap?.range.upperBound ?? database.newestSeq
            record = first
        case (.newDatabase(.some, _), .some(let known), _): record = known
        default: record = .initial(newEpochIdentity(after: database?.epochIdentity.epoch ?? 0, content.reservation))
        }
        if record != content.reservation { try file.save(record) }
        return SequencePlan(file: file, reservation: record, decision: continuation)
    }

    /// Copies a log to the database and makes it an empty one, where something is left behind its last transaction:
    /// that would look like damage once it is written over in part.
    ///
    /// - Parameter isProof: Whether the log and the record prove that no committed record is missing.
    func resetLog(
        of connection: consuming SQLiteConnection, _ file: SequenceReservationFile, _ record: SequenceReservation?,
        isProof: Bool
    ) throws(StoreError) {
        if var record {
            // The next look, also after an interruption, must miss nothing of the log. What this log does not prove, the
            // empty one must not prove either.
            record.logBytes = 0
            if !isProof {
                record.isDurable = false
                record.bootID = nil
            }
            var file = file
            try file.save(record)
        }
        try connection.execute("PRAGMA wal_checkpoint(RESTART)")
        // SQLite would keep the salts of a log without a complete transaction; of one without a header it makes new
        // ones.
        _ = consume connection
        try files.invalidateLog(of: path)
    }

    /// Applies the decision to an opened database.
    ///
    /// - Parameter inconsistency: What shows that the database is not as it was left.
    func apply(
        _ numbering: SequencePlan, _ inconsistency: OpeningReport.Inconsistency?, to vault: inout Database
    ) throws(StoreError) {
        switch numbering.decision {
        case .newDatabase: break
        case .resumeEpoch(let gap, _):
            vault.counters.pendingGap = gap.map { gap in
                LedgerEntry(
                    epoch: numbering.reservation.epochIdentity.epoch, fromSeq: gap.range.lowerBound,
                    toSeq: gap.range.upperBound, count: gap.range.count, kind: nil, reason: gap.reason, at: now)
            }
        case .newEpoch:
            try vault.beginEpoch(numbering.reservation.epochIdentity, at: now)
            vault.report.epoch = numbering.reservation.epochIdentity.epoch
        }
        if let lost = inconsistency?.lostEpochEntry(at: now) {
            try vault.transaction { vault throws(StoreError) in vault.counters.ledger.add(lost) }
        }
        vault.report.inconsistency = inconsistency
        vault.sequenceAllocator = SequenceAllocator(
            file: numbering.file, reservation: numbering.reservation,
            isReverted: vault.counters.newestSeq < numbering.reservation.committedThrough)
    }

    /// Begins a new epoch in a database that is open.
    func beginEpoch(in vault: inout Database) throws(StoreError) {
        guard vault.sequenceAllocator != nil else {
            return try vault.beginEpoch(newEpochIdentity(after: vault.counters.epochIdentity.epoch, nil), at: now)
        }
        let numbering = try saveNewReservation(after: vault.counters.epochIdentity.epoch)
        try vault.beginEpoch(numbering.reservation.epochIdentity, at: now)
        vault.sequenceAllocator = SequenceAllocator(
            file: numbering.file, reservation: numbering.reservation, isReverted: false)
        try vault.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// Writes the record of an epoch that begins now.
    ///
    /// - Parameter epoch: The latest epoch that is known of the database.
    func saveNewReservation(after epoch: Int64) throws(StoreError) -> SequencePlan {
        var file = SequenceReservationFile(besideDatabase: path, on: files)
        let record = SequenceReservation.initial(newEpochIdentity(after: epoch, try file.load().reservation))
        try file.save(record)
        return SequencePlan(file: file, reservation: record, decision: .newDatabase(record.epochIdentity, nil))
    }

    /// Returns the identities of an epoch that is later than all that can be found beside the database.
    func newEpochIdentity(after epoch: Int64, _ record: SequenceReservation?) -> EpochIdentity {
        let aside = files.asidePaths(of: path).compactMap { Salvage.epochIdentityIgnoringLog(of: $0, on: files)?.epoch }
        let unchecked = (aside + [epoch]).map(EpochGenerator.credible).max() ?? 0
        var generator = SystemRandomNumberGenerator()
        let next = EpochGenerator.next(after: max(record?.latestEpoch ?? 0, unchecked), at: now, using: &generator)
        return EpochIdentity(epoch: next, seed: .random())
    }

    /// A database in memory in place of a file that cannot be used. Its epoch is noted as far as that is possible, so
    /// that the file's next epoch is later.
    func openInMemoryInsteadOfFile() throws(StoreError) -> Database {
        var file = SequenceReservationFile(besideDatabase: path, on: files)
        let record = (try? file.load())?.reservation
        let ofFile = files.exists(path) ? Salvage.epochIdentityIgnoringLog(of: path, on: files)?.epoch : nil
        let identities = newEpochIdentity(after: ofFile ?? 0, record)
        let vault = try openInMemory(as: identities)
        if var record {
            record.latestEpoch = identities.epoch
            try? file.save(record)
        }
        return vault
    }
}

extension OpeningReport.Inconsistency {
    /// The ledger's entry for an epoch whose database is gone. Nil where that is not what happened.
    fileprivate func lostEpochEntry(at now: Timestamp) -> LedgerEntry? {
        switch self {
        case .databaseMissing(let epoch, let through), .otherDatabase(let epoch, let through):
            LedgerEntry(
                epoch: epoch, fromSeq: 1, toSeq: through, count: Int(clamping: through), kind: nil,
                reason: .possiblyLost, at: now)
        default: nil
        }
    }
}
