public import CivilTime

/// What the store knows without asking the database. A value, so that a transaction that fails puts it back as it was.
struct StoreCounters {
    /// Whose identities the records get.
    var epochIdentity: EpochIdentity
    /// The newest record's number.
    var newestSeq: Int64 = 0
    /// The newest record, when its payload is gone already: its row stays until there is a newer one.
    var tombstoneSeq: Int64?
    /// Records in the outbox that have a payload.
    var outbox = RowCount()
    /// Records that were salvaged.
    var salvagedCount = 0
    /// The last journal entry's ordinal.
    var journalOrdinal: Int64 = 0
    /// The newest record when the last snapshot was made.
    var snapshotSeq: Int64 = 0
    /// The slot of `journal` that is written next; those before have entries that count.
    var nextJournalSlot: Int64 = 0
    /// Bytes of journal since the last snapshot.
    var journalBytes = 0
    /// Up to where every second location was dropped.
    var thinnedThroughSeq: Int64 = 0
    /// How much of the timeline is kept for queries.
    var timeline = TimelineTable.Totals()
    /// The numbers without a record.
    var ledger = Ledger()
    /// The numbers that the next record leaves out; they are entered in the ledger with it. As long as no record is stored, each opening arrives at the same.
    var pendingGap: LedgerEntry?

    /// The newest number that must not be used again.
    var usedThroughSeq: Int64 { pendingGap?.toSeq ?? newestSeq }

    /// The ledger with the numbers that the next record leaves out.
    var completeLedger: Ledger {
        var complete = ledger
        if let pendingGap { complete.add(pendingGap) }
        return complete
    }
}

/// How full the store is.
public struct StoreStatistics: Hashable, Sendable {
    /// Records that are not acknowledged.
    public var depth: Int
    /// Records among them that come from a damaged file.
    public var salvagedDepth: Int
    /// Acknowledgements that are not on the disk yet.
    public var pendingAcknowledgements: Int
    /// The oldest stored record's instant. Nil where there is none.
    public var oldest: Timestamp?
    /// The size of the database, in bytes, without its write-ahead log.
    public var fileBytes: Int
    /// The part of it that is in use, in bytes: what is held against the maximum.
    public var usedBytes: Int
    /// The newest record's number; 0 where there never was one.
    public var newestSeq: Int64
    /// The epoch of new records.
    public var epoch: Int64
    /// How many records were ever given up. Numbers that were never assigned, or whose records may be lost, are not among them.
    public var givenUpCount: Int
    /// Journal bytes since the last snapshot: when they are many, it is time for one.
    public var journalBytes: Int
    /// Timeline events that can be asked for.
    public var timelineEvents: Int
    /// The bytes of their payloads.
    public var timelineBytes: Int
}
