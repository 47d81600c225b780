/// The numbers with which a database goes on, decided by what it shows and by the record beside it.
///
/// A number may be used if no other content can have it. So after an end without closing it goes on above all that were
/// reserved, and where nothing proves which those were, a new epoch begins.
enum SequenceDecision: Hashable {
    /// What a database shows before anything is changed in it.
    struct DatabaseState: Hashable {
        /// Its identities.
        var epochIdentity: EpochIdentity
        /// The newest number; 0 where there never was one.
        var newestSeq: Int64
        /// Whether it was ever opened by an agent that keeps the record.
        var hasReservation: Bool
        /// Its write-ahead log, before it was opened.
        var log: LogState
        /// The run of the system, see ``FileOperations/bootID``.
        var bootID: UInt64?
    }

    /// What a write-ahead log shows.
    struct LogState: Hashable {
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
    case newDatabase(EpochIdentity?, OpeningReport.Inconsistency?)
    /// The epoch goes on, above the gap.
    case resumeEpoch(Gap?, OpeningReport.Inconsistency?)
    /// A new epoch begins in this database.
    case newEpoch(OpeningReport.Inconsistency?)

    /// What shows that the database is not as it was left. Nil where nothing does.
    var inconsistency: OpeningReport.Inconsistency? {
        switch self {
        case .newDatabase(_, let inconsistency), .resumeEpoch(_, let inconsistency), .newEpoch(let inconsistency):
            inconsistency
        }
    }

    /// Whether it is certain that no record is missing that was committed.
    var isProven: Bool {
        if case .resumeEpoch(let gap?, _) = self, gap.reason == .possiblyLost { return false }
        return inconsistency == nil
    }

    /// A database of an earlier agent has no record. At most as many numbers as a write-ahead log of this size holds
    /// can be lost with it: some three rows a page of 1 kB, up to the size at which it is copied to the file.
    static let maximumNumbersInLog: Int64 = 8192

    /// - Parameters:
    ///   - database: Nil for a new one.
    ///   - content: What the file beside it holds.
    init(of database: DatabaseState?, with content: SequenceReservationFile.Content) {
        guard let database else {
            self = Self.forNewDatabase(with: content)
            return
        }
        switch content {
        // The record is written before the database says that it has one, so that here its first writing was
        // interrupted at the most.
        case .absent where !database.hasReservation, .unreadable where !database.hasReservation:
            let first = database.newestSeq + 1
            let gap = Gap(range: first...database.newestSeq + Self.maximumNumbersInLog, reason: .neverAssigned)
            self = .resumeEpoch(gap, nil)
        case .absent: self = .newEpoch(.reservationMissing)
        case .unreadable: self = .newEpoch(.reservationUnreadable)
        case .reservation(let record): self = Self.forExistingDatabase(database, record)
        }
    }

    private static func forNewDatabase(with content: SequenceReservationFile.Content) -> SequenceDecision {
        switch content {
        // Also where the very first writing of the record was interrupted.
        case .absent, .unreadable: .newDatabase(nil, nil)
        case .reservation(let record) where record.reservedThrough > 0:
            .newDatabase(
                nil,
                .databaseMissing(epoch: record.epochIdentity.epoch, reservedThrough: record.reservedThrough))
        case .reservation(let record) where record.latestEpoch > record.epochIdentity.epoch: .newDatabase(nil, nil)
        case .reservation(let record): .newDatabase(record.epochIdentity, nil)
        }
    }

    private static func forExistingDatabase(_ database: DatabaseState, _ record: SequenceReservation)
        -> SequenceDecision
    {
        let newest = database.newestSeq
        guard database.epochIdentity == record.epochIdentity else {
            // A record without a number is that of an epoch whose beginning was interrupted.
            return record.reservedThrough == 0
                ? .newEpoch(nil)
                : .newEpoch(
                    .otherDatabase(epoch: record.epochIdentity.epoch, reservedThrough: record.reservedThrough))
        }
        guard newest <= record.reservedThrough else {
            return .newEpoch(.reservationOutdated(newest: newest, reservedThrough: record.reservedThrough))
        }
        // A run without a database had a later epoch. Whoever orders records by their epoch would take those of this
        // one for older.
        guard record.latestEpoch <= record.epochIdentity.epoch else { return .newEpoch(nil) }
        let inconsistency: OpeningReport.Inconsistency? =
            newest < record.committedThrough
            ? .reverted(newest: newest, committedThrough: record.committedThrough)
            : record.isClosed ? nil : logDamage(of: database, record)
        guard newest < record.reservedThrough else { return .resumeEpoch(nil, inconsistency) }
        // What was complete and synchronized no power cut takes back, and what was complete no kill.
        let isProven =
            inconsistency == nil
            && (isSameBoot(database, record) ? database.log.end != .torn : record.isDurable)
        let gap = Gap(
            range: newest + 1...record.reservedThrough, reason: isProven ? .neverAssigned : .possiblyLost)
        return .resumeEpoch(gap, inconsistency)
    }

    /// What has happened to the write-ahead log of an agent that did not end properly.
    private static func logDamage(of database: DatabaseState, _ record: SequenceReservation) -> OpeningReport
        .Inconsistency?
    {
        let log = database.log
        if log.bytes < record.logBytes || (log.end == nil && record.logBytes > 0) { return .logLost }
        return switch log.end {
        case nil, .whole, .unfinished, .torn: nil
        // A power cut can leave the parts of a transaction that was about to be committed, in any order. A killed
        // process leaves a beginning of what it has written; and the next transaction of a log whose commits survive a
        // power cut follows a whole one.
        case .broken(let isFollowed):
            (isFollowed && record.isDurable) || isSameBoot(database, record) ? .logDamaged : nil
        }
    }

    /// Whether the record was written in this run of the system: then nothing that was written since is lost by a power
    /// cut.
    private static func isSameBoot(_ database: DatabaseState, _ record: SequenceReservation) -> Bool {
        record.bootID != nil && record.bootID == database.bootID
    }
}
