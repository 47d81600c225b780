import CivilTime

/// The database and all that is done with it, synchronously: what `AgentStore` guards.
struct Vault: ~Copyable {
    let path: String
    let options: StoreOptions
    let connection: Connection
    let outbox: OutboxTable
    let salvaged: SalvagedTable
    let stateTables: StateTables
    let sideTables: SideTables
    let timeline: TimelineTable
    private let begin: Statement
    private let end: Statement
    private let pageCount: Statement
    private let freePageCount: Statement
    var counters: Counters
    var acknowledgements = Acknowledgements()
    /// How far the database has been looked through.
    private var survey = Survey(isNeeded: false)
    /// What was found when it was opened.
    var report: OpeningReport
    /// The numbers that may be used. Nil for a database whose numbers end with it, or that is not completely opened.
    var numbers: ReservedNumbers?

    /// Whether the write-ahead log may have frames of a transaction that was not committed.
    private var isLogDirty = false

    deinit { closeNumbers() }

    /// Reads what the counters say from the tables.
    ///
    /// - Parameter isLarge: Whether to look through all of it would take too long; then ``advanceSurvey()`` does so by
    ///   and by.
    fileprivate mutating func recount(isLarge: Bool) throws(StoreError) {
        counters.newestSeq = try outbox.newestSeq()
        counters.outbox = Tally(uncountedThrough: counters.newestSeq)
        survey = Survey(isNeeded: true)
        counters.salvagedCount = try salvaged.count()
        counters.ledger = try sideTables.ledger()
        counters.timeline = try timeline.totals()
        counters.hollowSeq = try outbox.isHollow(counters.newestSeq) ? counters.newestSeq : nil
        let epochs = try outbox.epochs(of: counters.newestSeq)
        guard epochs.allSatisfy({ $0 == counters.identities.epoch }) else {
            throw .damaged(
                path: path, reason: "its records are of another epoch than the file: a log of another database")
        }
        while !isLarge, try advanceSurvey() {}
        let snapshot = try stateTables.snapshot()
        counters.snapshotSeq = snapshot?.seq ?? 0
        let entries = try journalEntries(after: snapshot)
        counters.ordinal = entries.last?.ordinal ?? snapshot?.ordinal ?? 0
        counters.journalBytes = entries.reduce(0) { $0 + $1.bytes.count }
        counters.nextSlot = try stateTables.slotCount(after: snapshot?.ordinal ?? 0)
    }

    /// The journal entries that a snapshot does not contain, in order.
    borrowing func journalEntries(after snapshot: StateTables.Snapshot?) throws(StoreError) -> [Journal.Entry] {
        var entries = try stateTables.entries()
        for encoded in try outbox.inputs(in: (snapshot?.seq ?? 0) + 1...Int64.max) {
            entries += Journal.entries(in: encoded)
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
        _ body: (inout Vault) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try reserveFirstNumbers()
        let before = counters
        do throws(StoreError) {
            try begin.run()
            try coverRemains()
            let result = try body(&self)
            if counters.ledger != before.ledger { try sideTables.save(counters.ledger) }
            try end.run()
            restartDirtyLog()
            if options.synchronous == .full { numbers?.noteDurable(through: counters.newestSeq) }
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
    private borrowing func coverRemains() throws(StoreError) {
        guard isLogDirty, numbers != nil, let version = try connection.number("PRAGMA user_version") else { return }
        try connection.execute("PRAGMA user_version = \(version)")
    }

    /// Makes the next transaction begin a new log after one that failed, so that the remains of that one cannot be
    /// taken for damage.
    private mutating func restartDirtyLog() {
        guard isLogDirty, numbers != nil else { return }
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
    mutating func advanceSurvey() throws(StoreError) -> Bool {
        try survey.advance(connection, &counters, path: path)
        return !survey.isDone
    }

    /// Removes what was deleted from the file and from the log. An earlier agent could have positions of private time
    /// among it; this one writes none.
    mutating func eraseRemains() throws(StoreError) {
        try transaction { vault throws(StoreError) in
            try vault.stateTables.deleteObsolete(
                slotsFrom: vault.counters.nextSlot, behind: try vault.stateTables.snapshot())
        }
        try connection.execute("VACUUM; PRAGMA wal_checkpoint(RESTART)")
        try options.files.endLog(of: path)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    borrowing func statistics() throws(StoreError) -> StoreStatistics {
        let records = counters.outbox.total(
            oldest: counters.outbox.isComplete ? nil : try outbox.oldestSeq(), hollow: counters.hollowSeq)
        let oldestSalvaged = try salvaged.oldestTimestamp()
        let oldest = oldestSalvaged == nil ? try outbox.oldestTimestamp() : oldestSalvaged
        return StoreStatistics(
            depth: max(0, records + counters.salvagedCount - acknowledgements.count),
            salvagedDepth: max(0, counters.salvagedCount - acknowledgements.salvaged.count),
            pendingAcknowledgements: acknowledgements.count, oldest: oldest,
            fileBytes: try pagesOfFile() * Connection.pageBytes, usedBytes: try pagesInUse() * Connection.pageBytes,
            newestSeq: counters.newestSeq, epoch: counters.identities.epoch, ledgerCount: counters.ledger.givenUpCount,
            journalBytes: counters.journalBytes, timelineEvents: counters.timeline.count,
            timelineBytes: counters.timeline.bytes)
    }
}

extension Vault {
    /// Takes a database that has the newest structure.
    ///
    /// - Parameters:
    ///   - path: What an error calls it.
    ///   - firstIdentities: The identities of a database that has none.
    ///   - isLarge: Whether it is yet to be looked through, a little at a time.
    static func over(
        _ connection: consuming Connection, path: String, options: StoreOptions, firstIdentities: RecordIdentities,
        now: Timestamp, isLarge: Bool = false
    ) throws(StoreError) -> Vault {
        let sideTables = try SideTables(connection)
        let known = try sideTables.identities()
        let identities = known ?? firstIdentities
        if known == nil { try sideTables.begin(identities, at: now) }
        let outbox = try OutboxTable(connection)
        let salvaged = try SalvagedTable(connection)
        let stateTables = try StateTables(connection)
        let timeline = try TimelineTable(connection)
        let begin = try connection.prepare("BEGIN IMMEDIATE")
        let end = try connection.prepare("COMMIT")
        let pageCount = try connection.prepare("PRAGMA page_count")
        let freePageCount = try connection.prepare("PRAGMA freelist_count")
        var vault = Vault(
            path: path, options: options, connection: connection, outbox: outbox, salvaged: salvaged,
            stateTables: stateTables, sideTables: sideTables, timeline: timeline, begin: begin, end: end,
            pageCount: pageCount,
            freePageCount: freePageCount, counters: Counters(identities: identities),
            report: OpeningReport(epoch: identities.epoch, isNew: false))
        try vault.recount(isLarge: isLarge)
        return vault
    }
}
