import OdographCivilTime

/// The partitions of the table `records` in PostgreSQL: one for each month, so that old months can be dropped at once.
final class RecordPartitions {
    private let connection: any RecorderConnection
    private let existence: any RecorderStatement
    /// The months that are known to have a partition.
    private var months: Set<String> = []
    /// When a partition may be made again after a lock; nil if none was in the way.
    private var nextAttempt: ContinuousClock.Instant?

    init(_ connection: any RecorderConnection) throws(DatabaseFailure) {
        self.connection = connection
        existence = try connection.prepare(
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'odograph' AND tablename = ?1")
    }

    /// Makes the missing partitions. Records with a date before 2000, or more than a month after they were received,
    /// come from a wrong clock. They are in the partition `records_other`, so that no clock makes a thousand
    /// partitions.
    /// - Parameter records: The times of the records, and when they were received.
    func make(for records: [(time: Timestamp, received: Timestamp)]) throws(DatabaseFailure) {
        for (time, received) in records {
            let month = String(time.iso8601.prefix(7))
            guard !months.contains(month) else { continue }
            let isPlausible = time.iso8601 >= "2000" && time < received.advanced(bySeconds: 31 * 86_400)
            if isPlausible { try make(month) }
        }
    }

    /// Forgets the months, whose partitions a rolled back transaction may have made.
    func forget() { months.removeAll() }

    /// Makes a partition. A program that reads the table for long, such as a backup, keeps the lock that this needs;
    /// the records then go to `records_other`, and move to their partition at a later attempt.
    private func make(_ month: String) throws(DatabaseFailure) {
        let name = "records_" + month.replacing("-", with: "_")
        guard try existence.firstInteger(.text(name)) == 0 else {
            months.insert(month)
            return
        }
        if let nextAttempt, ContinuousClock.now < nextAttempt { return }
        let (from, to) = ("\(month)-01T00:00:00Z", "\(Self.month(after: month))-01T00:00:00Z")
        try connection.execute("SAVEPOINT making; SET LOCAL lock_timeout = '500ms'")
        do throws(DatabaseFailure) {
            // Records of this month may be among the others, from before it was plausible.
            try connection.execute(
                """
                CREATE TABLE \(name) (LIKE records INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES);
                \(PostgreSQLSchema.withoutStatistics(name, like: "records"))
                WITH moved AS (DELETE FROM records_other WHERE time >= '\(from)' AND time < '\(to)' RETURNING *)
                INSERT INTO \(name) SELECT * FROM moved;
                ALTER TABLE records ATTACH PARTITION \(name) FOR VALUES FROM ('\(from)') TO ('\(to)');
                SET LOCAL lock_timeout = '10s'; RELEASE making;
                """)
            months.insert(month)
        } catch .locked {
            try connection.execute("ROLLBACK TO making; SET LOCAL lock_timeout = '10s'; RELEASE making")
            nextAttempt = .now + .seconds(60)
        }
    }

    /// Returns the month after a month, both as `2026-11`.
    static func month(after month: String) -> String {
        let parts = month.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 2 else { return month }
        let (year, next) = parts[1] == 12 ? (parts[0] + 1, 1) : (parts[0], parts[1] + 1)
        return "\(year)-\(next < 10 ? "0" : "")\(next)"
    }
}
