import OdographStore
import OdographWire

/// Decides which rows of the outbox are published next, on which topic, and when they are done.
///
/// Live records go first, except revisions of the timeline, which keep their order. The backlog is read from the
/// store beside them, oldest first. Unacknowledged records, and acknowledgements that the store has not committed,
/// count as in flight. So with delivery to the broker a crash repeats at most the maximum in flight. The
/// client limits how many messages are in flight to the broker.
///
/// With batches, location records and the backlog are published in batches, which have one token for many records;
/// the newest position is published alone instead, once in `position_interval`. A batch is made from the rows of the
/// store when it is sent: a record that waits is nothing but a row.
struct PublishFlowControl {
    /// The age up to which a record is live, seconds. The protocol defines this limit.
    static let liveSeconds = 30.0
    /// The maximum number of live records that wait for room. If more arrive, all are read from the store later.
    private static let liveQueueLimit = 64
    /// The maximum size of the unacknowledged payloads in memory when a backlog is read, bytes.
    private static let maximumBytes = 1 << 20
    /// The reciprocal of the share of the maximum in flight that is reserved for live records.
    private static let liveReserveDivisor = 16

    private struct Newest {
        var key: RecordKey
        var capturedUptimeMilliseconds: Int64?
        /// Whether it is a revision that says only that an event lasts.
        var isUnchanged = false
    }

    private(set) var isConnected = false
    /// The maximum number of records in flight, or acknowledged but not yet deleted durably. With delivery to the
    /// broker a crash repeats at most these.
    private var maximumInFlight = 0
    private var outstanding: [UInt64: OutstandingMessage] = [:]
    private var outstandingBytes = 0
    private var outstandingRecords = 0
    /// Whether the broker has not acknowledged a record that was passed to the client.
    var hasOutstanding: Bool { !outstanding.isEmpty }
    private var pendingAcknowledgements = 0
    private var nextToken: UInt64 = 1
    private var cursor: RecordKey?
    private var publishedAhead: Set<RecordKey> = []
    private var liveQueue: [StoredRecord] = []
    private var hasBacklog = false
    private var refusals = RecordRefusals()
    private var retryBackoff = RecordRetryBackoff()
    /// The records after which the broker has ended the connection.
    private(set) var ends = ConnectionEnds()
    /// Whether the broker has acknowledged a record on this connection.
    private(set) var hasProgress = false
    /// The records that the current pass over the store skipped because of their delay, and when they are due.
    private var deferred: [RecordKey: Int64] = [:]
    private var newest: [RecordKind: Newest] = [:]
    /// The plan of the batches; nil if each record is a message of its own.
    private var batches: BatchPlan?
    /// Which records the budget allows.
    private(set) var gate = BudgetGate()

    // MARK: What happens
    /// Notes committed records.
    mutating func noteCommitted(_ committed: CommittedRecords) {
        if committed.hasMotionChange { batches?.requestPosition() }
        for record in committed.records {
            newest[record.kind] = Newest(
                key: record.key, capturedUptimeMilliseconds: committed.capturedUptimeMilliseconds[record.kind],
                isUnchanged: record.kind == .timeline && committed.isTimelineUnchanged)
        }
        guard isConnected, liveQueue.count + committed.records.count <= Self.liveQueueLimit else {
            liveQueue.removeAll()
            hasBacklog = true
            return
        }
        liveQueue += committed.records
    }

    /// - Parameter maximumInFlight: The maximum number of records in flight or not yet deleted durably. The client
    ///   enforces the broker's own limit: surplus messages wait there, ready for the next acknowledgement.
    mutating func handleConnected(maximumInFlight: Int, uptimeMilliseconds now: Int64) {
        isConnected = true
        hasProgress = false
        self.maximumInFlight = maximumInFlight
        ends.handleConnected(uptimeMilliseconds: now)
        batches?.handleConnected()
        reset()
    }

    /// - Parameter isByBroker: Whether the broker may have ended the connection because of a message.
    /// - Returns: The record that is set aside now; nil for none.
    @discardableResult
    mutating func handleDisconnected(isByBroker: Bool, uptimeMilliseconds now: Int64) -> SetAside? {
        defer {
            isConnected = false
            reset()
        }
        guard isByBroker, let oldest = outstanding.min(by: { $0.key < $1.key })?.value,
            let pause = ends.handleEnd(
                after: oldest.subject, sent: oldest.sentUptimeMilliseconds, uptimeMilliseconds: now), !oldest.isBatch
        else { return nil }
        return SetAside(key: oldest.keys[0], kind: oldest.kind, isLive: oldest.isLive, pause: pause)
    }

    /// Prepares to publish everything in the store, again if needed.
    mutating func reset() {
        outstanding.removeAll()
        (outstandingBytes, outstandingRecords) = (0, 0)
        batches?.close()
        publishedAhead.removeAll()
        liveQueue.removeAll()
        cursor = nil
        hasBacklog = true
        refusals = RecordRefusals()
        deferred.removeAll()
    }

    /// - Returns: The records that are done.
    mutating func handleAcknowledged(_ tokens: [UInt64]) -> [RecordKey] {
        let done = tokens.compactMap { removeOutstanding($0) }
        for message in done {
            hasProgress = true
            ends.handleAcknowledged(message.subject)
            for key in message.keys { retryBackoff.remove(key) }
            if refusals.handleAcknowledged(message) { rewindBacklog() }
        }
        return done.flatMap(\.keys)
    }

    private mutating func removeOutstanding(_ token: UInt64) -> OutstandingMessage? {
        guard let removed = outstanding.removeValue(forKey: token) else { return nil }
        outstandingBytes -= removed.bytes
        outstandingRecords -= removed.keys.count
        return removed
    }

    /// Handles a refusal by the broker. The records stay in the store.
    /// - Parameter isTooLarge: Whether the reason is the size of the message.
    mutating func handleRefused(
        _ token: UInt64, isTooLarge: Bool = false, uptimeMilliseconds now: Int64
    ) -> Refusal? {
        guard let refused = removeOutstanding(token) else { return nil }
        if refused.isBatch, var plan = batches {
            plan.handleRefused(records: refused.keys.count, isTooLarge: isTooLarge)
            batches = plan
            rewindBacklog()
            return .batch(records: refused.keys.count, nextLimit: plan.recordLimit)
        }
        refusals.handleRefused(refused, isTooLarge: isTooLarge, uptimeMilliseconds: now)
        return .record(refused.keys[0])
    }

    /// Handles records that the broker did not acknowledge although it acknowledged later ones. The connection ends
    /// now.
    /// - Returns: The records that have stayed unacknowledged more than once.
    mutating func handleUnacknowledged(_ tokens: [UInt64], uptimeMilliseconds now: Int64) -> [RecordKey] {
        for token in tokens {
            for key in removeOutstanding(token)?.keys ?? [] {
                retryBackoff.recordFailure(key, uptimeMilliseconds: now)
            }
        }
        return retryBackoff.repeatedlyUnacknowledged
    }

    /// The time at which refused or unacknowledged records are sent again, on the monotonic clock. nil if there are
    /// none.
    var retryDueUptimeMilliseconds: Int64? {
        guard isConnected else { return nil }
        return [refusals.nextDue, deferred.values.min()].compactMap { $0 }.min()
    }

    /// Whether the broker has accepted everything, including the records that it refused or did not acknowledge before.
    var isFullyDelivered: Bool {
        isConnected && !hasBacklog && outstanding.isEmpty && refusals.isEmpty
            && retryBackoff.repeatedlyUnacknowledged.isEmpty && !ends.isHolding
    }

    /// Prepares to send the refused and unacknowledged records again, if they are due.
    /// - Returns: Whether any are due.
    mutating func retry(uptimeMilliseconds now: Int64) -> Bool {
        guard let due = retryDueUptimeMilliseconds, due <= now else { return false }
        rewindBacklog()
        refusals.release(uptimeMilliseconds: now)
        deferred.removeAll()
        return true
    }

    /// Prepares to read the whole store again, except records in flight. Needed when it contains records that were not
    /// noted.
    mutating func rewindBacklog() {
        publishedAhead = Set(outstanding.values.flatMap(\.keys))
        cursor = nil
        hasBacklog = true
    }

    /// Forgets the records that wait to be sent: in the store they can have numbers of a new epoch.
    mutating func handleNewEpoch() {
        liveQueue.removeAll()
        batches?.close()
        rewindBacklog()
    }

    /// Updates the number of acknowledged records that the store has not yet deleted durably.
    mutating func updatePendingAcknowledgements(_ pending: Int) {
        pendingAcknowledgements = pending
    }

    // MARK: What is to be done

    private var availableWindow: Int {
        ends.isCareful
            ? (outstanding.isEmpty ? 1 : 0) : max(maximumInFlight - outstandingRecords - pendingAcknowledgements, 0)
    }

    /// Returns the live records for which there is room.
    mutating func dequeueLive(uptimeMilliseconds: Int64) -> [Publication] {
        if !gate.allowsLocations { liveQueue.removeAll { !gate.allows($0.kind) } }
        guard isConnected, !liveQueue.isEmpty else { return [] }
        if hasBacklog { liveQueue = liveQueue.filter { mayPrecedeBacklog($0, uptimeMilliseconds: uptimeMilliseconds) } }
        for record in liveQueue {
            deferred[record.key] = ends.due(.record(record.key, record.kind), uptimeMilliseconds: uptimeMilliseconds)
        }
        liveQueue = liveQueue.filter { admits($0, uptimeMilliseconds: uptimeMilliseconds) }
        leaveToBatch(uptimeMilliseconds: uptimeMilliseconds)
        let taken = liveQueue.prefix(availableWindow)
        liveQueue.removeFirst(taken.count)
        return taken.map { record in
            // Records before this one can wait for a batch.
            let isAhead = hasBacklog || batches?.dueUptimeMilliseconds != nil
            if isAhead { publishedAhead.insert(record.key) } else { cursor = record.key }
            return publication(of: record, uptimeMilliseconds: uptimeMilliseconds)
        }
    }

    /// Removes the records that go into a batch from the live ones.
    private mutating func leaveToBatch(uptimeMilliseconds now: Int64) {
        guard let plan = batches, plan.recordLimit > 1 else { return }
        let waiting = liveQueue.filter { isBatched($0, uptimeMilliseconds: now) }
        liveQueue = liveQueue.filter { !isBatched($0, uptimeMilliseconds: now) }
        // A pass over the store that has begun finds them.
        guard !hasBacklog else { return }
        for record in waiting { batches?.wait(record, uptimeMilliseconds: now) }
        if liveQueue.contains(where: { $0.kind == .location }), plan.closesWithPosition(uptimeMilliseconds: now) {
            hasBacklog = true
        }
        if batches?.hasWaitingRevision == true, liveQueue.contains(where: { $0.kind == .timeline }) {
            // A revision does not overtake an earlier one: both are read from the store, in their order.
            hasBacklog = true
            liveQueue.removeAll { $0.kind == .timeline }
        }
        closeBatch(uptimeMilliseconds: now)
    }

    /// Returns whether a record goes into a batch although it has just been committed.
    private func isBatched(_ record: StoredRecord, uptimeMilliseconds now: Int64) -> Bool {
        guard let batches else { return false }
        return switch record.kind {
        case .location: !isLive(record, uptimeMilliseconds: now) || !batches.isPositionDue(uptimeMilliseconds: now)
        case .timeline: isUnchanged(record) && !batches.isRevisionDue(uptimeMilliseconds: now)
        default: false
        }
    }

    /// Returns whether a record is the newest revision, and says only that an event lasts.
    private func isUnchanged(_ record: StoredRecord) -> Bool {
        newest[.timeline].map { $0.isUnchanged && $0.key == record.key } ?? false
    }

    /// Returns the next request to the store, if any. It waits until there is room for a large read.
    func backlogRequest() -> BacklogRequest? {
        guard isConnected, hasBacklog else { return nil }
        let share = max(maximumInFlight - maximumInFlight / Self.liveReserveDivisor, 1)
        let limit = share - outstandingRecords - pendingAcknowledgements
        guard limit >= max(share / 4, 1) || (limit > 0 && outstanding.isEmpty) else { return nil }
        guard !ends.isCareful || outstanding.isEmpty else { return nil }
        let bytes = Self.maximumBytes - outstandingBytes
        guard bytes >= Self.maximumBytes / 4 else { return nil }
        return BacklogRequest(
            after: cursor, limit: ends.isCareful ? 1 : limit, maximumBytes: bytes,
            withLocations: gate.allowsLocations)
    }

    /// Handles the store's answer to a request. An empty one ends the backlog.
    mutating func handleBacklog(
        _ records: [StoredRecord], for request: BacklogRequest, uptimeMilliseconds: Int64
    ) -> [Publication] {
        // The connection ended during the read. The next one starts from the beginning.
        guard isConnected, hasBacklog, cursor == request.after else { return [] }
        if let last = records.last { cursor = last.key }
        for record in records {
            deferred[record.key] =
                retryBackoff.due(record.key, uptimeMilliseconds: uptimeMilliseconds)
                ?? ends.due(.record(record.key, record.kind), uptimeMilliseconds: uptimeMilliseconds)
        }
        let fresh = records.filter {
            publishedAhead.remove($0.key) == nil && gate.allows($0.kind)
                && admits($0, uptimeMilliseconds: uptimeMilliseconds)
        }
        if let cursor { liveQueue.removeAll { $0.key <= cursor } }
        if records.isEmpty {
            hasBacklog = false
            publishedAhead.removeAll()
            batches?.close()
            let met = Set(outstanding.values.flatMap(\.keys)).union(deferred.keys)
            retryBackoff.retain { met.contains($0) }
            ends.retain { met.contains($0) }
        }
        return publications(of: fresh, uptimeMilliseconds: uptimeMilliseconds)
    }

    private mutating func publications(of records: [StoredRecord], uptimeMilliseconds now: Int64) -> [Publication] {
        guard let batches, !ends.isCareful, ends.due(.batch, uptimeMilliseconds: now) == nil else {
            return records.map { publication(of: $0, uptimeMilliseconds: now) }
        }
        let groups = batches.groups(of: records) { record in
            // A record that the broker did not acknowledge must not hold up others in its batch.
            retryBackoff.hasFailed(record.key) || ends.isSuspect(record)
                || isLive(record, uptimeMilliseconds: now) && !isBatched(record, uptimeMilliseconds: now)
        }
        return groups.flatMap { group in
            group.isBatch
                ? [publication(of: group.records, isLive: false, isBatch: true, uptimeMilliseconds: now)]
                : group.records.map { publication(of: $0, uptimeMilliseconds: now) }
        }
    }

    private mutating func publication(of record: StoredRecord, uptimeMilliseconds now: Int64) -> Publication {
        let isLive = isLive(record, uptimeMilliseconds: now)
        if isLive, record.kind == .location { batches?.handlePosition(uptimeMilliseconds: now) }
        if isLive, record.kind == .timeline { batches?.handleRevision(uptimeMilliseconds: now) }
        return publication(of: [record], isLive: isLive, isBatch: false, uptimeMilliseconds: now)
    }

    private mutating func publication(
        of records: [StoredRecord], isLive: Bool, isBatch: Bool, uptimeMilliseconds now: Int64
    ) -> Publication {
        let token = nextToken
        nextToken += 1
        let bytes = records.reduce(0) { $0 + $1.payload.count }
        outstanding[token] = OutstandingMessage(
            keys: records.map(\.key), kind: records[0].kind, bytes: bytes, isLive: isLive, isBatch: isBatch,
            sentUptimeMilliseconds: now)
        outstandingBytes += bytes
        outstandingRecords += records.count
        return Publication(token: token, records: records, isLive: isLive, isBatch: isBatch)
    }

    /// Returns whether a record may overtake the backlog. Old records wait their turn. A revision never overtakes an
    /// earlier one, because consumers resume from the latest update that they have received.
    private func mayPrecedeBacklog(_ record: StoredRecord, uptimeMilliseconds: Int64) -> Bool {
        record.kind != .timeline && isLive(record, uptimeMilliseconds: uptimeMilliseconds)
    }

    /// Returns whether a record is neither refused nor deferred. Of a topic that is open for one, this is the one then.
    private mutating func admits(_ record: StoredRecord, uptimeMilliseconds now: Int64) -> Bool {
        let isLive = isLive(record, uptimeMilliseconds: now)
        return deferred[record.key] == nil && refusals.admits(record, isLive: isLive, uptimeMilliseconds: now)
    }

    private func isLive(_ record: StoredRecord, uptimeMilliseconds: Int64) -> Bool {
        guard let newest = newest[record.kind], newest.key == record.key,
            let captured = newest.capturedUptimeMilliseconds
        else { return false }
        return Double(uptimeMilliseconds - captured) / 1000 <= Self.liveSeconds
    }
}

// MARK: The budget and batches
extension PublishFlowControl {
    /// Applies what the budget allows. Records that were held back are sent in a new pass over the store.
    mutating func updateGate(_ new: BudgetGate) {
        let wasOpen = gate.allowsLocations
        gate = new
        if wasOpen != new.allowsLocations { rewindBacklog() }
        // Records that wait for a batch stay in the store.
        if !new.allowsLocations { batches?.close() }
    }

    /// Applies the settings of the form. A change begins a new pass over the store.
    mutating func updateEncoding(_ settings: EncodingSettings) {
        let plan = settings.mode == .compact ? BatchPlan(settings) : nil
        guard plan != batches else { return }
        batches = plan
        rewindBacklog()
    }

    /// The time at which records are sent without a further event, on the monotonic clock. nil for never.
    var timerDueUptimeMilliseconds: Int64? {
        guard isConnected else { return nil }
        return [retryDueUptimeMilliseconds, hasBacklog ? nil : batches?.dueUptimeMilliseconds].compactMap { $0 }.min()
    }

    /// Begins to send the records that wait for a batch, if they have waited long enough.
    /// - Parameter isAtOnce: Whether to send them also if they have not.
    /// - Returns: Whether there are any.
    @discardableResult
    mutating func closeBatch(isAtOnce: Bool = false, uptimeMilliseconds now: Int64) -> Bool {
        guard isConnected, let due = batches?.dueUptimeMilliseconds, isAtOnce || due <= now else { return false }
        hasBacklog = true
        return true
    }
}
