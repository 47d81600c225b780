import OdographCivilTime

/// Drops the partitions of months that are completely older than the retention time, in PostgreSQL.
///
/// It first takes a partition out of the table `records`, in a moment, and then drops it. Between the two steps no
/// erasure runs: a lock excludes it, and an erasure after a crash finishes the second step.
struct ServerPartitionRemover {
    /// The advisory lock of programs that move records: "ODOM" as a number.
    private static let movingLock: Int64 = 0x4F44_4F4D
    /// The names of partitions that are out of the table.
    private static let removedPrefix = "removed_"

    private let connection: any RecorderConnection

    init(_ connection: any RecorderConnection) { self.connection = connection }

    /// Returns the names of all partitions.
    func partitions() throws(DatabaseFailure) -> [String] {
        try connection.prepare(
            """
            SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
            WHERE inhparent = 'records'::regclass ORDER BY relname
            """
        ).rows { $0.text(0) }
    }

    /// Removes the partitions whose months end before a time. Records without a certain date that were received later
    /// stay.
    /// - Returns: The number of removed records.
    /// - Throws: ``DatabaseFailure/locked(path:)`` while another program, such as a backup, reads the table.
    func remove(before time: Timestamp) throws(DatabaseFailure) -> Int {
        try locked { () throws(DatabaseFailure) in
            var count = try finishRemoved(before: time)
            for name in try partitions() where Self.isOld(name, before: time) {
                let removed = name.replacing("records_", with: Self.removedPrefix)
                try connection.transaction { () throws(DatabaseFailure) in
                    // A recorder waits for this lock, so it is not waited for long.
                    try connection.execute(
                        """
                        SET LOCAL lock_timeout = '500ms'; ALTER TABLE records DETACH PARTITION \(name);
                        ALTER TABLE \(name) RENAME TO \(removed)
                        """)
                }
                count += try finishRemoved(before: time)
            }
            return count
        }
    }

    /// Drops the partitions that an interrupted removal has left, while this program has the lock. All their records
    /// stay: a later removal finds the old ones.
    func finishLocked() throws(DatabaseFailure) { _ = try finishRemoved(before: nil) }

    /// Does the same, unless another program moves records or reads them for long.
    func finishIfPossible() throws(DatabaseFailure) {
        guard try connection.firstInteger("SELECT pg_try_advisory_lock(\(Self.movingLock))::int") == 1 else { return }
        defer { unlock() }
        do throws(DatabaseFailure) { try finishLocked() } catch .locked {}
    }

    /// Returns whether all records of a partition are older than a time.
    static func isOld(_ partition: String, before time: Timestamp) -> Bool {
        guard let match = partition.wholeMatch(of: #/records_(\d{4})_(\d\d)/#) else { return false }
        let end = RecordPartitions.month(after: "\(match.1)-\(match.2)") + "-01T00:00:00.000Z"
        return Timestamp(iso8601: end).map { $0 <= time } ?? false
    }

    private func finishRemoved(before time: Timestamp?) throws(DatabaseFailure) -> Int {
        let found = try connection.prepare(
            """
            SELECT tablename FROM pg_tables
            WHERE schemaname = 'odograph' AND tablename ~ '^removed_[0-9]{4}_[0-9]{2}$' ORDER BY tablename
            """
        ).rows { $0.text(0) }
        var count = 0
        for name in found {
            count += try connection.transaction { () throws(DatabaseFailure) in
                let all = Int(try connection.firstInteger("SELECT count(*) FROM \(name)") ?? 0)
                let kept = try connection.prepare(
                    """
                    INSERT INTO records SELECT * FROM \(name)
                    WHERE time >= ?1 OR received >= ?1 AND clock_untrusted = 1 OR ?1 IS NULL ON CONFLICT DO NOTHING
                    """
                ).run(.optional(time))
                try connection.execute("SET LOCAL lock_timeout = '500ms'; DROP TABLE \(name)")
                return all - kept
            }
        }
        return count
    }

    /// Excludes other programs that move records.
    func lock() throws(DatabaseFailure) { try connection.execute("SELECT pg_advisory_lock(\(Self.movingLock))") }

    /// Ends ``lock()``.
    func unlock() { try? connection.execute("SELECT pg_advisory_unlock(\(Self.movingLock))") }

    private func locked<Result>(_ body: () throws(DatabaseFailure) -> Result) throws(DatabaseFailure) -> Result {
        try lock()
        defer { unlock() }
        return try body()
    }
}
