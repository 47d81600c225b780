/// The numbers of notifications of a rule by their state.
package struct NotificationCounts: Hashable, Sendable, Codable {
    /// The name of the rule.
    package var rule: String
    /// The number of notifications that wait for their delivery.
    package var waiting: Int
    /// The number of delivered ones.
    package var delivered: Int
    /// The number of those that were dropped: beyond the limit, refused by the target, too old, or of a removed
    /// rule.
    package var dropped: Int

    /// Reads the counts of all rules.
    static func read(from connection: any RecorderConnection) throws(DatabaseFailure) -> [NotificationCounts] {
        try connection.prepare(
            """
            SELECT rule, sum(waiting), sum(delivered), sum(dropped)
            FROM (SELECT rule, count(*) AS waiting, 0 AS delivered, 0 AS dropped FROM notifications GROUP BY rule
                  UNION ALL SELECT rule, 0, delivered, dropped FROM notification_counts) AS counts
            GROUP BY rule ORDER BY rule
            """
        ).rows { row in
            NotificationCounts(
                rule: row.text(0) ?? "", waiting: Int(row.integer(1)), delivered: Int(row.integer(2)),
                dropped: Int(row.integer(3)))
        }
    }
}
