import OdographCivilTime

/// Removes conflicts by their contents, which are only in their payloads.
struct ConflictRemover {
    /// A stored conflict.
    struct Conflict {
        /// The contents; nil if they have no place.
        let content: DatedContent?
        /// The message as it came.
        let payload: String
        /// Whether the record that came first is stored.
        let hasRecord: Bool
        /// When the recorder received the conflict, as in the database.
        let received: String
    }

    /// The number of conflicts that are in memory.
    private static let pageSize: Int64 = 100

    private static let page = """
        SELECT id, payload, EXISTS (SELECT 1 FROM records
                WHERE records.vehicle = conflicts.vehicle AND records.epoch = conflicts.epoch
                    AND records.seq = conflicts.seq), received
        FROM conflicts WHERE id > ?1 AND (vehicle = ?2 OR ?2 = 0) ORDER BY id LIMIT ?3
        """

    let connection: any RecorderConnection

    /// Removes the conflicts for which a function returns true.
    /// - Parameter vehicle: The key of the vehicle; nil for all.
    /// - Returns: The number of removed conflicts.
    func remove(of vehicle: Int64?, where isRemoved: (Conflict) -> Bool) throws(DatabaseFailure) -> Int {
        let (selection, deletion) = (
            try connection.prepare(Self.page), try connection.prepare("DELETE FROM conflicts WHERE id = ?1")
        )
        var (last, count) = (Int64(0), 0)
        while true {
            var (found, rows): ([Int64], Int64) = ([], 0)
            try selection.forEach(
                .integer(last), .integer(vehicle ?? 0), .integer(Self.pageSize)
            ) { row throws(DatabaseFailure) in
                (last, rows) = (row.integer(0), rows + 1)
                let payload = row.text(1) ?? ""
                let conflict = Conflict(
                    content: DatedContent(payload: payload), payload: payload, hasRecord: row.integer(2) != 0,
                    received: row.time(3) ?? "")
                if isRemoved(conflict) { found.append(last) }
                return true
            }
            for id in found { count += try deletion.run(.integer(id)) }
            guard rows == Self.pageSize else { return count }
        }
    }
}
