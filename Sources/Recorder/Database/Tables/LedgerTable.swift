import OdographWire

/// The table `ledger`. A vehicle merges and removes old entries, so the table keeps each entry of each report, up to a
/// number of entries of a vehicle: the cost of a report does not grow with those before it.
final class LedgerTable {
    /// The most entries of a vehicle that are kept, four times those of a report.
    static let maximumEntries = 256

    private let insertion: any RecorderStatement
    private let deletion: any RecorderStatement
    private let limitation: any RecorderStatement

    init(_ connection: any RecorderConnection) throws(DatabaseFailure) {
        // An entry grows with each report. Without its earlier sizes the table stays small, and says the same.
        insertion = try connection.prepare(
            """
            INSERT INTO ledger (vehicle, epoch, first, last, count, kind, reason, at)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE NOT EXISTS (
                SELECT 1 FROM ledger WHERE vehicle = ?1 AND epoch = ?2 AND kind = ?6 AND reason = ?7
                    AND first <= ?3 AND last >= ?4 AND count >= ?5 AND (first, last, count) <> (?3, ?4, ?5))
            ON CONFLICT (vehicle, epoch, first, last, count, kind, reason) DO UPDATE
            SET at = CASE WHEN excluded.at > ledger.at THEN excluded.at ELSE ledger.at END
            """)
        deletion = try connection.prepare(
            """
            DELETE FROM ledger WHERE vehicle = ?1 AND epoch = ?2 AND kind = ?6 AND reason = ?7
                AND first >= ?3 AND last <= ?4 AND count <= ?5 AND (first, last, count) <> (?3, ?4, ?5)
            """)
        let key = "epoch, first, last, count, kind, reason"
        limitation = try connection.prepare(
            """
            DELETE FROM ledger WHERE vehicle = ?1 AND (\(key)) IN (
                SELECT \(key) FROM ledger WHERE vehicle = ?1
                ORDER BY at DESC, epoch DESC, last DESC, first, count, kind, reason LIMIT 1000000 OFFSET ?2)
            """)
    }

    /// Stores the entries of a report. Beyond ``maximumEntries`` the oldest ones are removed.
    func insert(_ entries: [LedgerRange], of vehicle: Int64) throws(DatabaseFailure) {
        guard !entries.isEmpty else { return }
        for entry in entries { try insert(entry, of: vehicle) }
        try limitation.run(.integer(vehicle), .integer(Int64(Self.maximumEntries)))
    }

    /// Stores an entry, unless a stored one contains it, and removes those that it contains.
    private func insert(_ entry: LedgerRange, of vehicle: Int64) throws(DatabaseFailure) {
        let values: [SQLValue] = [
            .integer(vehicle), .integer(entry.epoch), .integer(entry.from), .integer(entry.to),
            .integer(Int64(entry.count)), .text(entry.kind?.rawValue ?? ""), .text(entry.reason.rawValue),
        ]
        try insertion.run(values + [.time(entry.at)])
        try deletion.run(values)
    }
}
