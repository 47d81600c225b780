/// Reads from the tables `covered` and `backed_up` what a receipt states.
final class CoverageReader {
    private let epochs: any RecorderStatement
    private let runs: any RecorderStatement
    private let backedUp: any RecorderStatement

    init(_ connection: any RecorderConnection) throws(DatabaseFailure) {
        // One look into the index for each epoch: an epoch can have a million runs.
        epochs = try connection.prepare(
            """
            WITH RECURSIVE known (epoch, place) AS (
                SELECT (SELECT max(epoch) FROM covered WHERE vehicle = ?1), 1
                UNION ALL
                SELECT (SELECT max(epoch) FROM covered WHERE vehicle = ?1 AND epoch < known.epoch), place + 1
                FROM known WHERE known.epoch IS NOT NULL AND place < ?2
            )
            SELECT epoch FROM known WHERE epoch IS NOT NULL
            """)
        runs = try connection.prepare(
            "SELECT first, last FROM covered WHERE vehicle = ?1 AND epoch = ?2 ORDER BY first LIMIT ?3")
        backedUp = try connection.prepare("SELECT last FROM backed_up WHERE vehicle = ?1 AND epoch = ?2")
    }

    /// Returns the epochs of a vehicle, ascending: the greatest ones, and one more than a receipt can state.
    func epochs(of vehicle: Int64) throws(DatabaseFailure) -> [EpochCoverage] {
        let limit = SQLValue.integer(Int64(VehicleCoverage.maximumEpochs + 1))
        let numbers = try epochs.rows(.integer(vehicle), limit) { $0.integer(0) }
        var coverage: [EpochCoverage] = []
        for epoch in numbers.sorted() { coverage.append(try self.coverage(of: vehicle, epoch: epoch)) }
        return coverage
    }

    private func coverage(of vehicle: Int64, epoch: Int64) throws(DatabaseFailure) -> EpochCoverage {
        let limit = SQLValue.integer(Int64(EpochCoverage.maximumRuns))
        let found = try runs.rows(.integer(vehicle), .integer(epoch), limit) { row -> ClosedRange<Int64>? in
            let (first, last) = (row.integer(0), row.integer(1))
            return first <= last ? first...last : nil
        }
        let backedUp = try backedUp.firstInteger(.integer(vehicle), .integer(epoch)) ?? 0
        return EpochCoverage(epoch: epoch, runs: found, backedUp: backedUp)
    }
}
