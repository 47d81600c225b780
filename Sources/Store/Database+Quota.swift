import OdographCivilTime
import OdographSQLite
import OdographWire

extension Database {
    /// The number of records that are dropped at a time.
    static let recordBatch = 256

    private var maximumPages: Int { options.maximumBytes / SQLiteConnection.pageBytes }
    /// The pages that are kept free for the other needs of a transaction.
    private var reservedPages: Int { 16 + maximumPages / 64 }

    /// Runs a transaction that needs room. If it still exceeds the quota, makes more room and runs it again. The second
    /// parameter of `body` is the number of bytes to make room for.
    mutating func withinQuota(
        _ bytes: Int, isDurable: Bool = false, at now: Timestamp,
        _ body: (inout Database, _ room: Int) throws(StoreError) -> Void
    ) throws(StoreError) {
        do {
            try transaction(isDurable: isDurable) { database throws(StoreError) in try body(&database, bytes) }
        } catch .diskFull(let path, let detail) {
            // SQLite reports a full disk and a full quota with the same error.
            guard try pagesInUse() + pages(for: bytes) + reservedPages > maximumPages else {
                throw .diskFull(path: path, detail: detail)
            }
            let more = bytes + options.maximumBytes / 8
            do {
                try transaction(isDurable: isDurable) { database throws(StoreError) in try body(&database, more) }
            } catch .diskFull(let path, let detail) {
                guard try pagesInUse() + pages(for: bytes) + reservedPages > maximumPages else {
                    throw .diskFull(path: path, detail: detail)
                }
                throw .overQuota(path: path, maximumBytes: options.maximumBytes)
            }
        }
    }

    /// Returns the pages for this many bytes of rows. A page is at least two thirds full.
    private func pages(for bytes: Int) -> Int { bytes * 3 / (2 * SQLiteConnection.pageBytes) + 1 }

    /// Drops data until there is room. The order is: the oldest timeline events kept for queries, every second one of
    /// the older locations, the oldest locations, the oldest other records.
    ///
    /// - Parameter carried: Receives the journal entries of the dropped rows.
    mutating func makeRoom(for bytes: Int, carried: inout CommitJournal, at now: Timestamp) throws(StoreError) {
        guard let target = try targetPages(for: bytes) else { return }
        while try pagesInUse() > target {
            if try deleteSafe(before: nil, into: &carried) { continue }
            if try dropOldestTimeline() { continue }
            // With receipts, `giveUp` has made room before this transaction.
            guard delivery == nil else { return }
            if try thinLocations(carried: &carried, at: now) { continue }
            if try dropOldest(locations: true, carried: &carried, at: now) { continue }
            if try dropOldest(locations: false, carried: &carried, at: now) { continue }
            return
        }
    }

    /// Returns the number of pages to which room is made for bytes; nil if there is enough.
    borrowing func targetPages(for bytes: Int) throws(StoreError) -> Int? {
        let limit = maximumPages - reservedPages - pages(for: bytes)
        guard try pagesInUse() > limit else { return nil }
        // Some extra room, so that not every record has to make room again.
        return limit - maximumPages / 32
    }

    /// Drops every second one of the oldest locations that are not thinned yet, within the older half of the outbox.
    private mutating func thinLocations(carried: inout CommitJournal, at now: Timestamp) throws(StoreError) -> Bool {
        guard let first = try outbox.oldest(locations: true, after: 0, before: counters.newestSeq, limit: 1).first
        else {
            return false
        }
        let middle = first.seq + (counters.newestSeq - first.seq) / 2
        let found = try outbox.oldest(
            locations: true, after: counters.thinnedThroughSeq, before: middle, limit: Self.recordBatch)
        guard let oldest = found.first, let newest = found.last, found.count >= 4 else { return false }
        var kept: Set<Int64> = []
        for index in stride(from: 0, to: found.count, by: 2) { kept.insert(found[index].seq) }

        // SQLite frees a page only when all its rows are deleted, so the remaining rows are inserted again.
        var records: [StoredRecord] = []
        try outbox.forEach(after: oldest.seq - 1) { record throws(StoreError) in
            if kept.contains(record.seq) { records.append(record) }
            return record.seq < newest.seq
        }
        for run in contiguousRanges(of: found.map(\.seq)) { try remove(run, into: &carried) }
        for record in records {
            try outbox.insert(record, payload: PayloadCompression.compressed(record.payload), inputs: [])
        }
        counters.outboxCount += records.count
        counters.thinnedThroughSeq = newest.seq
        enterGivenUp(found.filter { !kept.contains($0.seq) }.map { (key($0.seq), $0.kind) }, because: .thinned, at: now)
        return true
    }

    /// Drops the oldest locations, or the oldest other records. Salvaged records are older than all others.
    private mutating func dropOldest(
        locations: Bool, carried: inout CommitJournal, at now: Timestamp
    ) throws(StoreError) -> Bool {
        if counters.salvagedCount > 0 {
            let found = try salvaged.oldest(locations: locations, limit: Self.recordBatch)
            try removeSalvaged(found, because: .quota, at: now)
            if !found.isEmpty { return true }
        }
        let found = try outbox.oldest(
            locations: locations, after: 0, before: counters.newestSeq, limit: Self.recordBatch)
        try removeFromOutbox(found, because: .quota, carried: &carried, at: now)
        return !found.isEmpty
    }

    /// Implements `AgentStore.expireRecords`.
    mutating func expireRecords(before instant: Timestamp, at now: Timestamp) throws(StoreError) -> Int {
        // What is safe is not given up.
        let kept = counters.outboxCount + counters.salvagedCount
        try deleteSafe(before: instant)
        var total = kept - counters.outboxCount - counters.salvagedCount
        while true {
            let count = try transaction(isDurable: delivery != nil) { database throws(StoreError) in
                try database.expireBatch(before: instant, at: now)
            }
            total += count
            if count == 0 { return total }
        }
    }

    private mutating func expireBatch(before instant: Timestamp, at now: Timestamp) throws(StoreError) -> Int {
        guard delivery == nil else { return try expireWithNames(before: instant, at: now) }
        let old = try salvaged.older(than: instant, limit: Self.recordBatch)
        try removeSalvaged(old, because: .retention, at: now)
        var carried = CommitJournal()
        let found = try outbox.older(than: instant, before: counters.newestSeq, limit: Self.recordBatch)
        try removeFromOutbox(found, because: .retention, carried: &carried, at: now)
        try saveToJournalTable(carried)
        return old.count + found.count
    }

    /// Gives up records from before an instant, except given-up records, and names them.
    private mutating func expireWithNames(before instant: Timestamp, at now: Timestamp) throws(StoreError) -> Int {
        var carried = CommitJournal()
        let old = try salvaged.older(than: instant, limit: Self.recordBatch).filter { $0.kind != .givenUp }.map(\.key)
        let rows = try outbox.older(than: instant, before: counters.newestSeq, limit: Self.recordBatch)
        let found = old + rows.filter { $0.kind != .givenUp }.map { key($0.seq) }
        if !found.isEmpty { try giveUp(found, because: .retention, into: &carried, at: now) }
        try saveToJournalTable(carried)
        return found.count
    }

    private mutating func removeSalvaged(
        _ records: [(key: RecordKey, kind: RecordKind)], because reason: LedgerEntry.Reason, at now: Timestamp
    ) throws(StoreError) {
        for record in records where try salvaged.delete(record.key) { counters.salvagedCount -= 1 }
        enterGivenUp(records.map { ($0.key, $0.kind) }, because: reason, at: now)
    }

    private mutating func removeFromOutbox(
        _ records: [(seq: Int64, kind: RecordKind)], because reason: LedgerEntry.Reason, carried: inout CommitJournal,
        at now: Timestamp
    ) throws(StoreError) {
        for run in contiguousRanges(of: records.map(\.seq)) { try remove(run, into: &carried) }
        enterGivenUp(records.map { (key($0.seq), $0.kind) }, because: reason, at: now)
    }

    private func key(_ seq: Int64) -> RecordKey { RecordKey(epoch: counters.epochIdentity.epoch, seq: seq) }

    /// Adds the dropped records to the ledger, except those that are acknowledged.
    private mutating func enterGivenUp(
        _ records: [(key: RecordKey, kind: RecordKind)], because reason: LedgerEntry.Reason, at now: Timestamp
    ) {
        for record in records {
            let isDelivered =
                record.key.epoch == counters.epochIdentity.epoch
                ? pendingAcknowledgements.seqs.contains(record.key.seq)
                : pendingAcknowledgements.salvaged.contains(record.key)
            guard !isDelivered else { continue }
            counters.ledger.add(
                LedgerEntry(
                    epoch: record.key.epoch, fromSeq: record.key.seq, toSeq: record.key.seq, count: 1,
                    kind: record.kind == .givenUp ? nil : record.kind,
                    reason: reason, at: now))
        }
    }
}
