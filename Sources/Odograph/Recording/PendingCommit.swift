import OdographJSON
import Store
import Tracking
import Wire

/// What waits to be committed, and when it is time: decided here, done by ``Recorder``. What is given up here has no number yet. It gets one with
/// the next commit, which enters it in the ledger.
struct PendingCommit {
    /// What goes into one transaction.
    struct Batch {
        var records: [PendingRecord]
        var trackerRecords: [TrackerRecord]
        /// How many older records of each kind were given up.
        var droppedCounts: [RecordKind: Int]
        var inputJournal: InputJournal
        var needsSnapshot: Bool
    }

    /// While the disk takes nothing, so many records wait in memory (about 500 bytes each); then the oldest give way.
    private static let maximumPendingRecords = 10_000
    /// Inputs of this many bytes (about five minutes of fixes) are dearer than the whole state that they lead to.
    private static let maximumJournalBytes = 12_000
    /// So many bytes of journal are handled again at a restart at most: some thousand fixes, milliseconds.
    private static let maximumBytesBetweenSnapshots = 48_000

    private var pendingRecords: [TrackerRecord] = []
    private var inputJournal = InputJournal()
    private var firstUptimeMilliseconds: Int64?
    private var bytesSinceSnapshot = 0
    private var retryAtUptimeMilliseconds: Int64?

    /// Whether the next commit is to save the inputs also where there is no record.
    var needsInputs = false
    /// Whether the next commit is to save the whole state.
    var needsSnapshot = false
    /// How many records of each kind were given up because the disk took nothing for too long, and are not in the ledger yet.
    private(set) var droppedCounts: [RecordKind: Int] = [:]
    /// How many records were given up and are not in the ledger yet.
    var droppedCount: Int { droppedCounts.values.reduce(0, +) }
    /// Whether the last commit failed.
    var hasFailed: Bool { retryAtUptimeMilliseconds != nil }
    /// How many records wait.
    var count: Int { pendingRecords.count }

    /// An input was handled.
    /// - Returns: whether the journal has it; otherwise the state is to be saved whole.
    mutating func appendInput(_ input: TrackerInput) -> Bool {
        // What a snapshot will say anyhow need not be written down.
        if needsSnapshot { return true }
        guard inputJournal.append(input) else { return false }
        return inputJournal.bytes.count <= Self.maximumJournalBytes
    }

    mutating func append(_ record: TrackerRecord, uptimeMilliseconds: Int64) {
        pendingRecords.append(record)
        firstUptimeMilliseconds = firstUptimeMilliseconds ?? uptimeMilliseconds
        if pendingRecords.count > Self.maximumPendingRecords {
            for record in pendingRecords.prefix(Self.maximumPendingRecords / 10) {
                droppedCounts[record.kind, default: 0] += 1
            }
            pendingRecords.removeFirst(Self.maximumPendingRecords / 10)
        }
    }

    /// When the next commit is due by itself; nil for nothing.
    func due(intervalSeconds: Double) -> Int64? {
        if let retryAtUptimeMilliseconds { return retryAtUptimeMilliseconds }
        return firstUptimeMilliseconds.map { $0 + Int64(intervalSeconds * 1000) }
    }

    func isDue(intervalSeconds: Double, uptimeMilliseconds: Int64) -> Bool {
        due(intervalSeconds: intervalSeconds).map { $0 <= uptimeMilliseconds } ?? false
    }

    /// What to commit; nil for nothing.
    func batch(extras: [String: JSONValue], deviceID: String) -> Batch? {
        guard !pendingRecords.isEmpty || needsInputs || needsSnapshot else { return nil }
        let records = pendingRecords.map { record in
            PendingRecord(kind: record.kind, timestamp: record.timestamp, timeline: record.timelineKey) { identity in
                RecordMessage(record, identity: identity, deviceID: deviceID, extras: extras).payload()
            }
        }
        let isLong = bytesSinceSnapshot + inputJournal.bytes.count > Self.maximumBytesBetweenSnapshots
        return Batch(
            records: records, trackerRecords: pendingRecords, droppedCounts: droppedCounts, inputJournal: inputJournal,
            needsSnapshot: needsSnapshot || isLong)
    }

    /// The batch is on the disk.
    mutating func markCommitted(isSnapshot: Bool) {
        bytesSinceSnapshot = isSnapshot ? 0 : bytesSinceSnapshot + inputJournal.bytes.count
        needsSnapshot = false
        needsInputs = false
        inputJournal.removeAll()
        if !pendingRecords.isEmpty { droppedCounts = [:] }
        pendingRecords.removeAll()
        firstUptimeMilliseconds = nil
    }

    /// The batch is not on the disk.
    mutating func markFailed(retryAt uptimeMilliseconds: Int64) {
        retryAtUptimeMilliseconds = uptimeMilliseconds
    }

    mutating func clearFailure() {
        retryAtUptimeMilliseconds = nil
    }
}
