public import CivilTime

/// Records that the agent itself gave up: why a number is missing.
public struct LedgerEntry: Hashable, Sendable {
    /// Why records were given up.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The store was full: every second location of a time was dropped.
        case thinned
        /// The store was full: the oldest records were dropped.
        case quota
        /// Older than records are kept.
        case retention
        /// Several of them: old entries, merged to bound the ledger.
        case merged
    }

    /// The epoch of the records.
    public var epoch: Int64
    /// The first number that was given up.
    public var fromSeq: Int64
    /// The last number that was given up. Between both there may be records that were not.
    public var toSeq: Int64
    /// How many records were given up.
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

/// The list of what was given up, oldest first, bounded.
struct Ledger: Hashable {
    /// The most entries there are; a report with so many is about 10 kB.
    static let maximumEntries = 64
    /// Numbers this near count as one range: between two locations that go there are events that stay, and every second location when
    /// thinning. A trip's end and its geofences make a dozen events in a row, so that this spans several such.
    static let adjacentSeqs: Int64 = 64

    private(set) var entries: [LedgerEntry] = []

    init(entries: [LedgerEntry] = []) { self.entries = entries }

    /// How many records were ever given up.
    var totalCount: Int { entries.reduce(0) { $0 + $1.count } }

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

    /// Merges the oldest two entries of one epoch; where each has its own, the oldest entry gives way to its successor's range in nothing but the count.
    private mutating func mergeOldest() {
        for index in 1..<entries.count {
            guard let partner = entries[..<index].firstIndex(where: { $0.epoch == entries[index].epoch }) else {
                continue
            }
            let newer = entries.remove(at: index)
            var merged = entries[partner]
            merged.fromSeq = min(merged.fromSeq, newer.fromSeq)
            merged.toSeq = max(merged.toSeq, newer.toSeq)
            merged.count += newer.count
            merged.kind = merged.kind == newer.kind ? merged.kind : nil
            merged.reason = merged.reason == newer.reason ? merged.reason : .merged
            merged.at = max(merged.at, newer.at)
            entries[partner] = merged
            return
        }
        entries.removeFirst()
    }
}
