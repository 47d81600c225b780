import Odograph
import OdographCivilTime
import OdographJSON

/// A notification that waits for its delivery.
package struct PendingNotification: Hashable, Sendable {
    /// The key in the database.
    let key: Int64
    /// The name of the rule.
    let rule: String
    /// The payload, JSON.
    let payload: String
    /// The number of failed attempts.
    let attempts: Int
}

/// The result of an attempt to deliver a notification.
package enum DeliveryResult: Hashable, Sendable {
    /// The target has it.
    case delivered
    /// The target will never take it: it is dropped.
    case refused(String)
    /// The target could not be reached, or cannot take it now: it is tried again.
    case failed(String)
}

/// The tables `notifications` and `notification_counts`.
package final class NotificationTable {
    /// The number of notifications of a rule that wait, as the documentation says it.
    package static let usualMaximumRows = 1000
    /// A time that is longer than each delay of a delivery, seconds.
    private static let longestDelaySeconds = 1000.0
    /// The age after which a notification that cannot be delivered is dropped, seconds: those behind it wait as long.
    private static let longestAgeSeconds = 3 * 86_400.0

    private let vehicle: any RecorderStatement
    private let insertion: any RecorderStatement
    private let removal: any RecorderStatement
    private let selection: any RecorderStatement
    private let selectionOfRule: any RecorderStatement
    private let deletion: any RecorderStatement
    private let postponement: any RecorderStatement
    private let ageLimit: any RecorderStatement
    private let counting: any RecorderStatement
    private let connection: any RecorderConnection

    init(_ connection: any RecorderConnection, maximumRows: Int) throws(DatabaseFailure) {
        self.connection = connection
        vehicle = try connection.prepare("SELECT id FROM vehicles WHERE fleet = ?1 AND device = ?2")
        insertion = try connection.prepare(
            """
            INSERT INTO notifications (rule, vehicle, payload, created_time, attempts, attempt_time)
            VALUES (?1, ?2, ?3, ?4, 0, ?4)
            """)
        removal = try connection.prepare(
            """
            DELETE FROM notifications WHERE rule = ?1 AND id <= (
                SELECT id FROM notifications WHERE rule = ?1 ORDER BY id DESC LIMIT 1 OFFSET \(maximumRows))
            """)
        selection = try connection.prepare(
            """
            SELECT id, rule, payload, attempts FROM notifications
            WHERE id IN (SELECT min(id) FROM notifications GROUP BY rule) AND (attempt_time <= ?1 OR attempt_time > ?2)
            ORDER BY id
            """)
        // The index leads to the oldest one of a rule. The query above reads a row of the index for each notification.
        selectionOfRule = try connection.prepare(
            """
            SELECT id, rule, payload, attempts FROM notifications
            WHERE id = (SELECT min(id) FROM notifications WHERE rule = ?3) AND (attempt_time <= ?1 OR attempt_time > ?2)
            """)
        deletion = try connection.prepare("DELETE FROM notifications WHERE id = ?1")
        postponement = try connection.prepare("UPDATE notifications SET attempts = ?2, attempt_time = ?3 WHERE id = ?1")
        // Only after an attempt: a notification can have waited for the recorder itself.
        ageLimit = try connection.prepare(
            "DELETE FROM notifications WHERE id = ?1 AND created_time < ?2 AND attempts > 0")
        counting = try connection.prepare(
            """
            INSERT INTO notification_counts (rule, delivered, dropped) VALUES (?1, ?2, ?3)
            ON CONFLICT (rule) DO UPDATE SET delivered = notification_counts.delivered + excluded.delivered,
                dropped = notification_counts.dropped + excluded.dropped
            """)
    }

    /// Begins with a new set of rules: drops the notifications of others, and lets all targets be tried at once.
    func begin(_ rules: [Rule]) throws(DatabaseFailure) {
        var stored: [String] = []
        try connection.prepare("SELECT DISTINCT rule FROM notifications").forEach { row throws(DatabaseFailure) in
            stored.append(row.text(0) ?? "")
            return true
        }
        let names = Set(rules.map(\.name))
        for rule in stored where !names.contains(rule) {
            let count = try connection.prepare("DELETE FROM notifications WHERE rule = ?1").run(.text(rule))
            try add(rule, dropped: count)
        }
        try connection.prepare("UPDATE notifications SET attempt_time = ?1").run(.time(.now))
    }

    /// Stores a notification. The oldest ones of the rule beyond the limit are dropped.
    func insert(_ notification: RuleNotification) throws(DatabaseFailure) {
        guard let key = try vehicle.firstInteger(.text(notification.fleet), .text(notification.device)),
            let payload = try? JSONCoder.bytes(of: notification)
        else { return }
        let rule = SQLValue.text(notification.rule)
        try insertion.run(rule, .integer(key), .text(String(decoding: payload, as: UTF8.self)), .time(.now))
        let dropped = try removal.run(rule)
        if dropped > 0 { try add(notification.rule, dropped: dropped) }
    }

    /// Returns the oldest notification of a rule, or of each rule without a name, if it is due.
    func due(of rule: String?, at time: Timestamp) throws(DatabaseFailure) -> [PendingNotification] {
        var due: [PendingNotification] = []
        // A time that is far ahead is from a clock that was set back.
        let implausible = time.advanced(bySeconds: Self.longestDelaySeconds)
        let times = [SQLValue.time(time), .time(implausible)]
        let (statement, values) = rule.map { (selectionOfRule, times + [.text($0)]) } ?? (selection, times)
        try statement.forEach(values) { row throws(DatabaseFailure) in
            due.append(
                PendingNotification(
                    key: row.integer(0), rule: row.text(1) ?? "", payload: row.text(2) ?? "",
                    attempts: Int(row.integer(3))))
            return true
        }
        return due
    }

    /// Stores what became of an attempt.
    /// - Parameter next: The earliest time of the next attempt, if this one failed.
    func note(
        _ result: DeliveryResult, of notification: PendingNotification, next: Timestamp
    ) throws(DatabaseFailure) {
        switch result {
        case .failed:
            let oldest = Timestamp.now.advanced(bySeconds: -Self.longestAgeSeconds)
            if try ageLimit.run(.integer(notification.key), .time(oldest)) > 0 {
                return try add(notification.rule, dropped: 1)
            }
            try postponement.run(
                .integer(notification.key), .integer(Int64(notification.attempts + 1)), .time(next))
        case .delivered, .refused:
            // It can have been dropped meanwhile, which is counted then.
            guard try deletion.run(.integer(notification.key)) > 0 else { return }
            let isDelivered = result == .delivered
            try add(notification.rule, delivered: isDelivered ? 1 : 0, dropped: isDelivered ? 0 : 1)
        }
    }

    private func add(_ rule: String, delivered: Int = 0, dropped: Int = 0) throws(DatabaseFailure) {
        try counting.run(.text(rule), .integer(Int64(delivered)), .integer(Int64(dropped)))
    }
}
