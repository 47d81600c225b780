import OdographCivilTime
import OdographWire

/// The state of the store that is kept in memory. A value type, so that a failed transaction can restore it.
struct StoreCounters {
    /// The epoch of new records, and the seed of their UUIDs.
    var epochIdentity: EpochIdentity
    /// The newest record's number.
    var newestSeq: Int64 = 0
    /// The newest record if it is a tombstone: its payload is deleted, but its row stays until there is a newer one.
    var tombstoneSeq: Int64?
    /// The number of records in the outbox, without a tombstone. An upper bound if the database was large when it was
    /// opened, because a count reads all of it.
    var outboxCount = 0
    /// The number of salvaged records.
    var salvagedCount = 0
    /// The last journal entry's ordinal.
    var journalOrdinal: Int64 = 0
    /// The newest record at the time of the last snapshot.
    var snapshotSeq: Int64 = 0
    /// The slot of `journal` that is written next. The slots before it contain entries that are still needed.
    var nextJournalSlot: Int64 = 0
    /// The last number of the thinned locations. Not stored: 0 after a restart.
    var thinnedThroughSeq: Int64 = 0
    /// The size of the timeline kept for queries.
    var timeline = TimelineTable.Totals()
    /// The sequence numbers without a record.
    var ledger = Ledger()
    /// The number of records that were given up to make room since the database was opened.
    var givenUpForRoom = 0
    /// The sequence numbers that the next record leaves out, and that are added to the ledger with it. While no record
    /// is stored, each opening computes the same ones.
    var pendingGap: LedgerEntry?

    /// The records that get other numbers before anything is published; nil if there are none.
    var renumbering: Renumbering?

    /// The newest number that must not be used again.
    var usedThroughSeq: Int64 { pendingGap?.toSeq ?? newestSeq }

    /// The ledger, including `pendingGap`.
    var completeLedger: Ledger {
        var complete = ledger
        if let pendingGap { complete.add(pendingGap) }
        return complete
    }

    /// Adds the numbers before the next record to the ledger: ``pendingGap``, and then these.
    mutating func addToLedger(_ entries: [LedgerEntry]) {
        if let gap = pendingGap {
            ledger.add(gap)
            pendingGap = nil
        }
        for entry in entries { ledger.add(entry) }
    }
}

/// The fill level of the store.
package struct StoreStatistics: Hashable, Sendable {
    /// The number of unacknowledged records; an upper bound if the database was too large to count them when it was
    /// opened.
    package var depth: Int
    /// The instant of the oldest of them. Nil if there is none.
    package var oldest: Timestamp?
    /// The part of the database that is in use, in bytes. The maximum size applies to it.
    package var usedBytes: Int
    /// The newest record's number; 0 if there never was one.
    package var newestSeq: Int64
    /// The epoch of new records.
    package var epoch: Int64
    /// The number of records that were ever dropped, without numbers that are `neverAssigned` or `possiblyLost`.
    package var givenUpCount: Int
}
