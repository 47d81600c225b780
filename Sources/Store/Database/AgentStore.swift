import OdographCivilTime
import OdographSQLite
import OdographThreads
import OdographWire

/// The store of the agent: outbox, tracker's state, timeline, a few documents. The only writer of its file.
///
/// It runs on its own thread, so a slow disk blocks nothing but what runs there too. Most calls are at most one
/// transaction and, after an error, leave the store as it was. These use several, and what is committed stays after an
/// error: `expireRecords` and `expireTimeline` (one for each batch), `close`, the functions that begin an epoch, and
/// those that replace the file. Also `commit`, which makes room before, and the functions that take a receipt or settle
/// the delivery.
///
/// A database that proves to be damaged during a call is put aside and salvaged, and the call is repeated in the new
/// one.
package actor AgentStore {
    private let executor: ThreadExecutor
    var database: Database
    /// The policy of delivery with receipts; nil with delivery to the broker.
    var deliveryPolicy: DeliveryPolicy?
    var opener: DatabaseOpener
    /// The place of the records.
    var storageMode: StorageMode
    /// The reopened file, until the records in memory are moved into it.
    var reopenedDatabase: Database?
    /// The reason why the database must be replaced, while that has not succeeded yet.
    private var damage: StoreError?
    private(set) var isClosed = false
    /// Whether the tracker's state was lost with a damaged database, and no new snapshot was saved yet.
    private var isStateMissing = false
    private(set) var onDamage: (@Sendable (OpeningReport.Damage, _ epoch: Int64) -> Void)?
    let currentEpochIdentity: Lock<EpochIdentity>
    var files: StoreFileSystem { opener.options.files }
    /// The findings when the store was opened.
    package nonisolated let report: OpeningReport
    /// The epoch of new records, and the seed of their UUIDs.
    package nonisolated var epochIdentity: EpochIdentity { currentEpochIdentity.withLock { $0 } }

    /// The store's thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// An executor on the store's thread, for a task that mainly uses the store.
    package nonisolated var taskExecutor: any TaskExecutor { ThreadTaskExecutor(executor) }

    /// Opens the database, or creates it. A damaged file, or one of another program, is put aside under a name with the
    /// time, and its readable data is copied into a new one.
    ///
    /// - Parameters:
    ///   - path: The file. Missing folders are created.
    ///   - options: The settings for the disk.
    ///   - now: The time, for a new epoch and for the name of a file that is put aside.
    /// - Throws: `inUse` if another store has it open; `diskFull`; `unusable` if no database is possible there.
    package static func open(
        at path: String, options: StoreOptions = StoreOptions(), now: Timestamp
    ) async throws(StoreError) -> (store: AgentStore, report: OpeningReport) {
        let store = try await makeStore(
            DatabaseOpener(path: path, options: options, now: now), isInMemory: false)
        return (store, store.report)
    }

    /// Opens a store in memory, with a new epoch.
    ///
    /// - Parameters:
    ///   - path: The file that cannot be used, and that gets the records later, see ``reopenFile(now:)``. The new epoch
    ///     is later than all epochs found there, and is saved in the reservation file if possible. Nil for none.
    ///   - options: The settings for the disk.
    ///   - now: The time, for the new epoch.
    package static func openInMemory(
        insteadOf path: String? = nil, options: StoreOptions = StoreOptions(), now: Timestamp
    ) async throws(StoreError) -> (store: AgentStore, report: OpeningReport) {
        let store = try await makeStore(
            DatabaseOpener(path: path ?? ":memory:", options: options, now: now), isInMemory: true,
            hasFile: path != nil)
        return (store, store.report)
    }

    static func makeStore(
        _ opening: DatabaseOpener, isInMemory: Bool, hasFile: Bool = true
    ) async throws(StoreError) -> AgentStore {
        let executor: ThreadExecutor
        do throws(ThreadLimitError) {
            executor = try ThreadExecutor()
        } catch {
            throw .unusable(path: "the store's thread", reason: error.description)
        }
        return try await StoreFactory(executor: executor).open(opening, isInMemory: isInMemory, hasFile: hasFile)
    }

    fileprivate init(
        _ opening: DatabaseOpener, isInMemory: Bool, hasFile: Bool, executor: ThreadExecutor
    ) throws(StoreError) {
        self.executor = executor
        let database = isInMemory ? try opening.openInMemoryInsteadOfFile() : try opening.openWithRetry()
        report = database.report
        currentEpochIdentity = Lock(database.counters.epochIdentity)
        self.database = database
        self.opener = opening
        storageMode =
            if isInMemory { hasFile ? .temporaryMemory(diskErrors: 0) : .memory } else {
                .file(OpenFileIdentities(path: opening.path, files: opening.options.files))
            }
    }

    /// Sets the observer of damage found from now on. It gets the epoch of the new database.
    ///
    /// - Parameter observer: Called on the store's thread.
    package func observeDamage(
        _ observer: @escaping @Sendable (_ damage: OpeningReport.Damage, _ epoch: Int64) -> Void
    ) {
        onDamage = observer
    }

    /// Checks the next part of a database that was too large to be checked when it was opened, for about a millisecond.
    /// Returns whether there is more.
    package func advanceIntegrityScan() throws(StoreError) -> Bool {
        try withDatabase { database throws(StoreError) in try database.advanceIntegrityScan() }
    }

    /// Returns the identities of the next records. They stay the next ones until a call that stores records, or one
    /// that makes room for them.
    ///
    /// - Parameters:
    ///   - count: The number of records.
    ///   - dropped: The number of older records of each kind that were dropped before they could be stored. They get
    ///     the numbers before.
    package func nextIdentities(
        _ count: Int, dropped: [RecordKind: Int] = [:]
    ) throws(StoreError) -> [RecordIdentity] {
        try withDatabase { database throws(StoreError) in
            let first = database.numbersBeforeRecords(dropped: dropped, at: opener.now).through + 1
            return (0..<Int64(count)).map { database.counters.epochIdentity.identity(forSeq: first + $0) }
        }
    }

    /// Stores records and the tracker's progress in one transaction, and deletes the records acknowledged before. With
    /// `synchronous` full this usually costs one fsync, and two more for a new block of sequence numbers.
    ///
    /// - Parameters:
    ///   - records: The records to publish, with the identities of ``nextIdentities(_:dropped:)``, in this order.
    ///   - dropped: The number of older records of each kind that were dropped before they could be stored. With the
    ///     first stored record, they get the sequence numbers before it, and the ledger lists them.
    ///   - journal: The tracker's inputs since the last commit. Stored in the last record's row if it fits.
    ///   - snapshot: The tracker's whole state after those inputs. It makes every journal up to this one obsolete, and
    ///     this one is not stored. Pass one when the journals since the last snapshot are as much as a restart should
    ///     replay.
    ///   - now: The time for the ledger, if records have to be dropped.
    /// - Throws: `numbersChanged` if the next records have other identities now, because room was made for them or the
    ///   database was replaced: make them again. `diskFull`, `overQuota` and others. In each case no record is stored.
    package func commit(
        _ records: [NewRecord] = [], dropped: [RecordKind: Int] = [:], journal: [UInt8], snapshot: [UInt8]? = nil,
        now: Timestamp
    ) throws(StoreError) {
        opener.now = max(now, opener.now)
        try withDatabase { database throws(StoreError) in
            // A journal contains changes, which are useless without the state that they change.
            guard !isStateMissing || snapshot != nil || journal.isEmpty else { throw .stateLost(path: opener.path) }
            try database.commit(records, dropped: dropped, journal: journal, snapshot: snapshot, at: now)
        }
        if snapshot != nil { isStateMissing = false }
    }

    /// Notes records that the broker acknowledged. The next commit deletes them, or this call if there are many.
    package func acknowledge(_ keys: [RecordKey]) throws(StoreError) {
        try withDatabase { database throws(StoreError) in try database.acknowledge(keys) }
    }

    /// Deletes the acknowledged records at once.
    package func flushAcknowledgements() throws(StoreError) {
        try withDatabase { database throws(StoreError) in try database.flushAcknowledgements() }
    }

    /// Deletes the acknowledged records and closes the file, so that it can be opened again at once even if references
    /// to this store remain. Later calls that use the database throw `closed`. A second call has no effect.
    ///
    /// - Parameter unsaved: The number of records that could not be stored and end with this run. The next opening
    ///   enters as many numbers in the ledger.
    package func close(losing unsaved: Int = 0) throws(StoreError) {
        guard !isClosed else { return }
        // Records whose deletion fails are published again.
        try? flushAcknowledgements()
        try? withDatabase { database throws(StoreError) in try database.savePublished() }
        // If the file was deleted or replaced just before, a complete one is written.
        _ = verifyFile(now: opener.now)
        if unsaved > 0 { database.leaveOutNumbers(unsaved) }
        database = try opener.openInMemory()
        isClosed = true
    }

    /// The number of acknowledged records of which the disk does not know it: they would be published again after a
    /// crash.
    package var pendingAcknowledgementCount: Int {
        database.pendingAcknowledgements.count + (database.delivery?.published.unsavedCount ?? 0)
    }

    /// The number of records that were given up to make room since the database was opened.
    package var givenUpForRoom: Int { database.counters.givenUpForRoom }

    /// Returns the contents of the last run.
    package func contents() throws(StoreError) -> StoreContents {
        try withDatabase { database throws(StoreError) in try database.contents() }
    }

    /// Returns the unacknowledged records, oldest first; salvaged records come before all others.
    ///
    /// - Parameters:
    ///   - key: The key of the last record of the previous answer. Nil to begin with the oldest.
    ///   - limit: The maximum number of records.
    ///   - maximumBytes: The maximum payload bytes; one record is returned in any case.
    ///   - withLocations: Whether location records are among them.
    package func unacknowledged(
        after key: RecordKey? = nil, limit: Int, maximumBytes: Int = .max, withLocations: Bool = true
    ) throws(StoreError) -> [StoredRecord] {
        try withDatabase { database throws(StoreError) in
            try database.unacknowledged(
                after: key, limit: limit, maximumBytes: maximumBytes, withLocations: withLocations)
        }
    }

    /// Returns the payloads of the newest stored locations in a time range (`to` exclusive), in recording order.
    package func locations(from: Timestamp, to: Timestamp, limit: Int) throws(StoreError) -> [[UInt8]] {
        try withDatabase { database throws(StoreError) in try database.locations(from: from, to: to, limit: limit) }
    }

    /// Returns the newest revision of each timeline event that overlaps a time range, ordered by start.
    ///
    /// - Parameters:
    ///   - from: The start of the range. Events that ended by then are not included.
    ///   - to: The end of the range, exclusive unless `from` is the same instant.
    ///   - limit: The maximum number of events; exceeded if further events begin at the same instant.
    ///   - maximumBytes: The maximum payload bytes; one event is returned in any case.
    package func timelineEvents(
        from: Timestamp, to: Timestamp, limit: Int = .max, maximumBytes: Int = .max
    ) throws(StoreError) -> TimelinePage {
        try withDatabase { database throws(StoreError) in
            try database.timeline.events(
                from: from, to: to, limit: limit, maximumBytes: maximumBytes, totals: database.counters.timeline)
        }
    }

    /// Returns the newest revision of each timeline event that was revised after an instant, ordered by revision time.
    ///
    /// - Parameters:
    ///   - after: The instant. An event last revised at it is not included.
    ///   - limit: The maximum number of events; exceeded if further events were revised at the same instant.
    ///   - maximumBytes: The maximum payload bytes; one event is returned in any case.
    package func timelineUpdates(
        after: Timestamp, limit: Int = .max, maximumBytes: Int = .max
    ) throws(StoreError) -> TimelinePage {
        try withDatabase { database throws(StoreError) in
            try database.timeline.updates(after: after, limit: limit, maximumBytes: maximumBytes)
        }
    }

    /// Returns the newest revision of a timeline event, as it was published. Nil if it is not stored.
    package func timelineEvent(id: String) throws(StoreError) -> [UInt8]? {
        try withDatabase { database throws(StoreError) in try database.timeline.event(id: id) }
    }

    /// Deletes the timeline events that ended before an instant, or that were left open and not updated since. The
    /// outbox is not affected. Returns the number of deleted events.
    @discardableResult
    package func expireTimeline(before instant: Timestamp) throws(StoreError) -> Int {
        try withDatabase { database throws(StoreError) in try database.expireTimeline(before: instant) }
    }

    /// Drops the records from before an instant, except the newest, and lists the undelivered ones in the ledger.
    /// Returns the number of dropped records.
    @discardableResult
    package func expireRecords(before instant: Timestamp, now: Timestamp) throws(StoreError) -> Int {
        try withDatabase { database throws(StoreError) in try database.expireRecords(before: instant, at: now) }
    }

    /// Returns the sequence numbers without a record and the reasons, oldest first; at most 64 entries.
    package func ledger() -> [LedgerEntry] { database.counters.completeLedger.entries }

    /// Begins a new epoch: records stored from now on have other identities. Undelivered records keep theirs.
    /// - Parameter isOfOtherDevice: Whether the epochs so far are those of another device. Then this one does not
    ///   answer for the numbers of those that have no record left.
    package func beginEpoch(now: Timestamp, isOfOtherDevice: Bool = false) throws(StoreError) {
        opener.now = max(now, opener.now)
        try withDatabase { database throws(StoreError) in
            let gap = database.counters.pendingGap
            try opener.beginEpoch(in: &database)
            if isOfOtherDevice {
                try database.transaction { database throws(StoreError) in
                    try DeliveryTables.forgetEmptyEpochs(in: database.connection)
                }
            }
            try database.name(gap, at: now)
        }
        let identities = database.counters.epochIdentity
        currentEpochIdentity.withLock { $0 = identities }
        // The newest record of the former epoch was kept because of its number, which the epoch's entry now has. No
        // further receipt may come: a recorder sends one only when something has changed.
        try settleDelivery(now: now)
    }

    /// Returns the fill level of the store. The cost does not depend on the number of records.
    package func statistics() throws(StoreError) -> StoreStatistics {
        try withDatabase { database throws(StoreError) in try database.statistics() }
    }

    /// Stores a document under a name, and replaces an existing one.
    package func saveDocument(_ name: String, _ bytes: [UInt8]) throws(StoreError) {
        try withDatabase { database throws(StoreError) in
            try database.transaction { database throws(StoreError) in
                try database.metadataTables.saveDocument(name, bytes)
            }
        }
    }

    /// Returns the document with a name. Nil if there is none.
    package func document(_ name: String) throws(StoreError) -> [UInt8]? {
        try withDatabase { database throws(StoreError) in try database.metadataTables.document(name) }
    }

    /// Deletes the document with a name, if there is one.
    package func removeDocument(_ name: String) throws(StoreError) {
        try withDatabase { database throws(StoreError) in
            try database.transaction { database throws(StoreError) in try database.metadataTables.removeDocument(name) }
        }
    }
}

extension AgentStore {
    /// Runs `body` with the database; if the database proves to be damaged, once more with a new one.
    func withDatabase<Result>(
        _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard !isClosed else { throw .closed(path: opener.path) }
        if let damage { try recreateDatabase(because: damage) }
        do throws(StoreError) {
            return try body(&database)
        } catch {
            guard case .damaged = error, case .file = storageMode else { throw error }
            try recreateDatabase(because: error)
            return try body(&database)
        }
    }

    /// Continues in another database that contains all data of this one.
    func switchDatabase(to new: consuming Database) {
        // The new database contains the old log, and the reservation file describes the new database.
        database.sequenceAllocator = nil
        database.memoryReservation = nil
        database.connection.setCheckpointOnClose(false)
        let receipts = database.delivery?.receipts
        database = new
        // If this fails, the next use of the database reports it.
        try? database.configureDelivery(deliveryPolicy, receipts: receipts)
        damage = nil
        storageMode = .file(OpenFileIdentities(path: opener.path, files: files))
        let identities = database.counters.epochIdentity
        currentEpochIdentity.withLock { $0 = identities }
    }

    /// Writes the reservation file again after it was deleted or replaced. Returns the new path of the file that
    /// replaced it; nil for none.
    func rewriteReservationFile(after loss: OpenFileIdentities.Loss) throws(StoreError) -> String? {
        let asidePath = loss.isDeleted ? nil : files.asidePath(for: opener.path, at: opener.now)
        return try database.sequenceAllocator?.rewrite(asidePath: asidePath)
    }

    private func recreateDatabase(because reason: StoreError) throws(StoreError) {
        damage = reason
        // Acknowledged records need not be published again from the new database.
        let acknowledged = database.pendingAcknowledgements.keys(currentEpoch: database.counters.epochIdentity.epoch)
        let receipts = database.delivery?.receipts
        // The damaged database stays locked until it is closed; without a checkpoint, closing does not change it.
        database.connection.setCheckpointOnClose(false)
        database.sequenceAllocator = nil
        database = try opener.openInMemory()
        for key in acknowledged {
            database.pendingAcknowledgements.insert(key, currentEpoch: database.counters.epochIdentity.epoch)
        }
        database = try opener.recreate(because: reason)
        try database.configureDelivery(deliveryPolicy, receipts: receipts)
        storageMode = .file(OpenFileIdentities(path: opener.path, files: files))
        damage = nil
        let identities = database.counters.epochIdentity
        for key in acknowledged { database.pendingAcknowledgements.insert(key, currentEpoch: identities.epoch) }
        currentEpochIdentity.withLock { $0 = identities }
        guard let found = database.report.damage else { return }
        isStateMissing = !found.isStateSalvaged
        onDamage?(found, identities.epoch)
    }
}

/// An actor that opens a store on the store's own thread.
private actor StoreFactory {
    private let executor: ThreadExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(executor: ThreadExecutor) { self.executor = executor }

    func open(_ opening: DatabaseOpener, isInMemory: Bool, hasFile: Bool) throws(StoreError) -> AgentStore {
        try AgentStore(opening, isInMemory: isInMemory, hasFile: hasFile, executor: executor)
    }
}
