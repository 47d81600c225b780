import OdographCivilTime
import OdographWire

/// Removes old records from a recorder's database in a file of SQLite, in transactions that are short enough not to hold
/// up the recorder.
final class OldRecordRemover {
    /// The most records that one transaction removes.
    static let batchSize = 500

    /// Removes the oldest records of vehicle ?1 before time ?2, at most ?3.
    static let removal = """
        DELETE FROM records WHERE id IN (
            SELECT id FROM records
            WHERE vehicle = ?1 AND time < ?2 AND (NOT clock_untrusted OR received < ?2)
            ORDER BY time LIMIT ?3)
        """

    /// Counts the notifications of vehicle ?1 from before time ?2 as dropped, and removes them: each can have a
    /// position.
    private static let notificationCount = """
        INSERT INTO notification_counts (rule, delivered, dropped)
        SELECT rule, 0, count(*) FROM notifications WHERE vehicle = ?1 AND created_time < ?2 GROUP BY rule
        ON CONFLICT (rule) DO UPDATE SET dropped = notification_counts.dropped + excluded.dropped
        """
    private static let notificationRemoval = "DELETE FROM notifications WHERE vehicle = ?1 AND created_time < ?2"

    private let connection: SQLiteRecorderConnection

    /// Opens a database, which must exist.
    init(path: String) throws(DatabaseFailure) {
        connection = try RecorderSchema.openForWriting(path, lockSeconds: 5)
        try connection.execute("PRAGMA secure_delete = ON; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
    }

    /// The keys of all vehicles.
    func vehicles() throws(DatabaseFailure) -> [Int64] {
        var keys: [Int64] = []
        try connection.prepare("SELECT id FROM vehicles ORDER BY id").forEach { row throws(DatabaseFailure) in
            keys.append(row.integer(0))
            return true
        }
        return keys
    }

    /// Removes the oldest records of a vehicle. A position without a certain date counts from its reception.
    /// - Parameters:
    ///   - vehicle: The key of the vehicle.
    ///   - time: The time before which records are removed.
    ///   - limit: The most records to remove.
    /// - Returns: The number of removed records.
    func removeRecords(of vehicle: Int64, before time: Timestamp, limit: Int = batchSize) throws(DatabaseFailure) -> Int
    {
        try connection.transaction { () throws(DatabaseFailure) in
            try connection.prepare(Self.removal).run(.integer(vehicle), .time(time), .integer(Int64(limit)))
        }
    }

    /// Removes what refers to removed records of a vehicle: events that were not revised since a time, notifications
    /// that still wait, and the newest numbers.
    func removeReferences(of vehicle: Int64, before time: Timestamp) throws(DatabaseFailure) {
        try connection.transaction { () throws(DatabaseFailure) in
            try connection.prepare(
                "DELETE FROM timeline_events WHERE vehicle = ?1 AND start_date < ?2 AND last_update_date < ?2"
            ).run(.integer(vehicle), .time(time))
            try connection.prepare("DELETE FROM conflicts WHERE vehicle = ?1 AND received < ?2")
                .run(.integer(vehicle), .time(time))
            for statement in [Self.notificationCount, Self.notificationRemoval] {
                try connection.prepare(statement).run(.integer(vehicle), .time(time))
            }
            let hasLostRecord = try connection.prepare(
                """
                SELECT 1 FROM latest WHERE vehicle = ?1 AND NOT EXISTS (
                    SELECT 1 FROM records WHERE records.vehicle = latest.vehicle AND records.epoch = latest.epoch
                        AND records.seq = latest.seq)
                """
            ).firstInteger(.integer(vehicle))
            guard hasLostRecord != nil else { return }
            try connection.prepare(ErasureSQL.deleteLatest).run(.integer(vehicle))
            for kind in UplinkChannel.allCases {
                try connection.prepare(ErasureSQL.insertLatest).run(.integer(vehicle), .text(kind.rawValue))
            }
        }
    }

    /// Removes messages that violate the contract and were received before a time.
    func removeRejected(before time: Timestamp) throws(DatabaseFailure) {
        try connection.transaction { () throws(DatabaseFailure) in
            try connection.prepare("DELETE FROM rejected WHERE received < ?1").run(.time(time))
        }
    }
}
