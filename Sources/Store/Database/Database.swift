import OdographCivilTime
import OdographSQLite
import OdographWire

/// The database and all operations on it, synchronous; `AgentStore` serializes the access.
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
    /// The state of delivery with receipts; nil with delivery to the broker.
    var delivery: Delivery?
    /// The progress of the integrity scan.
    private var integrityScan = IntegrityScan()
    /// The findings when the database was opened.
    var report: OpeningReport
    /// The usable sequence numbers. Nil for a database in memory, for a copy, and during the opening.
    var sequenceAllocator: SequenceAllocator?
    /// The noted numbers of a database in memory that stands for a file; nil for others.
    var memoryReservation: MemoryReservation?

    /// Whether the write-ahead log may contain frames of a transaction that failed.
    private var isLogDirty = false

    deinit { closeSequenceAllocator() }

    /// Loads the counters from the tables.
    ///
    /// - Parameter isLarge: Whether checking the whole database now would take too long. Then
    ///   ``advanceIntegrityScan()`` does so step by step.
    fileprivate mutating func loadCounters(isLarge: Bool) throws(StoreError) {
        counters.newestSeq = try outbox.newestSeq()
        integrityScan = IntegrityScan(outboxThrough: counters.newestSeq)
        counters.salvagedCount = try salvaged.count()
        counters.ledger = try metadataTables.ledger()
        counters.renumbering = try metadataTables.document(Renumbering.documentName).flatMap(Renumbering.init)
        counters.timeline = try timeline.totals()
        counters.tombstoneSeq = try outbox.isTombstone(counters.newestSeq) ? counters.newestSeq : nil
        let epochs = try outbox.epochs(of: counters.newestSeq)
        guard epochs.allSatisfy({ $0 == counters.epochIdentity.epoch }) else {
            throw .damaged(
                path: path, reason: "its records are of another epoch: the log belongs to another database")
        }
        while !isLarge, try advanceIntegrityScan() {}
        counters.outboxCount = try isLarge ? mostRecords() : outbox.count()
        let snapshot = try trackerStateTables.snapshot()
        counters.snapshotSeq = snapshot?.seq ?? 0
        counters.journalOrdinal = try journalEntries(after: snapshot).last?.ordinal ?? snapshot?.ordinal ?? 0
        counters.nextJournalSlot = try trackerStateTables.slotCount(after: snapshot?.ordinal ?? 0)
    }

    /// Returns the journal entries after a snapshot, in order.
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

    /// Runs `body` in one transaction. After an error, the database and the counters are as before.
    ///
    /// - Parameter isDurable: Whether a power cut cannot undo it, also with `synchronous` normal.
    mutating func transaction<Result>(
        isDurable: Bool = false, _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try reserveFirstNumbers()
        let (before, deliveryBefore) = (counters, delivery)
        let isRaised = isDurable && options.synchronous != .full
        if isRaised { try connection.execute("PRAGMA synchronous = FULL") }
        defer { if isRaised { try? connection.execute("PRAGMA synchronous = \(options.synchronous.rawValue)") } }
        do throws(StoreError) {
            try beginTransaction.run()
            try overwriteStaleFrames()
            let result = try body(&self)
            if counters.ledger != before.ledger { try metadataTables.save(counters.ledger) }
            try commitTransaction.run()
            restartDirtyLog()
            if isDurable || options.synchronous == .full { sequenceAllocator?.markDurable(through: counters.newestSeq) }
            return result
        } catch {
            connection.rollBack()
            counters = before
            delivery = deliveryBefore
            // Its frames are still in the log, and have the log's salts.
            isLogDirty = true
            throw error
        }
    }

    /// Makes the next transaction write at least one page. A transaction whose fsync failed can be complete in the log,
    /// and would take effect after a kill unless its frames are overwritten.
    private borrowing func overwriteStaleFrames() throws(StoreError) {
        guard isLogDirty, sequenceAllocator != nil, let version = try connection.firstInteger("PRAGMA user_version")
        else { return }
        try connection.execute("PRAGMA user_version = \(version)")
    }

    /// Begins a new log after a failed transaction, so that its remains cannot be mistaken for damage.
    private mutating func restartDirtyLog() {
        guard isLogDirty, sequenceAllocator != nil else { return }
        isLogDirty = (try? connection.execute("PRAGMA wal_checkpoint(RESTART)")) == nil
    }

    /// Returns the number of pages of the file, including free ones.
    borrowing func pagesOfFile() throws(StoreError) -> Int { Int(try pageCount.firstInteger() ?? 0) }

    /// Returns the number of pages of the file that are in use.
    borrowing func pagesInUse() throws(StoreError) -> Int {
        try pagesOfFile() - Int(try freePageCount.firstInteger() ?? 0)
    }

    /// Checks the next part of a database that was too large for it at the opening. Returns whether there is more.
    mutating func advanceIntegrityScan() throws(StoreError) -> Bool {
        try integrityScan.advance(connection, counters, path: path)
        return !integrityScan.isDone
    }

    /// Returns the number of records in the outbox if no number between the oldest and the newest row is missing.
    private borrowing func mostRecords() throws(StoreError) -> Int {
        guard let oldest = try outbox.oldestSeq() else { return 0 }
        return Int(counters.newestSeq - oldest) + (counters.tombstoneSeq == nil ? 1 : 0)
    }

    /// Returns the instant of the oldest record that waits: the broker has not acknowledged it, or with delivery by
    /// receipts a recorder does not cover it. Nil if none waits. Salvaged records are older than all others.
    private borrowing func oldestWaiting() throws(StoreError) -> Timestamp? {
        if counters.salvagedCount > 0 {
            let acknowledged = pendingAcknowledgements.salvaged
            var (place, isAtEnd) = (RecordKey(epoch: .min, seq: .min), false)
            while !isAtEnd {
                var (oldest, next): (Timestamp?, RecordKey?)
                try salvaged.forEachTimestamp(from: place) { key, instant throws(StoreError) in
                    if let last = covered(in: key.epoch).lastOfRange(with: key.seq) {
                        next = RecordKey(epoch: key.epoch, seq: last + 1)
                        return false
                    }
                    if acknowledged.contains(key) { return true }
                    oldest = instant
                    return false
                }
                if let oldest { return oldest }
                (place, isAtEnd) = (next ?? place, next == nil)
            }
        }
        let acknowledged = pendingAcknowledgements.seqs
        let received = covered(in: counters.epochIdentity.epoch)
        var place: Int64? = 0
        while let start = place {
            var oldest: Timestamp?
            place = nil
            try outbox.forEachTimestamp(from: start) { seq, instant throws(StoreError) in
                if let last = received.lastOfRange(with: seq) {
                    place = last + 1
                    return false
                }
                if acknowledged.contains(seq) { return true }
                oldest = instant
                return false
            }
            if let oldest { return oldest }
        }
        return nil
    }

    mutating func statistics() throws(StoreError) -> StoreStatistics {
        let records = min(counters.outboxCount, try mostRecords(), try mostUncovered())
        // The count can be an upper bound. Whether a record waits at all is certain.
        let oldest = try oldestWaiting()
        let earlier = try uncoveredOfEarlierEpochs()
        let depth = oldest == nil ? 0 : max(1, records + earlier - pendingAcknowledgements.count)
        return StoreStatistics(
            depth: depth, oldest: oldest, usedBytes: try pagesInUse() * SQLiteConnection.pageBytes,
            newestSeq: counters.newestSeq,
            epoch: counters.epochIdentity.epoch, givenUpCount: counters.ledger.givenUpCount)
    }
}

extension Database {
    /// Wraps a connection to a database that has the tables of the schema.
    ///
    /// - Parameters:
    ///   - path: The path for error messages.
    ///   - initialEpochIdentity: The epoch of a database that has none yet.
    ///   - isLarge: Whether the database is checked later, step by step.
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
        var database = Database(
            path: path, options: options, connection: connection, outbox: outbox, salvaged: salvaged,
            trackerStateTables: stateTables, metadataTables: sideTables, timeline: timeline, beginTransaction: begin,
            commitTransaction: end,
            pageCount: pageCount,
            freePageCount: freePageCount, counters: StoreCounters(epochIdentity: identities),
            report: OpeningReport(epoch: identities.epoch, isNew: false))
        try database.loadCounters(isLarge: isLarge)
        return database
    }
}
