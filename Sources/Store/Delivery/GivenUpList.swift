import OdographWire

/// The numbers that one or more given-up records name: sorted, separate ranges, each with one reason.
struct GivenUpList {
    /// The largest number of ranges in one record, about 80 bytes each.
    static let maximumRanges = 1000

    private var numbers: [Int64: [GivenUpNumbers.Reason: NumberSet]] = [:]

    init(_ ranges: [GivenUpNumbers] = []) {
        for range in ranges { insert(range) }
    }

    var isEmpty: Bool { numbers.isEmpty }

    /// Adds numbers. A number that is already in the list keeps its reason.
    mutating func insert(_ range: GivenUpNumbers) {
        let new = NumberSet([range.numbers]).subtracting(all(in: range.epoch))
        guard !new.isEmpty else { return }
        numbers[range.epoch, default: [:]][range.reason, default: NumberSet()].formUnion(new)
    }

    /// Adds the number of one record.
    mutating func insert(_ key: RecordKey, _ reason: LedgerEntry.Reason) {
        insert(GivenUpNumbers(epoch: key.epoch, numbers: key.seq...key.seq, reason: .ledger(reason)))
    }

    /// Returns all numbers of an epoch in the list.
    func all(in epoch: Int64) -> NumberSet {
        numbers[epoch]?.values.reduce(NumberSet()) { $0.union($1) } ?? NumberSet()
    }

    /// The ranges, ascending by epoch and number.
    var ranges: [GivenUpNumbers] {
        numbers.keys.sorted().flatMap { epoch in
            let ofEpoch = numbers[epoch] ?? [:]
            return ofEpoch.flatMap { reason, numbers in
                numbers.closedRanges.map { GivenUpNumbers(epoch: epoch, numbers: $0, reason: reason) }
            }.sorted { $0.numbers.lowerBound < $1.numbers.lowerBound }
        }
    }

    /// The ranges in parts, each of which fits into one record.
    var parts: [[GivenUpNumbers]] {
        let all = ranges
        return stride(from: 0, to: all.count, by: Self.maximumRanges).map {
            Array(all[$0..<min($0 + Self.maximumRanges, all.count)])
        }
    }

    /// Whether the list needs more than one record.
    var isLong: Bool {
        numbers.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.ranges.count } } > Self.maximumRanges
    }

    /// Replaces the ranges of an epoch below a number by a single range with the reason `merged`. The agent must keep
    /// no record below that number.
    mutating func merge(in epoch: Int64, below first: Int64) {
        let below = all(in: epoch).intersection(NumberSet(through: first - 1))
        guard below.ranges.count > 1, let lowest = below.ranges.first, let highest = below.ranges.last else { return }
        let merged = lowest.lowerBound...highest.upperBound - 1
        for (reason, var set) in numbers[epoch] ?? [:] {
            set.remove(merged)
            numbers[epoch]?[reason] = set.isEmpty ? nil : set
        }
        insert(GivenUpNumbers(epoch: epoch, numbers: merged, reason: .ledger(.merged)))
    }

    /// Returns a list of numbers with the reasons of the ledger; a number that is not in the ledger was delivered.
    static func naming(_ unnamed: [Int64: NumberSet], by ledger: Ledger) -> GivenUpList {
        var list = GivenUpList()
        for (epoch, numbers) in unnamed {
            for entry in ledger.entries where entry.epoch == epoch {
                for range in numbers.intersection(NumberSet([entry.fromSeq...entry.toSeq])).closedRanges {
                    list.insert(GivenUpNumbers(epoch: epoch, numbers: range, reason: .ledger(entry.reason)))
                }
            }
            for range in numbers.subtracting(list.all(in: epoch)).closedRanges {
                list.insert(GivenUpNumbers(epoch: epoch, numbers: range, reason: .delivered))
            }
        }
        return list
    }
}
