import CivilTime

/// The database and all that is done with it, synchronously: what `AgentStore` guards.
struct Database: ~Copyable {
    let path: String
    let options: StoreOptions
    let connection: SQLiteConnection
    let outbox: OutboxTable
    let salvaged: SalvagedTable
    let trackerStateTables: TrackerStateTables
    let metadataTables: MetadataTables
    let timeline: TimelineTable
    private let beginTransaction: SQLiteStatement
    private let commitTransaction: SQLiteStatement
    private let pageCount: SQLiteStatement
    private let freePageCount: SQLiteStatement
    var counters: StoreCounters
    var pendingAcknowledgements = PendingAcknowledgements()
    /// How far the database has been looked through.
    private var integrityScan = IntegrityScan(isNeeded: false)
    /// What was found when it was opened.
    var report: OpeningReport
    /// The numbers that may be used. Nil for a database whose numbers end with it, or that is not completely opened.
    var sequenceAllocator: SequenceAllocator?

    /// Whether the write-ahead log may have frames of a transaction that was not committed.
    private var isLogDirty = false

    deinit { closeSequenceAllocator() }

    /// Reads what the counters say from the tables.
    ///
    /// - Parameter isLarge: Whether to look through all of it would take too long; then ``advanceIntegrityScan()`` does so by
    ///   and by.
    fileprivate mutating func loadCounters(isLarge: Bool) throws(StoreError) {
        counters.newestSeq = try outbox.newestSeq()
        counters.outbox = RowCount(uncountedThrough: counters.newestSeq)
        integrityScan = IntegrityScan(isNeeded: true)
        counters.salvagedCount = try salvaged.count()
        counters.ledger = try metadataTables.ledger()
        counters.timeline = try timeline.totals()
        counters.tombstoneSeq = try outbox.isTombstone(counters.newestSeq) ? counters.newestSeq : nil
        let epochs = try outbox.epochs(of: counters.newestSeq)
        guard epochs.allSatisfy({ $0 == counters.epochIdentity.epoch }) else {
            throw .damaged(
                path: path, reason: "its records are of another epoch than the file: a log of another database")
        }
        while !isLarge, try advanceIntegrityScan() {}
        let snapshot = try trackerStateTables.snapshot()
        counters.snapshotSeq = snapshot?.seq ?? 0
        let entries = try journalEntries(after: snapshot)
        counters.journalOrdinal = entries.last?.ordinal ?? snapshot?.ordinal ?? 0
        counters.journalBytes = entries.reduce(0) { $0 + $1.bytes.count }
        counters.nextJournalSlot = try trackerStateTables.slotCount(after: snapshot?.ordinal ?? 0)
    }

    /// The journal entries that a snapshot does not contain, in order.
    borrowing func journalEntries(after snapshot: TrackerStateTables.Snapshot?) throws(StoreError) -> [CommitJournal
        .Entry]
    {
        var entries = try trackerStateTables.entries()
        for encoded in try outbox.inputs(in: (snapshot?.seq ?? 0) + 1...Int64.max) {
            entries += CommitJournal.entries(in: encoded)
        }
        let last = snapshot?.ordinal ?? 0
        entries = entries.filter { $0.ordinal > last }.sorted { $0.ordinal < $1.ordinal }
        var previous = last
        return entries.filter { entry in
            defer { previous = entry.ordinal }
            return entry.ordinal > previous
        }
    }

    /// Does something in one transaction: all of it, or nothing, and then the counters are as before.
    mutating func transaction<Result>(
        _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try reserveFirstNumbers()
        let before = counters
        do throws(StoreError) {
            try beginTransaction.run()
            try overwriteStaleFrames()
            let result = try body(&self)
            if counters.ledger != before.ledger { try metadataTables.save(counters.ledger) }
            try commitTransaction.run()
            restartDirtyLog()
            if options.synchronous == .full { sequenceAllocator?.markDurable(through: counters.newestSeq) }
            return result
        } catch {
            connection.rollBack()
            counters = before
            // What it has written is still there, and of this log.
            isLogDirty = true
            throw error
        }
    }

    /// Makes a transaction write a page in any case. A transaction whose synchronization failed can be complete in the
    /// log, and would count after a kill as long as nothing is written over it.
    private borrowing func overwriteStaleFrames() throws(StoreError) {
        guard isLogDirty, sequenceAllocator != nil, let version = try connection.firstInteger("PRAGMA user_version")
        else { return }
        try connection.execute("PRAGMA user_version = \(version)")
    }

    /// Makes the next transaction begin a new log after one that failed, so that the remains of that one cannot be
    /// taken for damage.
    private mutating func restartDirtyLog() {
        guard isLogDirty, sequenceAllocator != nil else { return }
        isLogDirty = (try? connection.execute("PRAGMA wal_checkpoint(RESTART)")) == nil
    }

    /// Pages of the file, free ones among it.
    borrowing func pagesOfFile() throws(StoreError) -> Int { Int(try pageCount.firstInteger() ?? 0) }

    /// Pages of the file that hold something.
    borrowing func pagesInUse() throws(StoreError) -> Int {
        try pagesOfFile() - Int(try freePageCount.firstInteger() ?? 0)
    }

    /// Looks at the next part of a database that was too large to be looked through when it was opened.
    ///
    /// - Returns: Whether there is more.
    mutating func advanceIntegrityScan() throws(StoreError) -> Bool {
        try integrityScan.advance(connection, &counters, path: path)
        return !integrityScan.isDone
    }

    /// Removes what was deleted from the file and from the log. An earlier agent could have positions of private time
    /// among it; this one writes none.
    mutating func eraseDeletedData() throws(StoreError) {
        try transaction { vault throws(StoreError) in
            try vault.trackerStateTables.deleteObsolete(
                slotsFrom: vault.counters.nextJournalSlot, behind: try vault.trackerStateTables.snapshot())
        }
        try connection.execute("VACUUM; PRAGMA wal_checkpoint(RESTART)")
        try options.files.invalidateLog(of: path)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    borrowing func statistics() throws(StoreError) -> StoreStatistics {
        let records = counters.outbox.estimatedTotal(
            oldest: counters.outbox.isComplete ? nil : try outbox.oldestSeq(), tombstone: counters.tombstoneSeq)
        let oldestSalvaged = try salvaged.oldestTimestamp()
        let oldest = oldestSalvaged == nil ? try outbox.oldestTimestamp() : oldestSalvaged
        return StoreStatistics(
            depth: max(0, records + counters.salvagedCount - pendingAcknowledgements.count),
            salvagedDepth: max(0, counters.salvagedCount - pendingAcknowledgements.salvaged.count),
            pendingAcknowledgements: pendingAcknowledgements.count, oldest: oldest,
            fileBytes: try pagesOfFile() * SQLiteConnection.pageBytes,
            usedBytes: try pagesInUse() * SQLiteConnection.pageBytes,
            newestSeq: counters.newestSeq, epoch: counters.epochIdentity.epoch,
            givenUpCount: counters.ledger.givenUpCount,
            journalBytes: counters.journalBytes, timelineEvents: counters.timeline.count,
            timelineBytes: counters.timeline.bytes)
    }
}

extension Database {
    /// Takes a database that has the newest structure.
    ///
    /// - Parameters:
    ///   - path: What an error calls it.
    ///   - firstIdentities: The identities of a database that has none.
    ///   - isLarge: Whether it is yet to be looked through, a little at a time.
    static func wrapping(
        _ connection: consuming SQLiteConnection, path: String, options: StoreOptions,
        initialEpochIdentity: EpochIdentity,
        now: Timestamp, isLarge: Bool = false
    ) throws(StoreError) -> Database {
        let sideTables = try MetadataTables(connection)
        let known = try sideTables.epochIdentity()
        let identities = known ?? initialEpochIdentity
        if known == nil { try sideTables.saveEpochIdentity(identities, at: now) }
        let outbox = try OutboxTable(connection)
        let salvaged = try SalvagedTable(connection)
        let stateTables = try TrackerStateTables(connection)
        let timeline = try TimelineTable(connection)
        let begin = try connection.prepare("BEGIN IMMEDIATE")
        let end = try connection.prepare("COMMIT")
        let pageCount = try connection.prepare("PRAGMA page_count")
        let freePageCount = try connection.prepare("PRAGMA freelist_count")
        var vault = Database(
            path: path, options: options, connection: connection, outbox: outbox, salvaged: salvaged,
            trackerStateTables: stateTables, metadataTables: sideTables, timeline: timeline, beginTransaction: begin,
            commitTransaction: end,
            pageCount: pageCount,
            freePageCount: freePageCount, counters: StoreCounters(epochIdentity: identities),
            report: OpeningReport(epoch: identities.epoch, isNew: false))
        try vault.loadCounters(isLarge: isLarge)
        return vault
    }
}
