import OdographCivilTime
import OdographSQLite
import OdographWire

extension Database {
    /// The number of records that are dropped at a time.
    static let recordBatch = 256

    private var maximumPages: Int { options.maximumBytes / SQLiteConnection.pageBytes }
    /// The pages that are kept free for the other needs of a transaction.
    private var reservedPages: Int { 16 + maximumPages / 64 }

    /// Runs a transaction that needs room.
    ///
    /// - Throws: `overQuota` if it needs more than the quota leaves.
    mutating func withinQuota(
        _ bytes: Int, isDurable: Bool, _ body: (inout Database) throws(StoreError) -> Void
    ) throws(StoreError) {
        do throws(StoreError) {
            try transaction(isDurable: isDurable) { database throws(StoreError) in try body(&database) }
        } catch .diskFull(let path, let detail) {
            // SQLite reports a full disk and a full quota with the same error.
            guard try pagesInUse() + pages(for: bytes) + reservedPages > maximumPages else {
                throw .diskFull(path: path, detail: detail)
            }
            throw .overQuota(path: path, maximumBytes: options.maximumBytes)
        }
    }

    /// Returns the pages for this many bytes of rows. A page is at least two thirds full.
    private func pages(for bytes: Int) -> Int { bytes * 3 / (2 * SQLiteConnection.pageBytes) + 1 }

    /// Makes room in a transaction of its own: deletes what the broker has acknowledged, then what is safe, then the
    /// oldest timeline events for queries, and then gives up records: every second one of the older locations (only
    /// with delivery to the broker: with receipts each number would be named), the oldest locations, the oldest other
    /// records.
    ///
    /// - Throws: `overQuota` if an empty database has too little room. Then nothing is given up.
    mutating func makeRoom(for bytes: Int, at now: Timestamp) throws(StoreError) {
        guard try targetPages(for: bytes) != nil else { return }
        guard bytes / SQLiteConnection.pageBytes + reservedPages <= maximumPages else {
            throw .overQuota(path: path, maximumBytes: options.maximumBytes)
        }
        try flushAcknowledgements()
        guard let target = try targetPages(for: bytes) else { return }
        try transaction(isDurable: delivery != nil) { database throws(StoreError) in
            var carried = CommitJournal()
            while try database.pagesInUse() > target, try database.freeRoom(into: &carried, at: now) {}
            try database.saveToJournalTable(carried)
        }
    }

    /// Deletes or gives up a batch of rows. Returns whether there are fewer than before.
    private mutating func freeRoom(into carried: inout CommitJournal, at now: Timestamp) throws(StoreError) -> Bool {
        if try deleteSafe(into: &carried) { return true }
        if try dropOldestTimeline() { return true }
        if delivery == nil, try thinLocations(carried: &carried, at: now) { return true }
        return try giveUpOldest(into: &carried, at: now)
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

    /// Gives up a batch of the oldest records, locations first. Salvaged records are older than all others.
    private mutating func giveUpOldest(into carried: inout CommitJournal, at now: Timestamp) throws(StoreError) -> Bool
    {
        // With receipts, a given-up record takes the place of one record.
        let fewest = delivery == nil ? 1 : 2
        for isLocation in [true, false] {
            var found: [(key: RecordKey, kind: RecordKind)] = []
            if counters.salvagedCount > 0 {
                found = try salvaged.oldest(locations: isLocation, limit: Self.recordBatch)
            }
            if found.count < fewest {
                found += try outbox.oldest(
                    locations: isLocation, after: 0, before: counters.newestSeq, limit: Self.recordBatch
                ).map { (key($0.seq), $0.kind) }
            }
            if found.count >= fewest { return try giveUp(found, because: .quota, into: &carried, at: now) }
        }
        return false
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

    /// Gives up a batch of the records from before an instant, except given-up records. Returns their number.
    private mutating func expireBatch(before instant: Timestamp, at now: Timestamp) throws(StoreError) -> Int {
        var carried = CommitJournal()
        let old = try salvaged.older(than: instant, limit: Self.recordBatch)
        let rows = try outbox.older(than: instant, before: counters.newestSeq, limit: Self.recordBatch)
        let found = (old + rows.map { (key($0.seq), $0.kind) }).filter { $0.kind != .givenUp }
        if !found.isEmpty { try giveUp(found, because: .retention, into: &carried, at: now) }
        try saveToJournalTable(carried)
        return found.count
    }

    /// Deletes records and states that no record comes for their numbers: in the ledger, and with receipts in given-up
    /// records, which then also name what deleted given-up records named.
    ///
    /// - Returns: Whether there are fewer records than before.
    @discardableResult
    private mutating func giveUp(
        _ records: [(key: RecordKey, kind: RecordKind)], because reason: LedgerEntry.Reason,
        into carried: inout CommitJournal, at now: Timestamp
    ) throws(StoreError) -> Bool {
        let statement = delivery?.statement(givingUp: records.map(\.key), because: reason)
        let joined = (statement?.joined ?? []).map { ($0, RecordKind.givenUp) }
        let removed = records + joined
        try delete(removed.map(\.key), into: &carried)
        enterGivenUp(removed, because: reason, at: now)
        guard var list = statement?.list else { return true }
        if list.isLong { try mergeGone(in: &list) }
        // The rows are gone in each case, so they are named in each case.
        try insertGivenUp(list, into: &carried, at: now)
        return list.parts.count < removed.count
    }

    /// Deletes rows, and the names in them.
    mutating func delete(_ keys: [RecordKey], into carried: inout CommitJournal) throws(StoreError) {
        let present = counters.epochIdentity.epoch
        for run in contiguousRanges(of: keys.filter { $0.epoch == present }.map(\.seq)) {
            try remove(run, into: &carried)
        }
        for key in keys where key.epoch != present {
            if try salvaged.delete(key) { counters.salvagedCount -= 1 }
        }
        delivery?.forgetNames(of: keys)
    }

    /// Shortens a list: below the oldest kept record, one range names all numbers.
    private borrowing func mergeGone(in list: inout GivenUpList) throws(StoreError) {
        for epoch in Set(list.ranges.map(\.epoch)) {
            list.merge(in: epoch, below: try firstKept(of: epoch) ?? .max - 1)
        }
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
            if reason != .retention { counters.givenUpForRoom += 1 }
            counters.ledger.add(
                LedgerEntry(
                    epoch: record.key.epoch, fromSeq: record.key.seq, toSeq: record.key.seq, count: 1,
                    kind: record.kind == .givenUp ? nil : record.kind,
                    reason: reason, at: now))
        }
    }
}
