/// A set of sequence numbers of one epoch, as ranges.
package typealias NumberSet = RangeSet<Int64>

extension RangeSet<Int64> {
    /// Creates the set of the numbers in ranges.
    package init(_ ranges: some Sequence<ClosedRange<Int64>>) {
        self.init()
        for range in ranges { insert(range) }
    }

    /// Creates the set of the numbers from 1; empty if the last one is less.
    package init(through last: Int64) { self.init(last >= 1 ? [1...last] : []) }

    /// The numbers as ranges, ascending and separate.
    package var closedRanges: [ClosedRange<Int64>] { ranges.map { $0.lowerBound...$0.upperBound - 1 } }

    /// The count of numbers.
    package var numberCount: Int { ranges.reduce(0) { $0 + Int($1.upperBound - $1.lowerBound) } }

    /// Adds a range, whose numbers are below the largest integer.
    package mutating func insert(_ range: ClosedRange<Int64>) { insert(contentsOf: Range(range)) }

    /// Removes a range, whose numbers are below the largest integer.
    package mutating func remove(_ range: ClosedRange<Int64>) { remove(contentsOf: Range(range)) }

    /// Returns the last number of the range that contains a number; nil if the set does not contain it.
    package func lastOfRange(with number: Int64) -> Int64? {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= number { low = middle + 1 } else { high = middle }
        }
        guard low < ranges.count, ranges[low].contains(number) else { return nil }
        return ranges[low].upperBound - 1
    }
}
