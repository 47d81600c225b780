import OdographWire

/// The numbers of an epoch that a database covers: it has their records, or given-up records that name them.
package struct EpochCoverage: Hashable, Sendable {
    /// The epoch.
    package var epoch: Int64
    /// The covered numbers as ascending ranges that do not touch. Ranges after the first ``maximumRuns`` do not change
    /// a receipt, so they may be absent.
    package var runs: [ClosedRange<Int64>]
    /// The number up to which the newest complete backup covers all numbers; 0 if there is none.
    package var backedUp: Int64 = 0

    /// The number of ranges that decide a receipt: one between two missing ranges, one before the first of them, and
    /// one that shows that a further range is missing.
    package static let maximumRuns = Receipt.maximumMissingRanges + 2

    /// The number up to which all numbers are covered.
    private var firstRunEnd: Int64 { runs.first.flatMap { $0.lowerBound == 1 ? $0.upperBound : nil } ?? 0 }

    /// Returns what a receipt says about the epoch.
    /// - Parameter requiresBackup: Whether a number is safe only if a backup covers it.
    package func statement(requiresBackup: Bool) -> Receipt.Epoch {
        var statement = Receipt.Epoch(
            epoch: epoch, through: 0, safe: requiresBackup ? min(backedUp, firstRunEnd) : firstRunEnd)
        for run in runs {
            let next = statement.through + 1
            if run.lowerBound > next {
                guard statement.missing.count < Receipt.maximumMissingRanges else {
                    statement.isPartial = true
                    break
                }
                statement.missing.append(next...run.lowerBound - 1)
            }
            statement.through = run.upperBound
        }
        return statement
    }
}
