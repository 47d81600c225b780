import OdographWire

/// The table `ledger`. A vehicle merges and removes old entries, so the table keeps each entry of each report.
final class LedgerTable {
    private let insertion: any RecorderStatement
    private let deletion: any RecorderStatement

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
    }

    /// Stores an entry, unless a stored one contains it, and removes those that it contains.
    func insert(_ entry: LedgerRange, of vehicle: Int64) throws(DatabaseFailure) {
        let values: [SQLValue] = [
            .integer(vehicle), .integer(entry.epoch), .integer(entry.from), .integer(entry.to),
            .integer(Int64(entry.count)), .text(entry.kind?.rawValue ?? ""), .text(entry.reason.rawValue),
        ]
        try insertion.run(values + [.time(entry.at)])
        try deletion.run(values)
    }
}
