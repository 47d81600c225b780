import OdographJSON
import OdographStore
import OdographTracking
import OdographWire

/// Decides what is committed next, and when; ``InputPipeline`` executes it. A record
/// dropped here has no number yet. It gets one with the next commit, which enters it in the ledger.
struct PendingCommit {
    /// The content of one transaction.
    struct Batch {
        var records: [TrackerRecord]
        /// The number of older records of each kind that were dropped.
        var droppedCounts: [RecordKind: Int]
        /// The capture time of the newest record of each kind, on the machine's monotonic clock. A kind is missing if
        /// this record was captured long ago.
        var capturedUptimeMilliseconds: [RecordKind: Int64]
        var inputJournal: InputJournal
        var needsSnapshot: Bool
    }

    /// The maximum number of records in memory while the disk fails (about 500 bytes each). Then the oldest are
    /// dropped.
    private static let maximumPendingRecords = 10_000
    /// The delay before a failed commit is tried again, milliseconds.
    static let retryMilliseconds: Int64 = 5000
    /// The size of a journal (about five minutes of fixes) that costs more than a snapshot of the state.
    private static let maximumJournalBytes = 12_000
    /// The maximum number of journal bytes to replay after a restart: about 1,600 fixes, milliseconds of work.
    private static let maximumBytesBetweenSnapshots = 48_000

    /// The age of the records that arrive.
    enum Phase {
        /// They are as old as their input.
        case current
        /// They were captured long ago.
        case late
        /// Waiting fixes get their date, all in one commit: after a kill, all of them still wait, or none.
        case dating
    }

    private var pendingRecords: [TrackerRecord] = []
    private var inputJournal = InputJournal()
    private var firstUptimeMilliseconds: Int64?
    private var capturedUptimeMilliseconds: [RecordKind: Int64] = [:]
    private var bytesSinceSnapshot = 0
    private var retryAtUptimeMilliseconds: Int64?

    var phase = Phase.current
    /// The capture time of the records that arrive, on the machine's monotonic clock. A commit can be much later: after
    /// `commit_interval`, or after a failure. nil before the first input.
    var captureUptimeMilliseconds: Int64?
    /// Whether the next commit saves the inputs even if there is no record.
    var needsInputs = false
    /// Whether the next commit saves a snapshot.
    var needsSnapshot = false
    /// Whether the next record says that the state came back from an earlier time.
    var isAfterLoss = false
    /// The number of records of each kind that were dropped while the disk failed, and are not yet in the ledger.
    private(set) var droppedCounts: [RecordKind: Int] = [:]
    /// The number of dropped records that are not yet in the ledger.
    var droppedCount: Int { droppedCounts.values.reduce(0, +) }
    /// Whether the last commit failed.
    var hasFailed: Bool { retryAtUptimeMilliseconds != nil }
    /// The number of waiting records.
    var count: Int { pendingRecords.count }

    /// Adds a handled input to the journal.
    /// - Returns: false if the journal cannot contain it, or is too long: a snapshot is then needed.
    mutating func appendInput(_ input: Disclosed<TrackerInput>) -> Bool {
        // The snapshot will contain its effect.
        if needsSnapshot { return true }
        guard inputJournal.append(input) else { return false }
        return inputJournal.bytes.count <= Self.maximumJournalBytes
    }

    mutating func append(_ record: TrackerRecord, uptimeMilliseconds: Int64) {
        pendingRecords.append(record)
        capturedUptimeMilliseconds[record.kind] = phase == .late ? nil : captureUptimeMilliseconds
        firstUptimeMilliseconds = firstUptimeMilliseconds ?? uptimeMilliseconds
        if pendingRecords.count > Self.maximumPendingRecords {
            for record in pendingRecords.prefix(Self.maximumPendingRecords / 10) {
                droppedCounts[record.kind, default: 0] += 1
            }
            pendingRecords.removeFirst(Self.maximumPendingRecords / 10)
        }
    }

    /// Returns the time of the next commit, on the monotonic clock. nil if nothing waits.
    func due(intervalSeconds: Double) -> Int64? {
        if let retryAtUptimeMilliseconds { return retryAtUptimeMilliseconds }
        return firstUptimeMilliseconds.map { $0 + Int64(intervalSeconds * 1000) }
    }

    func isDue(intervalSeconds: Double, uptimeMilliseconds: Int64) -> Bool {
        phase != .dating && due(intervalSeconds: intervalSeconds).map { $0 <= uptimeMilliseconds } ?? false
    }

    /// Returns the content of the next transaction. nil if there is none.
    var batch: Batch? {
        guard !pendingRecords.isEmpty || needsInputs || needsSnapshot else { return nil }
        let isLong = bytesSinceSnapshot + inputJournal.bytes.count > Self.maximumBytesBetweenSnapshots
        return Batch(
            records: pendingRecords, droppedCounts: droppedCounts,
            capturedUptimeMilliseconds: capturedUptimeMilliseconds, inputJournal: inputJournal,
            needsSnapshot: needsSnapshot || isLong)
    }

    /// Removes the committed batch.
    mutating func markCommitted(isSnapshot: Bool) {
        bytesSinceSnapshot = isSnapshot ? 0 : bytesSinceSnapshot + inputJournal.bytes.count
        needsSnapshot = false
        needsInputs = false
        inputJournal.removeAll()
        if !pendingRecords.isEmpty { (droppedCounts, isAfterLoss) = ([:], false) }
        pendingRecords.removeAll()
        capturedUptimeMilliseconds.removeAll()
        firstUptimeMilliseconds = nil
        retryAtUptimeMilliseconds = nil
    }

    /// Schedules the next attempt after a failure.
    mutating func markFailed(retryAt uptimeMilliseconds: Int64) {
        retryAtUptimeMilliseconds = uptimeMilliseconds
    }
}
