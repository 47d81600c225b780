import Store

/// Decides what of the outbox goes to the broker next, on which lane, and when it is done.
///
/// Live records go first. The backlog is read from the store beside them, oldest first, never more of it than the
/// window has room for: what the broker has not acknowledged, and what the store has not noted as acknowledged, counts
/// against the window, so that a crash repeats at most a window of messages. How many of them the broker takes at a time
/// is the session's to keep.
struct PublishFlowControl {
    /// A record to publish.
    struct Publication: Equatable {
        var token: UInt64
        var record: StoredRecord
        var isLive: Bool
    }

    /// A wish to read from the store.
    struct BacklogRequest: Equatable {
        var after: RecordKey?
        var limit: Int
        var maximumBytes: Int
    }

    /// Refused records are tried again after this long, milliseconds.
    private static let refusedRetryMilliseconds: Int64 = 60_000
    /// A record is live for this long after it was recorded, seconds: the contract's bound.
    static let liveSeconds = 30.0
    /// Live records that wait for room in the window; when more come the store keeps them, as it does anyhow.
    private static let liveQueueLimit = 64
    /// So many bytes of the backlog are in memory at most, whatever the window.
    private static let maximumBytes = 1 << 20
    /// The part of the window that the backlog leaves to live records.
    private static let liveReserveDivisor = 16

    private struct Newest {
        var key: RecordKey
        var capturedUptimeMilliseconds: Int64?
    }

    private(set) var isConnected = false
    /// How many records may be on their way, or delivered and not yet durably forgotten: what a crash would repeat.
    private var window = 0
    private var outstanding: [UInt64: (key: RecordKey, bytes: Int)] = [:]
    private var outstandingBytes = 0
    private var pendingAcknowledgements = 0
    private var nextToken: UInt64 = 1
    private var cursor: RecordKey?
    private var publishedAhead: Set<RecordKey> = []
    private var liveQueue: [StoredRecord] = []
    private var hasBacklog = false
    /// When the refused records are tried again, on the monotonic clock; nil where none was refused since the last time.
    private var refusedRetryDue: Int64?
    private var retryBackoff = RecordRetryBackoff()
    /// Held records that were passed over since the store was read from its beginning, and when they are due.
    private var deferred: [RecordKey: Int64] = [:]
    private var newest: [RecordKind: Newest] = [:]

    /// How many publications the broker has not acknowledged.
    var inFlightCount: Int { outstanding.count }

    // MARK: What happens

    /// Records were committed.
    /// - Parameter captured: when the newest of them was captured, on the monotonic clock; nil: long ago.
    mutating func announce(_ records: [StoredRecord], capturedUptimeMilliseconds captured: Int64?) {
        for record in records {
            newest[record.kind] = Newest(key: record.key, capturedUptimeMilliseconds: captured)
        }
        guard isConnected, liveQueue.count + records.count <= Self.liveQueueLimit else {
            liveQueue.removeAll()
            hasBacklog = true
            return
        }
        liveQueue += records
    }

    /// - Parameter window: how many records may be under way or not yet durably forgotten. The broker's own limit is kept by
    ///   the session: what it is given beyond it waits there, so that the next are at hand when an acknowledgement comes.
    mutating func handleConnected(window: Int) {
        isConnected = true
        self.window = window
        reset()
    }

    mutating func handleDisconnected() {
        isConnected = false
        reset()
    }

    /// Everything that is still in the store is to be published (again).
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

    /// - Returns: the records that are done.
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

    /// The broker did not take a record: it stays in the store, and is tried again later.
    /// - Returns: which one it was.
    mutating func handleRefused(_ token: UInt64, uptimeMilliseconds now: Int64) -> RecordKey? {
        guard let key = removeOutstanding(token) else { return nil }
        refusedRetryDue = now + Self.refusedRetryMilliseconds
        return key
    }

    /// The broker did not acknowledge some records, although it acknowledged later ones. The connection ends now.
    /// - Returns: the records that it has left out more than once.
    mutating func handleUnacknowledged(_ tokens: [UInt64], uptimeMilliseconds now: Int64) -> [RecordKey] {
        for token in tokens {
            if let key = removeOutstanding(token) { retryBackoff.recordFailure(key, uptimeMilliseconds: now) }
        }
        return retryBackoff.repeatedlyUnacknowledged
    }

    /// When records that the broker refused or left out are to be tried again, on the monotonic clock; nil where there are none.
    var retryDueUptimeMilliseconds: Int64? {
        guard isConnected else { return nil }
        return [refusedRetryDue, deferred.values.min()].compactMap { $0 }.min()
    }

    /// A Boolean value that indicates whether the broker has everything that it refused or left out before.
    var isFullyDelivered: Bool {
        isConnected && !hasBacklog && outstanding.isEmpty && refusedRetryDue == nil
            && retryBackoff.repeatedlyUnacknowledged.isEmpty
    }

    /// Tries again what the broker refused or left out, where it is time.
    /// - Returns: whether there is anything to try.
    mutating func retry(uptimeMilliseconds now: Int64) -> Bool {
        guard let due = retryDueUptimeMilliseconds, due <= now else { return false }
        rewindBacklog()
        refusedRetryDue = nil
        deferred.removeAll()
        return true
    }

    /// The store has records that were not announced: all of it is read again, except what is on its way.
    mutating func rewindBacklog() {
        publishedAhead = Set(outstanding.values.map(\.key))
        cursor = nil
        hasBacklog = true
    }

    /// How many acknowledged records the store has not yet deleted durably.
    mutating func updatePendingAcknowledgements(_ pending: Int) {
        pendingAcknowledgements = pending
    }

    // MARK: What is to be done

    private var availableWindow: Int { max(window - outstanding.count - pendingAcknowledgements, 0) }

    /// The live records that there is room for.
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

    /// What to read from the store, if anything; small reads wait until there is room for a larger one.
    func backlogRequest() -> BacklogRequest? {
        guard isConnected, hasBacklog else { return nil }
        let share = max(window - window / Self.liveReserveDivisor, 1)
        let limit = share - outstanding.count - pendingAcknowledgements
        guard limit >= max(share / 4, 1) || (limit > 0 && outstanding.isEmpty) else { return nil }
        let bytes = Self.maximumBytes - outstandingBytes
        guard bytes >= Self.maximumBytes / 4 else { return nil }
        return BacklogRequest(after: cursor, limit: limit, maximumBytes: bytes)
    }

    /// The store's answer to a request; an empty one says that there is no more.
    mutating func handleBacklog(
        _ records: [StoredRecord], for request: BacklogRequest, uptimeMilliseconds: Int64
    ) -> [Publication] {
        // The connection fell while the store was read: the next one begins anew.
        guard isConnected, hasBacklog, cursor == request.after else { return [] }
        if let last = records.last { cursor = last.key }
        for record in records {
            deferred[record.key] = retryBackoff.due(record.key, uptimeMilliseconds: uptimeMilliseconds)
        }
        // An empty payload would delete what the broker retains; earlier versions could store one.
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

    /// Whether a record goes ahead of the backlog. What has become backlog itself comes in its turn, and a revision never
    /// overtakes an earlier one: whoever catches up goes by the latest update that he has heard of.
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
