import OdographStore

/// Decides which kept records are sent with delivery by receipts, and when they are sent again.
///
/// A record that each store covers is not sent. A record that the broker has not acknowledged in this run is sent. A
/// record that it has acknowledged is sent again if a receipt names it as missing, or if no receipt covers it for two
/// receipt intervals; then with growing delays as long as nothing improves.
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
    /// The largest number of times that the delays double.
    private static let maximumDoublings: Int64 = 5
    /// The largest number of ranges that are remembered. Beyond it, ranges are joined: the records between them are
    /// then sent after two intervals.
    private static let maximumRanges = 4096

    /// The records that the broker acknowledged within one part of an interval.
    private struct Generation {
        var part: Int64
        var numbers: [Int64: NumberSet] = [:]
    }

    /// The receipts in force.
    private(set) var receipts: ReceiptsInForce
    private var intervalSeconds = Self.defaultIntervalSeconds
    private var generations: [Generation] = []
    private var doublings: Int64 = 0
    private var lowestResent: RecordKey?
    private var lowestResentBefore: RecordKey?

    init(stores: [String]) { receipts = ReceiptsInForce(stores: stores) }

    /// The time between two checks whether records are due, milliseconds.
    var partMilliseconds: Int64 { max(intervalSeconds * 1000 / Self.partsOfInterval, 1000) }

    /// Whether a record waits for a receipt.
    var isWaiting: Bool { generations.contains { !$0.numbers.isEmpty } }

    /// The number of ranges that are remembered.
    var rangeCount: Int { generations.reduce(0) { $0 + $1.numbers.values.reduce(0) { $0 + $1.ranges.count } } }

    private func part(at uptimeMilliseconds: Int64) -> Int64 { uptimeMilliseconds / partMilliseconds }

    /// Notes new receipts in force. Records that they cover need no receipt any more.
    mutating func handleReceipts(_ receipts: ReceiptsInForce, intervalSeconds: Int, uptimeMilliseconds now: Int64) {
        self.receipts = receipts
        // The age of acknowledgements is counted in parts of the interval.
        let former = partMilliseconds
        self.intervalSeconds = Int64(min(intervalSeconds, 86_400))
        if former != partMilliseconds {
            for index in generations.indices {
                generations[index].part = generations[index].part * former / partMilliseconds
            }
        }
        for index in generations.indices {
            for (epoch, numbers) in generations[index].numbers {
                let rest = numbers.subtracting(receipts.covered(in: epoch))
                generations[index].numbers[epoch] = rest.isEmpty ? nil : rest
            }
        }
        generations.removeAll(where: \.numbers.isEmpty)
    }

    /// Notes records that the broker acknowledged.
    mutating func handleAcknowledged(_ keys: [RecordKey], uptimeMilliseconds now: Int64) {
        for index in generations.indices {
            for key in keys where generations[index].numbers[key.epoch]?.contains(key.seq) == true {
                generations[index].numbers[key.epoch]?.remove(key.seq...key.seq)
            }
        }
        let part = part(at: now)
        if generations.last?.part != part { generations.append(Generation(part: part)) }
        for key in keys {
            generations[generations.count - 1].numbers[key.epoch, default: NumberSet()].insert(key.seq...key.seq)
        }
        generations.removeAll(where: \.numbers.isEmpty)
        limitMemory(at: part)
    }

    private mutating func limitMemory(at part: Int64) {
        // All records that are older than the longest delay are treated alike.
        let oldest = part - Self.uncoveredParts << Self.maximumDoublings
        while generations.count > 1, generations[1].part < oldest {
            let merged = generations.removeFirst()
            for (epoch, numbers) in merged.numbers {
                generations[0].numbers[epoch, default: NumberSet()].formUnion(numbers)
            }
        }
        var total = rangeCount
        for index in generations.indices where total > Self.maximumRanges {
            for (epoch, numbers) in generations[index].numbers where numbers.ranges.count > 1 {
                guard let first = numbers.ranges.first, let last = numbers.ranges.last else { continue }
                total -= numbers.ranges.count - 1
                generations[index].numbers[epoch] = NumberSet([first.lowerBound...last.upperBound - 1])
            }
        }
    }

    /// Returns the numbers of an epoch that need not be sent now.
    ///
    /// - Parameter givenUp: The numbers of the epoch's given-up records. They are sent again also if a receipt states
    ///   nothing about them.
    func unwanted(in epoch: Int64, givenUp: NumberSet, uptimeMilliseconds now: Int64) -> NumberSet {
        let covered = receipts.covered(in: epoch)
        var (waiting, due) = (NumberSet(), NumberSet())
        for generation in generations {
            guard let numbers = generation.numbers[epoch], let last = numbers.ranges.last?.upperBound else { continue }
            waiting.formUnion(numbers)
            let age = part(at: now) - generation.part
            if age >= Self.missingParts << doublings {
                due.formUnion(numbers.intersection(receipts.namedMissing(in: epoch)))
            }
            if age >= Self.uncoveredParts << doublings {
                let demanded = receipts.demanded(in: epoch, through: last).union(givenUp)
                due.formUnion(numbers.intersection(demanded))
            }
        }
        return covered.union(waiting.subtracting(due))
    }

    /// Notes a record that is sent. Records are sent in order, and a pass ends with ``handlePassEnd()``.
    mutating func handleSent(_ key: RecordKey) {
        let isAgain = generations.contains { $0.numbers[key.epoch]?.contains(key.seq) == true }
        if isAgain { lowestResent = min(lowestResent ?? key, key) }
    }

    /// Notes that all records were examined. If the same record as before was the first to be sent again, sending it did
    /// not help: the delays grow.
    mutating func handlePassEnd() {
        guard let lowest = lowestResent else { return }
        doublings = lowest == lowestResentBefore ? min(doublings + 1, Self.maximumDoublings) : 0
        (lowestResentBefore, lowestResent) = (lowest, nil)
    }
}
