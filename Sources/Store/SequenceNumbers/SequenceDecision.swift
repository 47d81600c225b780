import OdographWire

/// The decision on the sequence numbers with which a database continues, from its state and its reservation.
///
/// A number may be used only if no other content can have it. So after an end without closing, the database continues
/// after all reserved numbers. If nothing proves which those were, a new epoch begins.
enum SequenceDecision: Hashable {
    /// The state of a database before it is changed.
    struct DatabaseState: Hashable {
        /// The epoch and its seed.
        var epochIdentity: EpochIdentity
        /// The newest sequence number; 0 if there is none.
        var newestSeq: Int64
        /// The write-ahead log before the database was opened.
        var log: LogState
        /// The boot of the system, see ``FileOperations/bootID``.
        var bootID: UInt64?
    }

    /// The state of a write-ahead log.
    struct LogState: Hashable {
        /// The size in bytes.
        var bytes: Int64
        /// The end of the log. Nil if it has no valid header: then SQLite ignores the whole log.
        var end: WriteAheadLog.End?
    }

    /// The sequence numbers that are left out.
    struct Gap: Hashable {
        /// The first and the last number.
        var range: ClosedRange<Int64>
        var reason: LedgerEntry.Reason
    }

    /// The database is new. Nil for a new epoch; otherwise this epoch, which has no number yet.
    case newDatabase(EpochIdentity?, OpeningReport.Inconsistency?)
    /// The epoch continues after the gap.
    case resumeEpoch(Gap?, OpeningReport.Inconsistency?)
    /// A new epoch begins in this database. The gap is at the end of the former one.
    case newEpoch(Gap?, OpeningReport.Inconsistency?)

    /// The evidence that the database is not as the last run left it. Nil if there is none.
    var inconsistency: OpeningReport.Inconsistency? {
        switch self {
        case .newDatabase(_, let inconsistency), .resumeEpoch(_, let inconsistency), .newEpoch(_, let inconsistency):
            inconsistency
        }
    }

    /// Whether it is proven that no committed record is missing.
    var isProven: Bool {
        gap?.reason != .possiblyLost && inconsistency == nil
    }

    /// The numbers that are left out. Nil if there are none.
    private var gap: Gap? {
        switch self {
        case .newDatabase: nil
        case .resumeEpoch(let gap, _), .newEpoch(let gap, _): gap
        }
    }

    /// See ``OpeningReport/lostRecords``.
    var lostRecords: Int {
        if let gap { return gap.reason == .possiblyLost ? gap.range.count : 0 }
        if case .resumeEpoch = self { return 0 }
        return inconsistency == nil ? 0 : OpeningReport.unknownLoss
    }

    /// - Parameters:
    ///   - database: The state of the database. Nil for a new one.
    ///   - content: The contents of the reservation file.
    init(of database: DatabaseState?, with content: SequenceReservationFile.Content) {
        guard let database else {
            self = Self.forNewDatabase(with: content)
            return
        }
        switch content {
        case .absent: self = .newEpoch(nil, .reservationMissing)
        case .unreadable: self = .newEpoch(nil, .reservationUnreadable)
        case .reservation(let record): self = Self.forExistingDatabase(database, record)
        }
    }

    private static func forNewDatabase(with content: SequenceReservationFile.Content) -> SequenceDecision {
        switch content {
        // This includes an interruption of the first writing of the reservation.
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
            // A reservation without numbers is that of an epoch whose beginning was interrupted.
            return record.reservedThrough == 0
                ? .newEpoch(nil, nil)
                : .newEpoch(
                    nil, .otherDatabase(epoch: record.epochIdentity.epoch, reservedThrough: record.reservedThrough))
        }
        guard newest <= record.reservedThrough else {
            return .newEpoch(nil, .reservationOutdated(newest: newest, reservedThrough: record.reservedThrough))
        }
        let inconsistency: OpeningReport.Inconsistency? =
            newest < record.committedThrough
            ? .reverted(newest: newest, committedThrough: record.committedThrough)
            : record.isClosed ? nil : logDamage(of: database, record)
        // A run without the database used a later epoch: new records must not be ordered before its records.
        let goesOn = record.latestEpoch <= record.epochIdentity.epoch
        guard newest < record.reservedThrough else {
            return goesOn ? .resumeEpoch(nil, inconsistency) : .newEpoch(nil, inconsistency)
        }
        // Neither a power cut takes back a synchronized transaction, nor a kill a complete one.
        let isProven =
            inconsistency == nil
            && (isSameBoot(database, record) ? database.log.end != .torn : record.isDurable)
        let gap = Gap(
            range: newest + 1...record.reservedThrough, reason: isProven ? .neverAssigned : .possiblyLost)
        return goesOn ? .resumeEpoch(gap, inconsistency) : .newEpoch(gap, inconsistency)
    }

    /// Returns the damage of the write-ahead log of an agent that ended without closing its database.
    private static func logDamage(of database: DatabaseState, _ record: SequenceReservation) -> OpeningReport
        .Inconsistency?
    {
        let log = database.log
        if log.bytes < record.logBytes || (log.end == nil && record.logBytes > 0) { return .logLost }
        return switch log.end {
        case nil, .whole, .unfinished, .torn: nil
        // A power cut can leave parts of the uncommitted transaction, in any order. A killed process leaves the
        // beginning of its writes. If commits survive a power cut, each transaction follows a complete one.
        case .broken(let isFollowed):
            (isFollowed && record.isDurable) || isSameBoot(database, record) ? .logDamaged : nil
        }
    }

    /// Returns whether the reservation was written since the last boot: then no later write was lost in a power cut.
    private static func isSameBoot(_ database: DatabaseState, _ record: SequenceReservation) -> Bool {
        record.bootID != nil && record.bootID == database.bootID
    }
}
