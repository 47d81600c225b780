import OdographCivilTime

/// Removes old records from a recorder's database, in transactions that are short enough not to hold up the recorder.
final class OldRecordRemover {
    /// The most records that one transaction removes.
    static let batchSize = 500

    /// Removes the oldest records of vehicle ?1 before time ?2, at most ?3.
    static let removal = """
        DELETE FROM records WHERE (vehicle, epoch, seq, time) IN (
            SELECT vehicle, epoch, seq, time FROM records
            WHERE vehicle = ?1 AND time < ?2 AND (clock_untrusted = 0 OR received < ?2)
            ORDER BY time LIMIT ?3)
        """

    /// Removes records of vehicle ?1 whose dates are after time ?2, because a clock was wrong, and that were received
    /// before time ?3; at most ?4.
    static let futureRemoval = """
        DELETE FROM records WHERE (vehicle, epoch, seq, time) IN (
            SELECT vehicle, epoch, seq, time FROM records
            WHERE vehicle = ?1 AND time > ?2 AND received < ?3
            ORDER BY time LIMIT ?4)
        """

    /// Finds a newest record of vehicle ?1 that is not stored any more.
    private static let lostLatest = """
        SELECT 1 FROM latest WHERE vehicle = ?1 AND NOT EXISTS (
            SELECT 1 FROM records WHERE records.vehicle = latest.vehicle AND records.epoch = latest.epoch
                AND records.seq = latest.seq AND records.time = latest.time)
        """

    /// Counts the notifications of vehicle ?1 from before time ?2 as dropped, and removes them: each can have a
    /// position.
    private static let notificationCount = """
        INSERT INTO notification_counts (rule, delivered, dropped)
        SELECT rule, 0, count(*) FROM notifications WHERE vehicle = ?1 AND created_time < ?2 GROUP BY rule
        ON CONFLICT (rule) DO UPDATE SET dropped = notification_counts.dropped + excluded.dropped
        """
    private static let notificationRemoval = "DELETE FROM notifications WHERE vehicle = ?1 AND created_time < ?2"

    private let connection: any RecorderConnection
    private let records: any RecorderStatement
    private let futureRecords: any RecorderStatement
    private let events: any RecorderStatement
    private let lostLatest: any RecorderStatement
    private let latest: LatestRebuilder
    private let rejected: any RecorderStatement
    private let notifications: [any RecorderStatement]

    /// Opens a database, which must exist.
    init(_ location: DatabaseLocation) throws(DatabaseFailure) {
        connection = try location.openForWriting(lockSeconds: 5)
        if connection.dialect == .sqlite {
            try connection.execute("PRAGMA secure_delete = ON; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
        }
        records = try connection.prepare(Self.removal)
        futureRecords = try connection.prepare(Self.futureRemoval)
        // An event with a date from a wrong clock goes with its record.
        events = try connection.prepare(
            """
            DELETE FROM timeline_events WHERE vehicle = ?1 AND (start_date < ?2 AND last_update_date < ?2
                OR last_update_date > ?3 AND NOT EXISTS (
                    SELECT 1 FROM records WHERE records.vehicle = timeline_events.vehicle
                        AND records.epoch = timeline_events.epoch AND records.seq = timeline_events.seq
                        AND records.time = timeline_events.last_update_date))
            """)
        lostLatest = try connection.prepare(Self.lostLatest)
        latest = try LatestRebuilder(connection)
        rejected = try connection.prepare("DELETE FROM rejected WHERE received < ?1")
        notifications = [
            try connection.prepare(Self.notificationCount), try connection.prepare(Self.notificationRemoval),
            try connection.prepare("DELETE FROM alerts WHERE vehicle = ?1 AND time < ?2"),
        ]
    }

    /// The keys of all vehicles.
    func vehicles() throws(DatabaseFailure) -> [Int64] {
        try connection.prepare("SELECT id FROM vehicles ORDER BY id").rows { $0.integer(0) }
    }

    /// Drops the partitions of old months, in PostgreSQL.
    /// - Returns: The number of removed records.
    func dropPartitions(before time: Timestamp) throws(DatabaseFailure) -> Int {
        guard connection.dialect == .postgreSQL else { return 0 }
        return try ServerPartitionRemover(connection).remove(before: time)
    }

    /// The first time that no right clock has shown yet.
    private static var future: Timestamp { .now.advanced(bySeconds: 86_400) }

    /// Removes the oldest records of a vehicle. A position without a certain date counts from its reception, and so
    /// does a record that is dated after tomorrow.
    /// - Parameters:
    ///   - vehicle: The key of the vehicle.
    ///   - time: The time before which records are removed.
    ///   - limit: The most records to remove.
    /// - Returns: The number of removed records.
    func removeRecords(of vehicle: Int64, before time: Timestamp, limit: Int = batchSize) throws(DatabaseFailure) -> Int
    {
        try connection.transaction { () throws(DatabaseFailure) in
            let removed = try records.run(.integer(vehicle), .time(time), .integer(Int64(limit)))
            guard removed < limit else { return removed }
            return try removed
                + futureRecords.run(
                    .integer(vehicle), .time(Self.future), .time(time), .integer(Int64(limit - removed)))
        }
    }

    /// Removes what refers to removed records of a vehicle: events that were not revised since a time, alerts,
    /// notifications that still wait, and the newest numbers.
    func removeReferences(of vehicle: Int64, before time: Timestamp) throws(DatabaseFailure) {
        try connection.transaction { () throws(DatabaseFailure) in
            try events.run(.integer(vehicle), .time(time), .time(Self.future))
            for statement in notifications { try statement.run(.integer(vehicle), .time(time)) }
            guard try lostLatest.firstInteger(.integer(vehicle)) != nil else { return }
            try latest.rebuild(of: vehicle)
        }
    }

    /// Removes conflicts that were received before a time, or whose contents end before it, and messages that violate
    /// the contract and were received before it.
    func removeUnstored(before time: Timestamp) throws(DatabaseFailure) {
        try connection.transaction { () throws(DatabaseFailure) in
            _ = try ConflictRemover(connection: connection).remove(of: nil) { conflict in
                Timestamp(iso8601: conflict.received).map { $0 < time } ?? true
                    || conflict.content.map { $0.end < time } ?? false
            }
            try rejected.run(.time(time))
        }
    }
}
