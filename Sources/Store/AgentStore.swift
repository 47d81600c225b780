public import CivilTime
import Threads

/// The agent's memory: what is to be published, what the tracker knows, and a few documents. The one writer of its file.
///
/// It runs on a thread of its own, so a slow disk never holds up anything else. Every call is one transaction at most, and throws
/// `StoreError`; after an error the store is as it was before the call.
///
/// A database that turns out to be damaged while it is used is treated as one that is found so: it is put aside, what can be read goes into
/// a new one, and the call is made again there.
public actor AgentStore {
    private let executor: ThreadExecutor
    private(set) var database: Database
    var opener: DatabaseOpener
    /// Where the records are.
    var storageMode: StorageMode
    /// The file that could be opened after all, until the records in memory go there.
    var reopenedDatabase: Database?
    /// Why the database has to be begun anew, where that could not be done yet.
    private var damage: StoreError?
    private(set) var isClosed = false
    /// Whether the tracker's state was lost with a damaged database, and not saved anew yet.
    private var isStateMissing = false
    private(set) var onDamage: (@Sendable (OpeningReport.Damage, _ epoch: Int64) -> Void)?
    private let currentEpochIdentity: Lock<EpochIdentity>
    var files: StoreFileSystem { opener.options.files }
    /// What was found when the store was opened.
    public nonisolated let report: OpeningReport
    /// The identities of this epoch's records.
    public nonisolated var epochIdentity: EpochIdentity { currentEpochIdentity.withLock { $0 } }

    /// The store's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The store's thread for a task that does nothing without the store.
    public nonisolated var taskExecutor: any TaskExecutor { ThreadTaskExecutor(executor) }

    /// Opens the database, or makes it. A damaged file, or one that is none of ours, is put aside under a name with the time, and what can
    /// be read of it goes into a new one.
    ///
    /// - Parameters:
    ///   - path: The file. Folders that do not exist are made.
    ///   - options: How to treat the disk.
    ///   - now: The time, for a new epoch and for the name of what is put aside.
    /// - Throws: `inUse` when another store has it; `diskFull`; `unusable` when there can be no database there.
    public static func open(
        at path: String, options: StoreOptions = StoreOptions(), now: Timestamp
    ) async throws(StoreError) -> (store: AgentStore, report: OpeningReport) {
        let store = try await makeStore(
            DatabaseOpener(path: path, options: options, migrations: .all, now: now), isInMemory: false)
        return (store, store.report)
    }

    /// A store that forgets. Its epoch is its own.
    ///
    /// - Parameters:
    ///   - path: The file that cannot be used, and to which the records go once it can be, see ``reopenFile(now:)``. The new epoch is later
    ///     than those that can be found there, and the record beside it notes the new one as far as it can be written. Nil for none.
    ///   - options: How to treat the disk.
    ///   - now: The time, for the new epoch.
    public static func openInMemory(
        insteadOf path: String? = nil, options: StoreOptions = StoreOptions(), now: Timestamp
    ) async throws(StoreError) -> (store: AgentStore, report: OpeningReport) {
        let store = try await makeStore(
            DatabaseOpener(path: path ?? ":memory:", options: options, migrations: .all, now: now), isInMemory: true,
            hasFile: path != nil)
        return (store, store.report)
    }

    static func makeStore(
        _ opening: DatabaseOpener, isInMemory: Bool, hasFile: Bool = true
    ) async throws(StoreError) -> AgentStore {
        guard let executor = ThreadExecutor() else {
            throw .unusable(
                path: "the store's thread", reason: "the system starts no further thread; raise the limit (ulimit -u)")
        }
        return try await StoreFactory(executor: executor).open(opening, isInMemory: isInMemory, hasFile: hasFile)
    }

    fileprivate init(
        _ opening: DatabaseOpener, isInMemory: Bool, hasFile: Bool, executor: ThreadExecutor
    ) throws(StoreError) {
        self.executor = executor
        let vault = isInMemory ? try opening.openInMemoryInsteadOfFile() : try opening.openWithRetry()
        report = vault.report
        currentEpochIdentity = Lock(vault.counters.epochIdentity)
        self.database = vault
        self.opener = opening
        storageMode =
            if isInMemory { hasFile ? .temporaryMemory(diskErrors: 0) : .memory } else {
                .file(OpenFileIdentities(path: opening.path, files: opening.options.files))
            }
    }

    /// Has somebody told of each damage that is found from now on: the database was begun anew in the epoch that is given.
    ///
    /// - Parameter observer: Called on the store's thread.
    public func observeDamage(
        _ observer: @escaping @Sendable (_ damage: OpeningReport.Damage, _ epoch: Int64) -> Void
    ) {
        onDamage = observer
    }

    /// Looks at the next part of a database that was too large to be looked through when it was opened. Takes about a
    /// millisecond.
    ///
    /// - Returns: Whether there is more to look at.
    public func advanceIntegrityScan() throws(StoreError) -> Bool {
        try withDatabase { vault throws(StoreError) in try vault.advanceIntegrityScan() }
    }

    /// Stores records and what the tracker has come to, in one transaction, with one fsync; deletes what was acknowledged before.
    ///
    /// - Parameters:
    ///   - records: What is to be published. They get the next numbers, in this order.
    ///   - dropped: How many older records of each kind were dropped before they could be stored. With the first record that is stored, they get the
    ///     numbers before it, and the ledger says so.
    ///   - journal: The tracker's inputs since the last commit. Stored in the last record's row.
    ///   - snapshot: The tracker's whole state after those inputs; it makes every journal up to this one obsolete, and this one need not be stored.
    ///     Pass one when `StoreStatistics.journalBytes` has grown to what you want to replay after a restart.
    ///   - now: The time for the ledger, in case that something has to be given up.
    /// - Returns: The records as they are on the disk.
    /// - Throws: `diskFull`, `overQuota` and the like. Nothing has changed then: try again with the same records and those that came since, and they get the same identities.
    @discardableResult
    public func commit(
        _ records: [PendingRecord], dropped: [RecordKind: Int] = [:], journal: [UInt8], snapshot: [UInt8]? = nil,
        now: Timestamp
    ) throws(StoreError) -> [StoredRecord] {
        opener.now = max(now, opener.now)
        let stored = try withDatabase { vault throws(StoreError) in
            // A journal says what has changed; without what it changes it is worth nothing.
            guard !isStateMissing || snapshot != nil || journal.isEmpty else { throw .stateLost(path: opener.path) }
            return try vault.commit(records, dropped: dropped, journal: journal, snapshot: snapshot, at: now)
        }
        if snapshot != nil { isStateMissing = false }
        return stored
    }

    /// The tracker's state: the newest snapshot, and the journals since, in order.
    public func trackerState() throws(StoreError) -> (snapshot: [UInt8]?, journals: [[UInt8]]) {
        try withDatabase { vault throws(StoreError) in
            let snapshot = try vault.trackerStateTables.snapshot()
            let entries = try vault.journalEntries(after: snapshot)
            return (snapshot?.bytes, entries.map(\.bytes))
        }
    }

    /// Remembers what the broker has. It goes with the next commit, or at once when many wait.
    public func acknowledge(_ keys: [RecordKey]) throws(StoreError) {
        try withDatabase { vault throws(StoreError) in try vault.acknowledge(keys) }
    }

    /// Writes at once what `acknowledge` remembers.
    public func flushAcknowledgements() throws(StoreError) {
        try withDatabase { vault throws(StoreError) in try vault.flushAcknowledgements() }
    }

    /// Writes what `acknowledge` remembers and gives the file back, so that it can be opened again at once, whoever still holds
    /// a reference. Every later call throws `closed`. Nothing happens where it is closed already.
    public func close() throws(StoreError) {
        guard !isClosed else { return }
        // What cannot be written any more is sent once more.
        try? flushAcknowledgements()
        // Whoever deleted the file just before still finds a complete one.
        _ = verifyFile(now: opener.now)
        database = try opener.openInMemory()
        isClosed = true
    }

    /// Acknowledged, and not on the disk yet: what would be sent twice after a crash.
    public var pendingAcknowledgementCount: Int { database.pendingAcknowledgements.count }

    /// What the last run left, as one value.
    public func contents() throws(StoreError) -> StoreContents {
        try withDatabase { vault throws(StoreError) in try vault.contents() }
    }

    /// The records that are not acknowledged, oldest first; those that were salvaged before all others.
    ///
    /// - Parameters:
    ///   - key: Where the last answer ended. Nil for the oldest.
    ///   - limit: The most records.
    ///   - maximumBytes: The most bytes of payload; one record is given in any case.
    public func unacknowledged(
        after key: RecordKey? = nil, limit: Int, maximumBytes: Int = .max
    ) throws(StoreError) -> [StoredRecord] {
        try withDatabase { vault throws(StoreError) in
            try vault.unacknowledged(after: key, limit: limit, maximumBytes: maximumBytes)
        }
    }

    /// The payloads of the newest location records from one instant, included, to another one, not included, that are still
    /// in the store, in the order in which they were recorded.
    public func locations(from: Timestamp, to: Timestamp, limit: Int) throws(StoreError) -> [[UInt8]] {
        try withDatabase { vault throws(StoreError) in try vault.locations(from: from, to: to, limit: limit) }
    }

    /// The timeline events that have a part within a time, each by its newest revision, ordered by their start.
    ///
    /// - Parameters:
    ///   - from: An event that ended by then is not among them.
    ///   - to: Nor one that began then or later, unless `from` is the same instant.
    ///   - limit: The most events; a few more where they begin at the same instant.
    ///   - maximumBytes: The most bytes of payload; one event is given in any case.
    public func timelineEvents(
        from: Timestamp, to: Timestamp, limit: Int = .max, maximumBytes: Int = .max
    ) throws(StoreError) -> TimelinePage {
        try withDatabase { vault throws(StoreError) in
            try vault.timeline.events(
                from: from, to: to, limit: limit, maximumBytes: maximumBytes, totals: vault.counters.timeline)
        }
    }

    /// The timeline events that were revised after an instant, each by its newest revision, ordered by that.
    ///
    /// - Parameters:
    ///   - after: An event that was last revised at this instant is not among them.
    ///   - limit: The most events; a few more where they were revised at the same instant.
    ///   - maximumBytes: The most bytes of payload; one event is given in any case.
    public func timelineUpdates(
        after: Timestamp, limit: Int = .max, maximumBytes: Int = .max
    ) throws(StoreError) -> TimelinePage {
        try withDatabase { vault throws(StoreError) in
            try vault.timeline.updates(after: after, limit: limit, maximumBytes: maximumBytes)
        }
    }

    /// The newest revision of a timeline event, as it was published. Nil where there is no such event, or no longer.
    public func timelineEvent(id: String) throws(StoreError) -> [UInt8]? {
        try withDatabase { vault throws(StoreError) in try vault.timeline.event(id: id) }
    }

    /// The timeline events that last, each by its newest revision; and the latest update of any event, nil where there is none.
    public func openTimelineEvents() throws(StoreError) -> (payloads: [[UInt8]], lastUpdate: Timestamp?) {
        try withDatabase { vault throws(StoreError) in try vault.timeline.openEvents() }
    }

    /// Forgets the timeline events that had ended before an instant, delivered or not: what is to be published still is.
    ///
    /// - Returns: How many there were.
    @discardableResult
    public func expireTimeline(before instant: Timestamp) throws(StoreError) -> Int {
        try withDatabase { vault throws(StoreError) in try vault.expireTimeline(before: instant) }
    }

    /// Gives up the records of before an instant, and says so in the ledger. The newest record stays.
    ///
    /// - Returns: How many there were.
    @discardableResult
    public func expireRecords(before instant: Timestamp, now: Timestamp) throws(StoreError) -> Int {
        try withDatabase { vault throws(StoreError) in try vault.expireRecords(before: instant, at: now) }
    }

    /// The numbers without a record and why, oldest first; at most 64 entries.
    public func ledger() -> [LedgerEntry] { database.counters.completeLedger.entries }

    /// Begins a new epoch: what is stored from here on has other identities. What is not delivered yet keeps its own.
    public func beginEpoch(now: Timestamp) throws(StoreError) {
        opener.now = max(now, opener.now)
        try withDatabase { vault throws(StoreError) in try opener.beginEpoch(in: &vault) }
        let identities = database.counters.epochIdentity
        currentEpochIdentity.withLock { $0 = identities }
    }

    /// How full the store is. Costs little, however much is in it.
    public func statistics() throws(StoreError) -> StoreStatistics {
        try withDatabase { vault throws(StoreError) in try vault.statistics() }
    }

    /// Stores a document under a name, in place of the one it had.
    public func saveDocument(_ name: String, _ bytes: [UInt8]) throws(StoreError) {
        try withDatabase { vault throws(StoreError) in
            try vault.transaction { vault throws(StoreError) in try vault.metadataTables.saveDocument(name, bytes) }
        }
    }

    /// The document of a name. Nil where there is none.
    public func document(_ name: String) throws(StoreError) -> [UInt8]? {
        try withDatabase { vault throws(StoreError) in try vault.metadataTables.document(name) }
    }

    /// Forgets the document of a name, if there is one.
    public func removeDocument(_ name: String) throws(StoreError) {
        try withDatabase { vault throws(StoreError) in
            try vault.transaction { vault throws(StoreError) in try vault.metadataTables.removeDocument(name) }
        }
    }
}

extension AgentStore {
    /// Does something with the database; where it turns out to be damaged, once more with a new one.
    private func withDatabase<Result>(
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

    /// Goes on in another database that has all that this one has.
    func switchDatabase(to new: consuming Database) {
        // The old one's log is in the new one, and the record of its numbers speaks of the new one.
        database.sequenceAllocator = nil
        database.connection.setCheckpointOnClose(false)
        database = new
        damage = nil
        storageMode = .file(OpenFileIdentities(path: opener.path, files: files))
        let identities = database.counters.epochIdentity
        currentEpochIdentity.withLock { $0 = identities }
    }

    /// Writes the record of the numbers again, after it was deleted or replaced.
    ///
    /// - Returns: The new path of the file that is in its place. Nil where there is none.
    func rewriteReservationFile(after loss: OpenFileIdentities.Loss) throws(StoreError) -> String? {
        let asidePath = loss.isDeleted ? nil : files.asidePath(for: opener.path, at: opener.now)
        return try database.sequenceAllocator?.rewrite(asidePath: asidePath)
    }

    private func recreateDatabase(because reason: StoreError) throws(StoreError) {
        damage = reason
        // What the broker has it need not get again.
        let acknowledged = database.pendingAcknowledgements.keys(currentEpoch: database.counters.epochIdentity.epoch)
        // The damaged one is locked, and nobody else can read it, until it is closed: as it is, without a last copy of its log.
        database.connection.setCheckpointOnClose(false)
        database.sequenceAllocator = nil
        database = try opener.openInMemory()
        for key in acknowledged {
            database.pendingAcknowledgements.insert(key, currentEpoch: database.counters.epochIdentity.epoch)
        }
        database = try opener.recreate(because: reason)
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

/// Opens a store on the thread that it will run on.
private actor StoreFactory {
    private let executor: ThreadExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(executor: ThreadExecutor) { self.executor = executor }

    func open(_ opening: DatabaseOpener, isInMemory: Bool, hasFile: Bool) throws(StoreError) -> AgentStore {
        try AgentStore(opening, isInMemory: isInMemory, hasFile: hasFile, executor: executor)
    }
}
