import Store

/// Decides what of the outbox goes to the broker next, on which lane, and when it is done.
///
/// Live records go first. The backlog is read from the store beside them, oldest first, never more of it than the
/// window has room for: what the broker has not acknowledged, and what the store has not noted as acknowledged, counts
/// against the window, so that a crash repeats at most a window of messages. How many of them the broker takes at a time
/// is the session's to keep.
struct OutboxFlow {
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
    private static let refusedMilliseconds: Int64 = 60_000
    /// A record is live for this long after it was recorded, seconds: the contract's bound.
    static let liveSeconds = 30.0
    /// Live records that wait for room in the window; when more come the store keeps them, as it does anyhow.
    private static let liveQueueLimit = 64
    /// So many bytes of the backlog are in memory at most, whatever the window.
    private static let maximumBytes = 1 << 20
    /// The part of the window that the backlog leaves to live records.
    private static let liveReservePart = 16

    private struct Newest {
        var key: RecordKey
        var capturedUptimeMilliseconds: Int64?
    }

    private(set) var isConnected = false
    /// How many records may be on their way, or delivered and not yet durably forgotten: what a crash would repeat.
    private var window = 0
    private var outstanding: [UInt64: (key: RecordKey, bytes: Int)] = [:]
    private var outstandingBytes = 0
    private var unsettled = 0
    private var nextToken: UInt64 = 1
    private var cursor: RecordKey?
    private var handedAhead: Set<RecordKey> = []
    private var live: [StoredRecord] = []
    private var hasBacklog = false
    /// When the refused records are tried again, on the monotonic clock; nil where none was refused since the last time.
    private var refusedDue: Int64?
    private var held = HeldRecords()
    /// Held records that were passed over since the store was read from its beginning, and when they are due.
    private var passedOver: [RecordKey: Int64] = [:]
    private var newest: [RecordKind: Newest] = [:]

    /// How many publications the broker has not acknowledged.
    var inFlight: Int { outstanding.count }

    // MARK: What happens

    /// Records were committed.
    /// - Parameter captured: when the newest of them was captured, on the monotonic clock; nil: long ago.
    mutating func announce(_ records: [StoredRecord], capturedUptimeMilliseconds captured: Int64?) {
        for record in records {
            newest[record.kind] = Newest(key: record.key, capturedUptimeMilliseconds: captured)
        }
        guard isConnected, live.count + records.count <= Self.liveQueueLimit else {
            live.removeAll()
            hasBacklog = true
            return
        }
        live += records
    }

    /// - Parameter window: how many records may be under way or not yet durably forgotten. The broker's own limit is kept by
    ///   the session: what it is given beyond it waits there, so that the next are at hand when an acknowledgement comes.
    mutating func connected(window: Int) {
        isConnected = true
        self.window = window
        startOver()
    }

    mutating func disconnected() {
        isConnected = false
        startOver()
    }

    /// Everything that is still in the store is to be published (again).
    mutating func startOver() {
        outstanding.removeAll()
        outstandingBytes = 0
        handedAhead.removeAll()
        live.removeAll()
        cursor = nil
        hasBacklog = true
        refusedDue = nil
        passedOver.removeAll()
    }

    /// - Returns: the records that are done.
    mutating func acknowledged(_ tokens: [UInt64]) -> [RecordKey] {
        let keys = tokens.compactMap { takeOutstanding($0) }
        for key in keys { held.acknowledged(key) }
        return keys
    }

    private mutating func takeOutstanding(_ token: UInt64) -> RecordKey? {
        guard let (key, bytes) = outstanding.removeValue(forKey: token) else { return nil }
        outstandingBytes -= bytes
        return key
    }

    /// The broker did not take a record: it stays in the store, and is tried again later.
    /// - Returns: which one it was.
    mutating func refused(_ token: UInt64, uptimeMilliseconds now: Int64) -> RecordKey? {
        guard let key = takeOutstanding(token) else { return nil }
        refusedDue = now + Self.refusedMilliseconds
        return key
    }

    /// The broker did not acknowledge some records, although it acknowledged later ones. The connection ends now.
    /// - Returns: the records that it has left out more than once.
    mutating func overtaken(_ tokens: [UInt64], uptimeMilliseconds now: Int64) -> [RecordKey] {
        for token in tokens {
            if let key = takeOutstanding(token) { held.leftOut(key, uptimeMilliseconds: now) }
        }
        return held.repeated
    }

    /// When records that the broker refused or left out are to be tried again, on the monotonic clock; nil where there are none.
    var retryDueUptimeMilliseconds: Int64? {
        guard isConnected else { return nil }
        return [refusedDue, passedOver.values.min()].compactMap { $0 }.min()
    }

    /// A Boolean value that indicates whether the broker has everything that it refused or left out before.
    var isUntroubled: Bool {
        isConnected && !hasBacklog && outstanding.isEmpty && refusedDue == nil && held.repeated.isEmpty
    }

    /// Tries again what the broker refused or left out, where it is time.
    /// - Returns: whether there is anything to try.
    mutating func retry(uptimeMilliseconds now: Int64) -> Bool {
        guard let due = retryDueUptimeMilliseconds, due <= now else { return false }
        readAgain()
        refusedDue = nil
        passedOver.removeAll()
        return true
    }

    /// The store has records that were not announced: all of it is read again, except what is on its way.
    mutating func readAgain() {
        handedAhead = Set(outstanding.values.map(\.key))
        cursor = nil
        hasBacklog = true
    }

    /// How many acknowledged records the store has not yet deleted durably.
    mutating func settled(pending: Int) {
        unsettled = pending
    }

    // MARK: What is to be done

    private var room: Int { max(window - outstanding.count - unsettled, 0) }

    /// The live records that there is room for.
    mutating func takeLive(uptimeMilliseconds: Int64) -> [Publication] {
        guard isConnected, !live.isEmpty else { return [] }
        if hasBacklog { live = live.filter { mayGoAhead($0, uptimeMilliseconds: uptimeMilliseconds) } }
        let taken = live.prefix(room)
        live.removeFirst(taken.count)
        return taken.map { record in
            if hasBacklog { handedAhead.insert(record.key) } else { cursor = record.key }
            return publication(of: record, uptimeMilliseconds: uptimeMilliseconds)
        }
    }

    /// What to read from the store, if anything; small reads wait until there is room for a larger one.
    func backlogRequest() -> BacklogRequest? {
        guard isConnected, hasBacklog else { return nil }
        let share = max(window - window / Self.liveReservePart, 1)
        let limit = share - outstanding.count - unsettled
        guard limit >= max(share / 4, 1) || (limit > 0 && outstanding.isEmpty) else { return nil }
        let bytes = Self.maximumBytes - outstandingBytes
        guard bytes >= Self.maximumBytes / 4 else { return nil }
        return BacklogRequest(after: cursor, limit: limit, maximumBytes: bytes)
    }

    /// The store's answer to a request; an empty one says that there is no more.
    mutating func takeBacklog(
        _ records: [StoredRecord], for request: BacklogRequest, uptimeMilliseconds: Int64
    ) -> [Publication] {
        // The connection fell while the store was read: the next one begins anew.
        guard isConnected, hasBacklog, cursor == request.after else { return [] }
        if let last = records.last { cursor = last.key }
        for record in records {
            passedOver[record.key] = held.due(record.key, uptimeMilliseconds: uptimeMilliseconds)
        }
        // An empty payload would delete what the broker retains; earlier versions could store one.
        let fresh = records.filter {
            handedAhead.remove($0.key) == nil && passedOver[$0.key] == nil && !$0.payload.isEmpty
        }
        if let cursor { live.removeAll { $0.key <= cursor } }
        if records.isEmpty {
            hasBacklog = false
            handedAhead.removeAll()
            let met = Set(outstanding.values.map(\.key)).union(passedOver.keys)
            held.keep { met.contains($0) }
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
    private func mayGoAhead(_ record: StoredRecord, uptimeMilliseconds: Int64) -> Bool {
        record.kind != .timeline && isLive(record, uptimeMilliseconds: uptimeMilliseconds)
    }

    private func isLive(_ record: StoredRecord, uptimeMilliseconds: Int64) -> Bool {
        guard let newest = newest[record.kind], newest.key == record.key,
            let captured = newest.capturedUptimeMilliseconds
        else { return false }
        return Double(uptimeMilliseconds - captured) / 1000 <= Self.liveSeconds
    }
}
