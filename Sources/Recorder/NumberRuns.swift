/// Numbers as runs without a gap.
package struct NumberRuns: Hashable, Sendable {
    /// The runs in order. Between two of them a number is missing.
    package private(set) var runs: [ClosedRange<Int64>] = []

    /// Creates the runs of some numbers, in any order.
    package init(_ numbers: some Sequence<Int64>) {
        for number in numbers.sorted() {
            if let last = runs.last, number - last.upperBound <= 1 {
                runs[runs.count - 1] = last.lowerBound...max(last.upperBound, number)
            } else {
                runs.append(number...number)
            }
        }
    }

    /// Returns the run that a run and its stored neighbours form together.
    /// - Parameters:
    ///   - run: The run.
    ///   - neighbours: Runs that overlap it or touch it.
    package static func joining(
        _ run: ClosedRange<Int64>, with neighbours: [ClosedRange<Int64>]
    ) -> ClosedRange<Int64> {
        neighbours.reduce(run) { min($0.lowerBound, $1.lowerBound)...max($0.upperBound, $1.upperBound) }
    }
}
