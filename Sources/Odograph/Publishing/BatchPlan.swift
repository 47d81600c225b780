import OdographBatches
import OdographStore
import OdographWire

/// Decides which location records wait for a batch, when the batch closes, and how many records it has.
struct BatchPlan: Equatable {
    let batchIntervalMilliseconds: Int64
    let positionIntervalMilliseconds: Int64
    /// The largest number of records in a batch on this connection; 1 if records are sent alone.
    private(set) var recordLimit = BatchBounds.records
    private var waiting: (since: Int64, records: Int, bytes: Int, hasRevision: Bool)?
    /// When the last location record was published alone, on the monotonic clock. nil if the next one is wanted at
    /// once.
    private var positionUptimeMilliseconds: Int64?
    /// When the last revision of the timeline was published alone, on the monotonic clock. nil if the next one is
    /// wanted at once.
    private var revisionUptimeMilliseconds: Int64?

    init(_ settings: EncodingSettings) {
        batchIntervalMilliseconds = Int64(settings.batchIntervalSeconds * 1000)
        positionIntervalMilliseconds = Int64(settings.positionIntervalSeconds * 1000)
    }

    /// Compares the settings.
    static func == (left: BatchPlan, right: BatchPlan) -> Bool {
        left.batchIntervalMilliseconds == right.batchIntervalMilliseconds
            && left.positionIntervalMilliseconds == right.positionIntervalMilliseconds
    }

    // MARK: Waiting

    /// Notes that a record waits.
    mutating func wait(_ record: StoredRecord, uptimeMilliseconds now: Int64) {
        let former = waiting ?? (now, 0, 0, false)
        waiting = (
            former.since, former.records + 1, former.bytes + record.payload.count,
            former.hasRevision || record.kind == .timeline
        )
    }

    /// Whether a revision of the timeline waits.
    var hasWaitingRevision: Bool { waiting?.hasRevision ?? false }

    /// Notes that no record waits.
    mutating func close() { waiting = nil }

    /// When the batch closes, on the monotonic clock. nil if no record waits.
    var dueUptimeMilliseconds: Int64? {
        waiting.map { waiting in
            waiting.records >= BatchBounds.records || waiting.bytes >= BatchBounds.bytes
                ? waiting.since : waiting.since + batchIntervalMilliseconds
        }
    }

    /// Returns whether the batch has waited for half of its interval: then it closes together with a position, because
    /// one transmission costs less than two.
    func closesWithPosition(uptimeMilliseconds now: Int64) -> Bool {
        waiting.map { now - $0.since >= batchIntervalMilliseconds / 2 } ?? false
    }

    // MARK: Positions

    /// Returns whether a live location record is published alone.
    func isPositionDue(uptimeMilliseconds now: Int64) -> Bool {
        positionUptimeMilliseconds.map { now - $0 >= positionIntervalMilliseconds } ?? true
    }

    /// Asks for the next live location record alone, at once.
    mutating func requestPosition() { positionUptimeMilliseconds = nil }

    /// Notes that a location record is published alone.
    mutating func handlePosition(uptimeMilliseconds now: Int64) { positionUptimeMilliseconds = now }

    // MARK: Revisions

    /// The number of ``positionIntervalMilliseconds`` after which a revision that says only that an event lasts is
    /// published alone. Positions show on a map that the trip lasts.
    private static let positionIntervalsPerRevision: Int64 = 10

    /// Returns whether such a revision is published alone.
    func isRevisionDue(uptimeMilliseconds now: Int64) -> Bool {
        revisionUptimeMilliseconds.map {
            now - $0 >= Self.positionIntervalsPerRevision * positionIntervalMilliseconds
        } ?? true
    }

    /// Notes that a revision is published alone.
    mutating func handleRevision(uptimeMilliseconds now: Int64) { revisionUptimeMilliseconds = now }

    // MARK: The broker's limits

    /// Notes a new connection, whose broker can have other limits.
    mutating func handleConnected() { recordLimit = BatchBounds.records }

    /// Notes that the broker has refused a batch. The next ones are smaller, and finally records are sent alone.
    /// - Parameter isTooLarge: Whether the reason is the size. Otherwise records are sent alone at once.
    mutating func handleRefused(records: Int, isTooLarge: Bool) {
        recordLimit = isTooLarge ? min(recordLimit, max(records / 2, 1)) : 1
    }

    /// Returns records in groups of one message each.
    /// - Parameter isAlone: Whether a record is in no batch.
    func groups(
        of records: [StoredRecord], isAlone: (StoredRecord) -> Bool
    ) -> [(records: [StoredRecord], isBatch: Bool)] {
        var groups: [(records: [StoredRecord], isBatch: Bool)] = []
        var bytes = 0
        for record in records {
            let isBatch = recordLimit > 1 && !isAlone(record)
            let hasRoom =
                groups.last.map { last in
                    last.isBatch && isBatch && last.records[0].epoch == record.epoch
                        && last.records.count < recordLimit && bytes + record.payload.count <= BatchBounds.bytes
                } ?? false
            if hasRoom {
                groups[groups.count - 1].records.append(record)
            } else {
                groups.append(([record], isBatch))
                bytes = 0
            }
            bytes += record.payload.count
        }
        return groups
    }
}
