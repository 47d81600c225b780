import OdographStore
import OdographWire

/// Decides which kept records are sent with delivery by receipts, and when they are sent again.
///
/// A record that each recorder covers is not sent, if it was published before: a receipt can be about the record of
/// another machine with a copy of the database. A record that the broker has not acknowledged is sent. A record that it
/// has acknowledged is sent again if a receipt names it as missing, or if no receipt covers it for two receipt
/// intervals. The delay doubles each time.
///
/// A record of an earlier run waits for a receipt that is newer than the first one of this run, and its two intervals
/// begin then: a vehicle whose recorder is away would otherwise send all of them in each run, and the receipt that the
/// broker keeps can be older than the record. Of a recorder that comes back, the first receipts state little of what
/// the broker has kept for it, so all delays begin then.
struct ResendPlan {
    /// The expected time between receipts before the first one, seconds.
    private static let defaultIntervalSeconds: Int64 = 600
    /// The parts of a receipt interval in which acknowledgements are counted.
    private static let partsOfInterval: Int64 = 4
    /// The parts after which a record that a receipt names as missing is sent again: the receipt can be older than the
    /// acknowledgement.
    private static let missingParts: Int64 = 2
    /// The parts after which a record that no receipt covers is sent again: two intervals, and the part that runs.
    private static let uncoveredParts: Int64 = 2 * partsOfInterval + 1
    /// The largest number of times that a delay doubles.
    private static let maximumDoublings: Int64 = 7
    /// The silence of receipts after which all delays are short again, receipt intervals.
    private static let silenceIntervals: Int64 = 4
    /// The largest number of ranges that are remembered. Beyond it, ranges are joined: the records between them are
    /// then sent after two intervals.
    private static let maximumRanges = 4096

    /// Records that the broker acknowledged at about the same time, and that were sent again equally often.
    private struct Group {
        /// The time, in parts of an interval. It is rounded down to a multiple of the delay.
        var part: Int64
        /// How often the records were sent again.
        var resends: Int64
        /// Whether the acknowledgements came in an earlier run.
        var isRestored = false
        var numbers: [Int64: NumberSet] = [:]

        /// The part in which the delay for records that no receipt covers ends.
        var uncoveredDue: Int64 { part + uncoveredParts << resends }
    }

    /// The receipts in force.
    private(set) var receipts: ReceiptsInForce
    private var intervalSeconds = Self.defaultIntervalSeconds
    private var groups: [Group] = []
    /// The revision of the first receipt of each recorder in this run.
    private var firstRevisions: [String: Int64] = [:]
    private var lastReceiptUptimeMilliseconds: Int64?

    init(recorders: [String]) { receipts = ReceiptsInForce(recorders: recorders) }

    /// The time between two checks whether records are due, milliseconds.
    var partMilliseconds: Int64 { max(intervalSeconds * 1000 / Self.partsOfInterval, 1000) }

    /// Whether a record waits for a receipt.
    var isWaiting: Bool { !groups.isEmpty }

    /// The number of ranges that are remembered.
    var rangeCount: Int { groups.reduce(0) { $0 + $1.numbers.values.reduce(0) { $0 + $1.ranges.count } } }

    private func part(at uptimeMilliseconds: Int64) -> Int64 { uptimeMilliseconds / partMilliseconds }

    /// Notes new receipts in force. Records that they cover need no receipt any more.
    ///
    /// - Parameter seconds: The interval of the receipts; nil if it has not changed.
    mutating func handleReceipts(
        _ receipts: ReceiptsInForce, intervalSeconds seconds: Int? = nil, uptimeMilliseconds now: Int64
    ) {
        let hadNewer = !newerReceipts.revisions.isEmpty
        self.receipts = receipts
        firstRevisions.merge(receipts.revisions) { first, _ in first }
        let isFirstNewer = !hadNewer && !newerReceipts.revisions.isEmpty
        let silence = now - (lastReceiptUptimeMilliseconds ?? now)
        let isRecorderBack = silence > Self.silenceIntervals * intervalSeconds * 1000
        lastReceiptUptimeMilliseconds = now
        // The age of acknowledgements is counted in parts of the interval.
        let former = partMilliseconds
        if let seconds { intervalSeconds = Int64(min(seconds, 86_400)) }
        for index in groups.indices {
            groups[index].part = groups[index].part * former / partMilliseconds
            if isRecorderBack { groups[index].resends = 0 }
            if isRecorderBack || isFirstNewer && groups[index].isRestored { groups[index].part = part(at: now) }
            for (epoch, numbers) in groups[index].numbers {
                let rest = numbers.subtracting(receipts.covered(in: epoch))
                groups[index].numbers[epoch] = rest.isEmpty ? nil : rest
            }
        }
        groups.removeAll(where: \.numbers.isEmpty)
    }

    /// The receipts that came after the first one of each recorder in this run.
    private var newerReceipts: ReceiptsInForce { receipts.newer(than: firstRevisions) }

    /// Notes the records that the broker acknowledged in earlier runs, by epoch.
    mutating func restore(published: [Int64: NumberSet], uptimeMilliseconds now: Int64) {
        let waiting = published.compactMapValues { $0.isEmpty ? nil : $0 }
        guard !waiting.isEmpty else { return }
        add(Group(part: part(at: now), resends: 0, isRestored: true, numbers: waiting))
    }

    /// Notes records that the broker acknowledged.
    mutating func handleAcknowledged(_ keys: [RecordKey], uptimeMilliseconds now: Int64) {
        let part = part(at: now)
        var acknowledged: [Int64: [Int64: NumberSet]] = [:]
        for key in keys {
            let resends = removeAcknowledged(key).map { min($0 + 1, Self.maximumDoublings) } ?? 0
            acknowledged[resends, default: [:]][key.epoch, default: NumberSet()].insert(key.seq...key.seq)
        }
        for (resends, numbers) in acknowledged {
            add(Group(part: (part >> resends) << resends, resends: resends, numbers: numbers))
        }
        groups.removeAll(where: \.numbers.isEmpty)
        limitMemory(at: part)
    }

    /// Removes a record that was acknowledged before. Returns how often it was sent again; nil if it was not there.
    private mutating func removeAcknowledged(_ key: RecordKey) -> Int64? {
        let index = groups.firstIndex { $0.numbers[key.epoch]?.contains(key.seq) == true }
        guard let index else { return nil }
        groups[index].numbers[key.epoch]?.remove(key.seq...key.seq)
        if groups[index].numbers[key.epoch]?.isEmpty == true { groups[index].numbers[key.epoch] = nil }
        return groups[index].resends
    }

    private mutating func add(_ new: Group) {
        let known = groups.firstIndex {
            $0.part == new.part && $0.resends == new.resends && $0.isRestored == new.isRestored
        }
        guard let known else { return groups.append(new) }
        groups[known].numbers.merge(new.numbers) { $0.union($1) }
    }

    private mutating func limitMemory(at part: Int64) {
        // Records whose delay has ended are treated alike.
        for resends in 0...Self.maximumDoublings {
            let isEnded = { (group: Group) in
                group.resends == resends && group.uncoveredDue <= part && !group.isRestored
            }
            let ended = groups.filter(isEnded)
            guard ended.count > 1, let latest = ended.map(\.part).max() else { continue }
            groups.removeAll(where: isEnded)
            for group in ended {
                add(Group(part: latest, resends: resends, numbers: group.numbers))
            }
        }
        var total = rangeCount
        for index in groups.indices where total > Self.maximumRanges {
            for (epoch, numbers) in groups[index].numbers where numbers.ranges.count > 1 {
                guard let first = numbers.ranges.first, let last = numbers.ranges.last else { continue }
                total -= numbers.ranges.count - 1
                groups[index].numbers[epoch] = NumberSet([first.lowerBound...last.upperBound - 1])
            }
        }
    }

    /// Returns the numbers of an epoch that need not be sent now.
    ///
    /// - Parameters:
    ///   - givenUp: The numbers of the epoch's given-up records. They are sent again also if a receipt states nothing
    ///     about them.
    ///   - published: The numbers of the epoch's records that the broker has acknowledged, also in earlier runs.
    func unwanted(
        in epoch: Int64, givenUp: NumberSet, published: NumberSet, uptimeMilliseconds now: Int64
    ) -> NumberSet {
        let covered = receipts.covered(in: epoch).intersection(published)
        let newer = newerReceipts
        var (waiting, due) = (NumberSet(), NumberSet())
        for group in groups {
            guard let numbers = group.numbers[epoch], let last = numbers.ranges.last?.upperBound else { continue }
            waiting.formUnion(numbers)
            if part(at: now) >= group.part + Self.missingParts << group.resends {
                due.formUnion(numbers.intersection(receipts.namedMissing(in: epoch)))
            }
            guard part(at: now) >= group.uncoveredDue, !group.isRestored || !newer.revisions.isEmpty else { continue }
            let demanded =
                group.isRestored
                ? newer.missing(in: epoch, through: last) : receipts.demanded(in: epoch, through: last)
            due.formUnion(numbers.intersection(demanded.union(givenUp)))
        }
        return covered.union(waiting.subtracting(due))
    }
}
