public import CivilTime

/// Numbers for which a consumer gets no record, and why.
public struct LedgerEntry: Hashable, Sendable {
    /// Why there is no record.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The store was full: every second location of a time was dropped.
        case thinned
        /// The store was full: the oldest records were dropped.
        case quota
        /// Older than records are kept.
        case retention
        /// The disk took no records for so long that the oldest were dropped before they were stored.
        case notStored = "not_stored"
        /// Several of them: old entries, merged to bound the ledger.
        case merged
        /// The agent ended without closing its database. These numbers were reserved, and no record ever had them.
        case neverAssigned = "never_assigned"
        /// The database came back in an earlier state, or may have. Records with these numbers may have been published, and are no longer stored.
        case possiblyLost = "possibly_lost"

        /// A Boolean value that indicates whether the agent gave up records, as opposed to numbers that it no longer knows a record of.
        public var isGivenUp: Bool { self != .neverAssigned && self != .possiblyLost }
    }

    /// The epoch of the records.
    public var epoch: Int64
    /// The first number.
    public var fromSeq: Int64
    /// The last number. Between both there may be records.
    public var toSeq: Int64
    /// How many numbers it is about: the records that were given up; for ``Reason/possiblyLostEntry`` the most that can be.
    public var count: Int
    /// What the records were. Nil where several kinds are.
    public var kind: RecordKind?
    /// Why.
    public var reason: Reason
    /// When, the last time.
    public var at: Timestamp

    /// - Parameters: as the properties of the same names.
    public init(
        epoch: Int64, fromSeq: Int64, toSeq: Int64, count: Int, kind: RecordKind?, reason: Reason, at: Timestamp
    ) {
        self.epoch = epoch
        self.fromSeq = fromSeq
        self.toSeq = toSeq
        self.count = count
        self.kind = kind
        self.reason = reason
        self.at = at
    }
}

/// The list of the numbers without a record, oldest first, bounded.
struct Ledger: Hashable {
    /// The most entries there are; a report with so many is about 10 kB.
    static let maximumEntries = 64
    /// Numbers this near count as one range: between two locations that go there are events that stay, and every second location when
    /// thinning. A trip's end and its geofences make a dozen events in a row, so that this spans several such.
    static let adjacentSeqs: Int64 = 64

    private(set) var entries: [LedgerEntry] = []

    init(entries: [LedgerEntry] = []) { self.entries = entries }

    /// How many records were ever given up. Numbers that were never assigned, or whose records may be lost, are not among them.
    var givenUpCount: Int { entries.reduce(0) { $0 + ($1.reason.isGivenUp ? $1.count : 0) } }

    mutating func add(_ entry: LedgerEntry) {
        guard entry.count > 0 else { return }
        if let index = entries.lastIndex(where: { Self.continues($0, with: entry) }) {
            entries[index].fromSeq = min(entries[index].fromSeq, entry.fromSeq)
            entries[index].toSeq = max(entries[index].toSeq, entry.toSeq)
            entries[index].count += entry.count
            entries[index].at = max(entries[index].at, entry.at)
        } else {
            entries.append(entry)
        }
        while entries.count > Self.maximumEntries { mergeOldest() }
    }

    private static func continues(_ old: LedgerEntry, with new: LedgerEntry) -> Bool {
        old.epoch == new.epoch && old.kind == new.kind && old.reason == new.reason
            && new.fromSeq <= old.toSeq + adjacentSeqs && old.fromSeq <= new.toSeq + adjacentSeqs
    }

    /// Merges the oldest two entries of one epoch that both speak of records given up, or both do not, so that the count of those stays right. Where
    /// there are no two, the oldest entry goes.
    private mutating func mergeOldest() {
        for index in 1..<entries.count {
            guard
                let partner = entries[..<index].firstIndex(where: {
                    $0.epoch == entries[index].epoch && $0.reason.isGivenUp == entries[index].reason.isGivenUp
                })
            else { continue }
            let newer = entries.remove(at: index)
            var merged = entries[partner]
            merged.fromSeq = min(merged.fromSeq, newer.fromSeq)
            merged.toSeq = max(merged.toSeq, newer.toSeq)
            merged.count += newer.count
            merged.kind = merged.kind == newer.kind ? merged.kind : nil
            if merged.reason != newer.reason { merged.reason = merged.reason.isGivenUp ? .merged : .possiblyLost }
            merged.at = max(merged.at, newer.at)
            entries[partner] = merged
            return
        }
        entries.removeFirst()
    }
}
