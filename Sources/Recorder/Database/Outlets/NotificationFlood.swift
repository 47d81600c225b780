/// A vehicle whose notifications of a rule were dropped, because there were too many.
package struct NotificationFlood: Hashable, Sendable, Codable {
    /// The name of the rule.
    package var rule: String
    /// The fleet of the vehicle.
    package var fleet: String
    /// The name of the vehicle.
    package var device: String
    /// The number of dropped notifications.
    package var dropped: Int
    /// When the last of them was dropped, ISO-8601 in UTC; nil for a flood that begins.
    package var last: String?

    /// The number of floods that are read.
    static let maximumRows = 10

    /// Reads the newest floods.
    static func read(from connection: any RecorderConnection) throws(DatabaseFailure) -> [NotificationFlood] {
        try connection.prepare(
            """
            SELECT rule, fleet, device, dropped, last_time
            FROM notification_floods JOIN vehicles ON vehicles.id = notification_floods.vehicle
            ORDER BY last_time DESC, rule, fleet, device LIMIT \(maximumRows)
            """
        ).rows { row in
            NotificationFlood(
                rule: row.text(0) ?? "", fleet: row.text(1) ?? "", device: row.text(2) ?? "",
                dropped: Int(row.integer(3)), last: row.time(4))
        }
    }
}
