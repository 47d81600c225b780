/// A table of numbers as runs without a gap: `runs` has the stored numbers, `covered` also those that given-up records
/// name. Gaps and receipts follow from them without reading the records.
final class RunTable {
    private let selection: any RecorderStatement
    private let deletion: any RecorderStatement
    private let insertion: any RecorderStatement

    /// - Parameters:
    ///   - name: The name of the table.
    ///   - connection: The database.
    init(_ name: String, _ connection: any RecorderConnection) throws(DatabaseFailure) {
        // The runs do not overlap. Those that a run touches begin with the last one before it, or later.
        selection = try connection.prepare(
            """
            SELECT first, last FROM \(name) WHERE vehicle = ?1 AND epoch = ?2 AND first <= ?3 AND first >= coalesce(
                (SELECT max(first) FROM \(name) WHERE vehicle = ?1 AND epoch = ?2 AND first <= ?4), ?4)
            """)
        deletion = try connection.prepare("DELETE FROM \(name) WHERE vehicle = ?1 AND epoch = ?2 AND first = ?3")
        insertion = try connection.prepare("INSERT INTO \(name) (vehicle, epoch, first, last) VALUES (?1, ?2, ?3, ?4)")
    }

    /// Stores a run, joined with the stored runs that it overlaps or touches.
    func insert(_ run: ClosedRange<Int64>, of vehicle: Int64, epoch: Int64) throws(DatabaseFailure) {
        var neighbours: [ClosedRange<Int64>] = []
        let end = run.upperBound == .max ? .max : run.upperBound + 1
        let begin = run.lowerBound - 1
        try selection.forEach(
            .integer(vehicle), .integer(epoch), .integer(end), .integer(begin)
        ) { row throws(DatabaseFailure) in
            let (first, last) = (row.integer(0), row.integer(1))
            if first <= last, last >= begin { neighbours.append(first...last) }
            return true
        }
        for neighbour in neighbours {
            try deletion.run(.integer(vehicle), .integer(epoch), .integer(neighbour.lowerBound))
        }
        let joined = Self.joining(run, with: neighbours)
        try insertion.run(
            .integer(vehicle), .integer(epoch), .integer(joined.lowerBound), .integer(joined.upperBound))
    }

    /// Returns the run that a run and the stored runs that overlap or touch it form together.
    private static func joining(
        _ run: ClosedRange<Int64>, with neighbours: [ClosedRange<Int64>]
    ) -> ClosedRange<Int64> {
        neighbours.reduce(run) { min($0.lowerBound, $1.lowerBound)...max($0.upperBound, $1.upperBound) }
    }
}
