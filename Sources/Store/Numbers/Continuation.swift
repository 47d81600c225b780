/// The numbers with which a database goes on, decided by what it shows and by the record beside it.
///
/// A number may be used if no other content can have it. So after an end without closing it goes on above all that were
/// reserved, and where nothing proves which those were, a new epoch begins.
enum Continuation: Hashable {
    /// What a database shows before anything is changed in it.
    struct Database: Hashable {
        /// Its identities.
        var identities: RecordIdentities
        /// The newest number; 0 where there never was one.
        var newestSeq: Int64
        /// Whether it was ever opened by an agent that keeps the record.
        var hasRecord: Bool
        /// Its write-ahead log, before it was opened.
        var log: Log
        /// The run of the system, see ``FileOperations/systemRun``.
        var systemRun: UInt64?
    }

    /// What a write-ahead log shows.
    struct Log: Hashable {
        /// Its size in bytes.
        var bytes: Int64
        /// How it ends. Nil where it has no header that SQLite takes: then SQLite ignores the whole log.
        var end: WriteAheadLog.End?
    }

    /// Numbers that are left out.
    struct Gap: Hashable {
        /// The first and the last of them.
        var range: ClosedRange<Int64>
        var reason: LedgerEntry.Reason
    }

    /// The database is new and has these identities, which have no number yet; nil for new ones.
    case begin(RecordIdentities?, OpeningReport.Inconsistency?)
    /// The epoch goes on, above the gap.
    case goOn(Gap?, OpeningReport.Inconsistency?)
    /// A new epoch begins in this database.
    case beginEpoch(OpeningReport.Inconsistency?)

    /// What shows that the database is not as it was left. Nil where nothing does.
    var inconsistency: OpeningReport.Inconsistency? {
        switch self {
        case .begin(_, let inconsistency), .goOn(_, let inconsistency), .beginEpoch(let inconsistency): inconsistency
        }
    }

    /// Whether it is certain that no record is missing that was committed.
    var isProven: Bool {
        if case .goOn(let gap?, _) = self, gap.reason == .possiblyLost { return false }
        return inconsistency == nil
    }

    /// A database of an earlier agent has no record. At most as many numbers as a write-ahead log of this size holds
    /// can be lost with it: some three rows a page of 1 kB, up to the size at which it is copied to the file.
    static let numbersOfLog: Int64 = 8192

    /// - Parameters:
    ///   - database: Nil for a new one.
    ///   - content: What the file beside it holds.
    init(of database: Database?, with content: NumberFile.Content) {
        guard let database else {
            self = Self.new(with: content)
            return
        }
        switch content {
        // The record is written before the database says that it has one, so that here its first writing was
        // interrupted at the most.
        case .absent where !database.hasRecord, .unreadable where !database.hasRecord:
            let first = database.newestSeq + 1
            let gap = Gap(range: first...database.newestSeq + Self.numbersOfLog, reason: .neverAssigned)
            self = .goOn(gap, nil)
        case .absent: self = .beginEpoch(.recordMissing)
        case .unreadable: self = .beginEpoch(.recordUnreadable)
        case .record(let record): self = Self.existing(database, record)
        }
    }

    private static func new(with content: NumberFile.Content) -> Continuation {
        switch content {
        // Also where the very first writing of the record was interrupted.
        case .absent, .unreadable: .begin(nil, nil)
        case .record(let record) where record.reservedThrough > 0:
            .begin(
                nil,
                .databaseMissing(epoch: record.identities.epoch, reservedThrough: record.reservedThrough))
        case .record(let record) where record.latestEpoch > record.identities.epoch: .begin(nil, nil)
        case .record(let record): .begin(record.identities, nil)
        }
    }

    private static func existing(_ database: Database, _ record: NumberRecord) -> Continuation {
        let newest = database.newestSeq
        guard database.identities == record.identities else {
            // A record without a number is that of an epoch whose beginning was interrupted.
            return record.reservedThrough == 0
                ? .beginEpoch(nil)
                : .beginEpoch(
                    .otherDatabase(epoch: record.identities.epoch, reservedThrough: record.reservedThrough))
        }
        guard newest <= record.reservedThrough else {
            return .beginEpoch(.recordOlder(newest: newest, reservedThrough: record.reservedThrough))
        }
        // A run without a database had a later epoch. Whoever orders records by their epoch would take those of this
        // one for older.
        guard record.latestEpoch <= record.identities.epoch else { return .beginEpoch(nil) }
        let inconsistency: OpeningReport.Inconsistency? =
            newest < record.committedThrough
            ? .reverted(newest: newest, committedThrough: record.committedThrough)
            : record.isClosed ? nil : damage(of: database, record)
        guard newest < record.reservedThrough else { return .goOn(nil, inconsistency) }
        // What was complete and synchronized no power cut takes back, and what was complete no kill.
        let isProven =
            inconsistency == nil
            && (isSameRun(database, record) ? database.log.end != .torn : record.isDurable)
        let gap = Gap(
            range: newest + 1...record.reservedThrough, reason: isProven ? .neverAssigned : .possiblyLost)
        return .goOn(gap, inconsistency)
    }

    /// What has happened to the write-ahead log of an agent that did not end properly.
    private static func damage(of database: Database, _ record: NumberRecord) -> OpeningReport.Inconsistency? {
        let log = database.log
        if log.bytes < record.logBytes || (log.end == nil && record.logBytes > 0) { return .logLost }
        return switch log.end {
        case nil, .whole, .unfinished, .torn: nil
        // A power cut can leave the parts of a transaction that was about to be committed, in any order. A killed
        // process leaves a beginning of what it has written; and the next transaction of a log whose commits survive a
        // power cut follows a whole one.
        case .broken(let isFollowed):
            (isFollowed && record.isDurable) || isSameRun(database, record) ? .logDamaged : nil
        }
    }

    /// Whether the record was written in this run of the system: then nothing that was written since is lost by a power
    /// cut.
    private static func isSameRun(_ database: Database, _ record: NumberRecord) -> Bool {
        record.systemRun != nil && record.systemRun == database.systemRun
    }
}
