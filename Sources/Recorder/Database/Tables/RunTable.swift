/// A table of numbers as runs without a gap: `runs` has the stored numbers, `covered` also those that given-up records
/// name. Gaps and receipts follow from them without reading the records.
final class RunTable {
    /// An epoch of a vehicle.
    struct Key: Hashable {
        var vehicle: Int64
        var epoch: Int64
    }

    /// Ranges of numbers in epochs.
    typealias Ranges = [Key: [ClosedRange<Int64>]]

    private let selection: any RecorderRowStatement
    private let deletion: any RecorderRowStatement
    private let insertion: any RecorderRowStatement

    /// - Parameters:
    ///   - name: The name of the table.
    ///   - connection: The database.
    init(_ name: String, _ connection: any RecorderConnection) throws(DatabaseFailure) {
        let key: [RowStatement.Column] = [.integer("vehicle"), .integer("epoch")]
        // The runs do not overlap. Those that a range touches begin with the last one before it, or later.
        selection = try connection.prepare(
            RowStatement(
                columns: key + [.integer("upper"), .integer("lower")],
                sql: """
                    SELECT new.vehicle, new.epoch, run.first, run.last FROM new, \(name) AS run
                    WHERE run.vehicle = new.vehicle AND run.epoch = new.epoch AND run.first <= new.upper
                        AND run.first >= coalesce((SELECT max(first) FROM \(name) AS earlier
                            WHERE earlier.vehicle = new.vehicle AND earlier.epoch = new.epoch
                                AND earlier.first <= new.lower), new.lower)
                    """))
        deletion = try connection.prepare(
            RowStatement(
                columns: key + [.integer("first")],
                sql: """
                    DELETE FROM \(name) USING new
                    WHERE \(name).vehicle = new.vehicle AND \(name).epoch = new.epoch AND \(name).first = new.first
                    """))
        let columns = key + [.integer("first"), .integer("last")]
        insertion = try connection.prepare(
            RowStatement(
                columns: columns,
                sql: """
                    INSERT INTO \(name) (\(RowStatement.names(columns))) SELECT \(RowStatement.values(columns)) FROM new
                    WHERE true ON CONFLICT (vehicle, epoch, first) DO UPDATE SET last = excluded.last
                    """))
    }

    /// Returns the runs that ranges overlap or touch, ascending in each epoch.
    func runs(touching ranges: Ranges) throws(DatabaseFailure) -> Ranges {
        var found: [Key: Set<ClosedRange<Int64>>] = [:]
        let rows = ranges.flatMap { key, ranges in
            ranges.map { range in
                let upper = range.upperBound == .max ? .max : range.upperBound + 1
                return [key.vehicle, key.epoch, upper, range.lowerBound - 1].map { SQLValue.integer($0) }
            }
        }
        try selection.forEach(rows) { row throws(DatabaseFailure) in
            let (first, last) = (row.integer(2), row.integer(3))
            guard first <= last else { return }
            found[Key(vehicle: row.integer(0), epoch: row.integer(1)), default: []].insert(first...last)
        }
        return found.mapValues { $0.sorted { $0.lowerBound < $1.lowerBound } }
    }

    /// Adds ranges. They are joined with the runs that they overlap or touch.
    /// - Parameter known: The runs that the ranges touch, from ``runs(touching:)`` of these ranges or larger ones.
    func insert(_ ranges: Ranges, known: Ranges) throws(DatabaseFailure) {
        var (removed, added): ([[SQLValue]], [[SQLValue]]) = ([], [])
        for (key, ranges) in ranges {
            let before = known[key] ?? []
            let after = Self.joining(before + ranges)
            let begins = Set(after.map(\.lowerBound))
            for run in before where !begins.contains(run.lowerBound) {
                removed.append([key.vehicle, key.epoch, run.lowerBound].map { .integer($0) })
            }
            let unchanged = Set(before)
            for run in after where !unchanged.contains(run) {
                added.append([key.vehicle, key.epoch, run.lowerBound, run.upperBound].map { .integer($0) })
            }
        }
        try deletion.run(removed)
        try insertion.run(added)
    }

    /// Returns the runs of numbers that ranges form together, ascending.
    private static func joining(_ ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
        var runs: [ClosedRange<Int64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // Neither comparison can overflow: the lower bound is greater than that of the run before it.
            if let last = runs.last,
                range.lowerBound <= last.upperBound || range.lowerBound - 1 == last.upperBound
            {
                runs[runs.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                runs.append(range)
            }
        }
        return runs
    }
}
