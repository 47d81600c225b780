import OdographCivilTime

/// A range that contains sequence numbers without a record, and the reason.
package struct LedgerEntry: Hashable, Sendable {
    /// The reason why there is no record.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The store was full: every second location was dropped.
        case thinned
        /// The store was full: the oldest records were dropped.
        case quota
        /// The records were older than the retention time.
        case retention
        /// The disk was unusable for so long that the oldest records were dropped before they were stored.
        case notStored = "not_stored"
        /// Several reasons: old entries, merged to bound the ledger.
        case merged
        /// Reserved numbers without a record: the agent ended without closing its database, or began a new epoch.
        case neverAssigned = "never_assigned"
        /// The database is, or may be, in an earlier state. Records with these numbers may have been published.
        case possiblyLost = "possibly_lost"

        /// Whether the agent dropped records, as opposed to numbers without a known record.
        package var isGivenUp: Bool { self != .neverAssigned && self != .possiblyLost }
    }

    /// The epoch of the records.
    package var epoch: Int64
    /// The first sequence number.
    package var fromSeq: Int64
    /// The last sequence number. The range may contain records too.
    package var toSeq: Int64
    /// The number of dropped records; for ``Reason/possiblyLost`` the largest possible number.
    package var count: Int
    /// The kind of the records. Nil for several or unknown kinds.
    package var kind: RecordKind?
    /// The reason.
    package var reason: Reason
    /// The time of the last addition.
    package var at: Timestamp

    /// Creates an entry.
    package init(
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

    /// Creates the entry for numbers of an epoch of which none is known to have a record.
    init(_ numbers: ClosedRange<Int64>, of epoch: Int64, because reason: Reason, at: Timestamp) {
        self.init(
            epoch: epoch, fromSeq: numbers.lowerBound, toSeq: numbers.upperBound, count: Int(clamping: numbers.count),
            kind: nil, reason: reason, at: at)
    }
}

/// The list of sequence numbers without a record, oldest first, bounded.
struct Ledger: Hashable {
    /// The largest number of entries; a report with this many is about 10 kB.
    static let maximumEntries = 64
    /// The distance at which numbers still join one range. Between two dropped locations there are events that stay,
    /// and every second location when thinning. A trip's end and its geofences make a dozen events; this spans several.
    static let adjacentSeqs: Int64 = 64

    private(set) var entries: [LedgerEntry] = []

    /// The number of records that were ever dropped, without numbers that are `neverAssigned` or `possiblyLost`.
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

    /// Merges the two oldest entries of one epoch that are both dropped records or both not, so that the count of
    /// dropped records stays correct. If there is no such pair, deletes the oldest entry.
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
