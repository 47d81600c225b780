public import CivilTime

/// What the store knows without asking the database. A value, so that a transaction that fails puts it back as it was.
struct Counters {
    /// Whose identities the records get.
    var identities: RecordIdentities
    /// The newest record's number.
    var newestSeq: Int64 = 0
    /// The newest record, when its payload is gone already: its row stays until there is a newer one.
    var hollowSeq: Int64?
    /// Records in the outbox that have a payload.
    var outbox = Tally()
    /// Records that were salvaged.
    var salvagedCount = 0
    /// The last journal entry's ordinal.
    var ordinal: Int64 = 0
    /// The newest record when the last snapshot was made.
    var snapshotSeq: Int64 = 0
    /// The slot of `journal` that is written next; those before have entries that count.
    var nextSlot: Int64 = 0
    /// Bytes of journal since the last snapshot.
    var journalBytes = 0
    /// Up to where every second location was dropped.
    var thinnedThrough: Int64 = 0
    /// How much of the timeline is kept for queries.
    var timeline = TimelineTable.Totals()
    /// The numbers without a record.
    var ledger = Ledger()
    /// The numbers that the next record leaves out; they are entered in the ledger with it. As long as no record is stored, each opening arrives at the same.
    var gap: LedgerEntry?

    /// The newest number that must not be used again.
    var usedThrough: Int64 { gap?.toSeq ?? newestSeq }

    /// The ledger with the numbers that the next record leaves out.
    var completeLedger: Ledger {
        var complete = ledger
        if let gap { complete.add(gap) }
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
    public var ledgerCount: Int
    /// Journal bytes since the last snapshot: when they are many, it is time for one.
    public var journalBytes: Int
    /// Timeline events that can be asked for.
    public var timelineEvents: Int
    /// The bytes of their payloads.
    public var timelineBytes: Int
}
