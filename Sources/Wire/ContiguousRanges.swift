/// Returns the ranges of consecutive numbers, ascending. Between two of them a number is missing.
/// - Parameter numbers: Numbers that are not negative, in any order.
package func contiguousRanges(of numbers: some Sequence<Int64>) -> [ClosedRange<Int64>] {
    var ranges: [ClosedRange<Int64>] = []
    for number in numbers.sorted() {
        // As a difference, which cannot overflow.
        if let last = ranges.last, number - last.upperBound <= 1 {
            ranges[ranges.count - 1] = last.lowerBound...max(number, last.upperBound)
        } else {
            ranges.append(number...number)
        }
    }
    return ranges
}
