import OdographStore

/// Decides which rows of the outbox are published next, on which topic, and when they are done.
///
/// Live records go first. The backlog is read from the store beside them, oldest first. Unacknowledged records, and
/// acknowledgements that the store has not committed, count against the window, so a crash repeats at most a window of
/// messages. The session limits how many of them are in flight to the broker.
struct PublishFlowControl {
    struct Publication: Equatable {
        var token: UInt64
        var record: StoredRecord
        var isLive: Bool
    }

    struct BacklogRequest: Equatable {
        var after: RecordKey?
        var limit: Int
        var maximumBytes: Int
    }

    /// The delay before refused records are sent again, milliseconds.
    private static let refusedRetryMilliseconds: Int64 = 60_000
    /// The age up to which a record is live, seconds. The protocol defines this limit.
    static let liveSeconds = 30.0
    /// The maximum number of live records that wait for the window. If more arrive, all are read from the store later.
    private static let liveQueueLimit = 64
    /// The maximum size of the unacknowledged payloads in memory when a backlog is read, bytes.
    private static let maximumBytes = 1 << 20
    /// The reciprocal of the window's share that is reserved for live records.
    private static let liveReserveDivisor = 16

    private struct Newest {
        var key: RecordKey
        var capturedUptimeMilliseconds: Int64?
    }

    private(set) var isConnected = false
    /// The maximum number of records in flight, or acknowledged but not yet deleted durably. A crash repeats at most
    /// these.
    private var window = 0
    private var outstanding: [UInt64: (key: RecordKey, bytes: Int)] = [:]
    private var outstandingBytes = 0
    private var pendingAcknowledgements = 0
    private var nextToken: UInt64 = 1
    private var cursor: RecordKey?
    private var publishedAhead: Set<RecordKey> = []
    private var liveQueue: [StoredRecord] = []
    private var hasBacklog = false
    /// The time at which the refused records are sent again, on the monotonic clock. nil if there are none.
    private var refusedRetryDue: Int64?
    private var retryBackoff = RecordRetryBackoff()
    /// The records that the current pass over the store skipped because of their delay, and when they are due.
    private var deferred: [RecordKey: Int64] = [:]
    private var newest: [RecordKind: Newest] = [:]

    // MARK: What happens

    /// Notes committed records.
    /// - Parameter captured: The capture time of the newest record of each kind, on the monotonic clock. A kind is
    ///   missing if this record is old.
    mutating func noteCommitted(_ records: [StoredRecord], capturedUptimeMilliseconds captured: [RecordKind: Int64]) {
        for record in records {
            newest[record.kind] = Newest(key: record.key, capturedUptimeMilliseconds: captured[record.kind])
        }
        guard isConnected, liveQueue.count + records.count <= Self.liveQueueLimit else {
            liveQueue.removeAll()
            hasBacklog = true
            return
        }
        liveQueue += records
    }

    /// - Parameter window: The maximum number of records in flight or not yet deleted durably. The session enforces the
    ///   broker's own limit: surplus messages wait there, ready for the next acknowledgement.
    mutating func handleConnected(window: Int) {
        isConnected = true
        self.window = window
        reset()
    }

    mutating func handleDisconnected() {
        isConnected = false
        reset()
    }

    /// Prepares to publish everything in the store, again if needed.
    mutating func reset() {
        outstanding.removeAll()
        outstandingBytes = 0
        publishedAhead.removeAll()
        liveQueue.removeAll()
        cursor = nil
        hasBacklog = true
        refusedRetryDue = nil
        deferred.removeAll()
    }

    /// - Returns: The records that are done.
    mutating func handleAcknowledged(_ tokens: [UInt64]) -> [RecordKey] {
        let keys = tokens.compactMap { removeOutstanding($0) }
        for key in keys { retryBackoff.remove(key) }
        return keys
    }

    private mutating func removeOutstanding(_ token: UInt64) -> RecordKey? {
        guard let (key, bytes) = outstanding.removeValue(forKey: token) else { return nil }
        outstandingBytes -= bytes
        return key
    }

    /// Handles a refusal by the broker. The record stays in the store and is sent again later.
    /// - Returns: The refused record.
    mutating func handleRefused(_ token: UInt64, uptimeMilliseconds now: Int64) -> RecordKey? {
        guard let key = removeOutstanding(token) else { return nil }
        refusedRetryDue = now + Self.refusedRetryMilliseconds
        return key
    }

    /// Handles records that the broker did not acknowledge although it acknowledged later ones. The connection ends
    /// now.
    /// - Returns: The records that have stayed unacknowledged more than once.
    mutating func handleUnacknowledged(_ tokens: [UInt64], uptimeMilliseconds now: Int64) -> [RecordKey] {
        for token in tokens {
            if let key = removeOutstanding(token) { retryBackoff.recordFailure(key, uptimeMilliseconds: now) }
        }
        return retryBackoff.repeatedlyUnacknowledged
    }

    /// The time at which refused or unacknowledged records are sent again, on the monotonic clock. nil if there are
    /// none.
    var retryDueUptimeMilliseconds: Int64? {
        guard isConnected else { return nil }
        return [refusedRetryDue, deferred.values.min()].compactMap { $0 }.min()
    }

    /// Whether the broker has accepted everything, including the records that it refused or did not acknowledge before.
    var isFullyDelivered: Bool {
        isConnected && !hasBacklog && outstanding.isEmpty && refusedRetryDue == nil
            && retryBackoff.repeatedlyUnacknowledged.isEmpty
    }

    /// Prepares to send the refused and unacknowledged records again, if they are due.
    /// - Returns: Whether any are due.
    mutating func retry(uptimeMilliseconds now: Int64) -> Bool {
        guard let due = retryDueUptimeMilliseconds, due <= now else { return false }
        rewindBacklog()
        refusedRetryDue = nil
        deferred.removeAll()
        return true
    }

    /// Prepares to read the whole store again, except records in flight. Needed when it contains records that were not
    /// noted.
    mutating func rewindBacklog() {
        publishedAhead = Set(outstanding.values.map(\.key))
        cursor = nil
        hasBacklog = true
    }

    /// Updates the number of acknowledged records that the store has not yet deleted durably.
    mutating func updatePendingAcknowledgements(_ pending: Int) {
        pendingAcknowledgements = pending
    }

    // MARK: What is to be done

    private var availableWindow: Int { max(window - outstanding.count - pendingAcknowledgements, 0) }

    /// Returns the live records that fit into the window.
    mutating func dequeueLive(uptimeMilliseconds: Int64) -> [Publication] {
        guard isConnected, !liveQueue.isEmpty else { return [] }
        if hasBacklog { liveQueue = liveQueue.filter { mayPrecedeBacklog($0, uptimeMilliseconds: uptimeMilliseconds) } }
        let taken = liveQueue.prefix(availableWindow)
        liveQueue.removeFirst(taken.count)
        return taken.map { record in
            if hasBacklog { publishedAhead.insert(record.key) } else { cursor = record.key }
            return publication(of: record, uptimeMilliseconds: uptimeMilliseconds)
        }
    }

    /// Returns the next request to the store, if any. It waits until the window has room for a large read.
    func backlogRequest() -> BacklogRequest? {
        guard isConnected, hasBacklog else { return nil }
        let share = max(window - window / Self.liveReserveDivisor, 1)
        let limit = share - outstanding.count - pendingAcknowledgements
        guard limit >= max(share / 4, 1) || (limit > 0 && outstanding.isEmpty) else { return nil }
        let bytes = Self.maximumBytes - outstandingBytes
        guard bytes >= Self.maximumBytes / 4 else { return nil }
        return BacklogRequest(after: cursor, limit: limit, maximumBytes: bytes)
    }

    /// Handles the store's answer to a request. An empty one ends the backlog.
    mutating func handleBacklog(
        _ records: [StoredRecord], for request: BacklogRequest, uptimeMilliseconds: Int64
    ) -> [Publication] {
        // The connection ended during the read. The next one starts from the beginning.
        guard isConnected, hasBacklog, cursor == request.after else { return [] }
        if let last = records.last { cursor = last.key }
        for record in records {
            deferred[record.key] = retryBackoff.due(record.key, uptimeMilliseconds: uptimeMilliseconds)
        }
        // An empty payload would delete the broker's retained message. Earlier versions could store one.
        let fresh = records.filter {
            publishedAhead.remove($0.key) == nil && deferred[$0.key] == nil && !$0.payload.isEmpty
        }
        if let cursor { liveQueue.removeAll { $0.key <= cursor } }
        if records.isEmpty {
            hasBacklog = false
            publishedAhead.removeAll()
            let met = Set(outstanding.values.map(\.key)).union(deferred.keys)
            retryBackoff.retain { met.contains($0) }
        }
        return fresh.map { publication(of: $0, uptimeMilliseconds: uptimeMilliseconds) }
    }

    private mutating func publication(of record: StoredRecord, uptimeMilliseconds: Int64) -> Publication {
        let token = nextToken
        nextToken += 1
        outstanding[token] = (record.key, record.payload.count)
        outstandingBytes += record.payload.count
        return Publication(
            token: token, record: record, isLive: isLive(record, uptimeMilliseconds: uptimeMilliseconds))
    }

    /// Returns whether a record may overtake the backlog. Old records wait their turn. A revision never overtakes an
    /// earlier one, because consumers resume from the latest update that they have received.
    private func mayPrecedeBacklog(_ record: StoredRecord, uptimeMilliseconds: Int64) -> Bool {
        record.kind != .timeline && isLive(record, uptimeMilliseconds: uptimeMilliseconds)
    }

    private func isLive(_ record: StoredRecord, uptimeMilliseconds: Int64) -> Bool {
        guard let newest = newest[record.kind], newest.key == record.key,
            let captured = newest.capturedUptimeMilliseconds
        else { return false }
        return Double(uptimeMilliseconds - captured) / 1000 <= Self.liveSeconds
    }
}
