import OdographCivilTime
import OdographSQLite
import OdographWire

/// The consistency of a database and its sequence reservation.
///
/// The reservation is written before the database. So at each moment it belongs to the database at the path, or to one
/// whose sequence numbers are still unused. Only beside a damaged database it stays until its replacement is there.
extension DatabaseOpener {
    /// The decision about a database that is being opened, and the reservation that is on the disk.
    struct SequencePlan {
        var file: SequenceReservationFile
        var reservation: SequenceReservation
        var decision: SequenceDecision
        /// The last reserved number of the database's former epoch, if a new one begins; 0 if it is not known.
        var formerlyReservedThrough: Int64 = 0
    }

    /// Returns the state of a locked database before it is changed. Nil if it has no epoch yet.
    func inspect(
        _ connection: borrowing SQLiteConnection, hasTables: Bool, log: SequenceDecision.LogState
    ) throws(StoreError) -> SequenceDecision.DatabaseState? {
        guard hasTables, let identities = try MetadataTables(connection).epochIdentity() else { return nil }
        return SequenceDecision.DatabaseState(
            epochIdentity: identities, newestSeq: try connection.firstInteger("SELECT max(seq) FROM outbox") ?? 0,
            log: log, bootID: files.operations.bootID)
    }

    /// Decides the sequence numbers with which a locked database continues, and writes the reservation if it changes.
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
        let former = content.reservation.flatMap { $0.epochIdentity == database?.epochIdentity ? $0 : nil }
        return SequencePlan(
            file: file, reservation: record, decision: continuation,
            formerlyReservedThrough: former?.reservedThrough ?? 0)
    }

    /// Copies a log to the database and empties it, if data follows its last transaction: that data would look like
    /// damage once it is partly overwritten.
    ///
    /// - Parameter isProof: Whether the log and the reservation prove that no committed record is missing.
    func resetLog(
        of connection: consuming SQLiteConnection, _ file: SequenceReservationFile, _ record: SequenceReservation?,
        isProof: Bool
    ) throws(StoreError) {
        if var record {
            // The next opening must not miss the emptied log, even after an interruption. If this log proves nothing,
            // the empty one must not prove anything either.
            record.logBytes = 0
            if !isProof {
                record.isDurable = false
                record.bootID = nil
            }
            var file = file
            try file.save(record)
        }
        try connection.execute("PRAGMA wal_checkpoint(RESTART)")
        // SQLite would keep the salts of a log without a complete transaction, but not of one without a header.
        _ = consume connection
        try files.invalidateLog(of: path)
    }

    /// Applies the decision to an opened database.
    ///
    /// - Parameter inconsistency: The evidence that the database is not as the last run left it.
    func apply(
        _ numbering: SequencePlan, _ inconsistency: OpeningReport.Inconsistency?, to database: inout Database
    ) throws(StoreError) {
        switch numbering.decision {
        case .newDatabase: break
        case .resumeEpoch(let gap, _):
            let epoch = numbering.reservation.epochIdentity.epoch
            database.counters.pendingGap = gap.map { LedgerEntry($0.range, of: epoch, because: $0.reason, at: now) }
        case .newEpoch(let gap, _):
            let former = database.counters.epochIdentity.epoch
            try database.beginEpoch(
                numbering.reservation.epochIdentity, formerlyReservedThrough: numbering.formerlyReservedThrough,
                unused: gap.map { LedgerEntry($0.range, of: former, because: $0.reason, at: now) }, at: now)
            database.report.epoch = numbering.reservation.epochIdentity.epoch
        }
        if let lost = inconsistency?.lostEpochEntry(at: now) {
            try database.transaction { database throws(StoreError) in
                database.counters.ledger.add(lost)
                try database.noteOwnEpoch(lost.epoch, through: lost.toSeq)
            }
        }
        try enterMemoryRuns(of: numbering.file, in: &database)
        database.report.inconsistency = inconsistency
        database.report.lostRecords = numbering.decision.lostRecords
        database.sequenceAllocator = SequenceAllocator(
            file: numbering.file, reservation: numbering.reservation,
            newestSeq: database.counters.newestSeq)
    }

    /// Enters the numbers of the runs in memory that have ended: their records are lost, unless they were published.
    private func enterMemoryRuns(
        of file: SequenceReservationFile, in database: inout Database
    ) throws(StoreError) {
        let runs = file.memoryRuns
        guard !runs.isEmpty, !runs.contains(where: { $0.epochIdentity.epoch == memoryEpoch }) else { return }
        let known = try DeliveryTables.epochs(database.connection)
        let ended = runs.filter { run in
            let epoch = run.epochIdentity.epoch
            return run.reservedThrough > 0 && epoch != database.counters.epochIdentity.epoch && known[epoch] == nil
        }
        if !ended.isEmpty {
            try database.transaction { database throws(StoreError) in
                for run in ended {
                    let epoch = run.epochIdentity.epoch
                    database.counters.ledger.add(
                        LedgerEntry(1...run.reservedThrough, of: epoch, because: .possiblyLost, at: now))
                    try database.noteOwnEpoch(epoch, through: run.reservedThrough)
                }
            }
        }
        // If they stay, the noted epochs prevent a second entry.
        try? file.removeMemoryRuns()
    }

    /// Begins a new epoch in an open database.
    ///
    /// - Parameters:
    ///   - sharing: The numbers of the former epoch that somebody else has used, too; nil for none.
    ///   - known: An epoch that the new one must be later than.
    func beginEpoch(
        in database: inout Database, sharing: ClosedRange<Int64>? = nil, after known: Int64 = 0
    ) throws(StoreError) {
        let former = database.counters.epochIdentity.epoch
        guard let allocator = database.sequenceAllocator else {
            return try database.beginEpoch(
                newEpochIdentity(after: max(former, known), nil), formerlyReservedThrough: 0, at: now)
        }
        let (reserved, used) = (allocator.reservation.reservedThrough, database.counters.usedThroughSeq)
        let unused = sharing ?? (used < reserved ? used + 1...reserved : nil)
        let numbering = try saveNewReservation(after: max(former, known))
        try database.beginEpoch(
            numbering.reservation.epochIdentity, formerlyReservedThrough: max(reserved, sharing?.upperBound ?? 0),
            unused: unused.map {
                LedgerEntry($0, of: former, because: sharing == nil ? .neverAssigned : .possiblyLost, at: now)
            }, at: now)
        database.sequenceAllocator = SequenceAllocator(
            file: numbering.file, reservation: numbering.reservation, newestSeq: 0)
        // The epoch has begun. If it does not reach the file itself now, a later checkpoint takes it there.
        try? database.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// Writes the reservation of an epoch that begins now.
    ///
    /// - Parameter epoch: The latest known epoch of the database.
    func saveNewReservation(after epoch: Int64) throws(StoreError) -> SequencePlan {
        var file = SequenceReservationFile(besideDatabase: path, on: files)
        let record = SequenceReservation.initial(newEpochIdentity(after: epoch, try file.load().reservation))
        try file.save(record)
        return SequencePlan(file: file, reservation: record, decision: .newDatabase(record.epochIdentity, nil))
    }

    /// Returns an epoch that is later than all epochs found beside the database, with a new seed.
    func newEpochIdentity(after epoch: Int64, _ record: SequenceReservation?) -> EpochIdentity {
        let aside = files.asidePaths(of: path).compactMap { Salvage.epochIdentityIgnoringLog(of: $0, on: files)?.epoch }
        let unchecked = (aside + [epoch]).map(EpochGenerator.credible).max() ?? 0
        var generator = SystemRandomNumberGenerator()
        let next = EpochGenerator.next(after: max(record?.latestEpoch ?? 0, unchecked), at: now, using: &generator)
        return EpochIdentity(epoch: next, seed: .random())
    }

    /// Opens a database in memory instead of a file that cannot be used. Its epoch is saved in the reservation file if
    /// possible, so that the file's next epoch is later, and so are its numbers.
    func openInMemoryInsteadOfFile() throws(StoreError) -> Database {
        var file = SequenceReservationFile(besideDatabase: path, on: files)
        let record = (try? file.load())?.reservation
        let ofFile = files.operations.exists(path) ? Salvage.epochIdentityIgnoringLog(of: path, on: files)?.epoch : nil
        let identities = newEpochIdentity(after: ofFile ?? 0, record)
        var database = try openInMemory(as: identities)
        if var record {
            record.latestEpoch = identities.epoch
            try? file.save(record)
            database.memoryReservation = MemoryReservation(file: file, identities)
        }
        return database
    }
}

extension OpeningReport.Inconsistency {
    /// Returns the ledger entry for an epoch whose database is gone. Nil for other inconsistencies.
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
