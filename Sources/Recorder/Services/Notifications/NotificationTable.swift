import OdographCivilTime
import OdographJSON

/// The tables `notifications`, `notification_counts` and `notification_floods`.
package final class NotificationTable: NotificationQueue {
    /// The number of notifications of a rule that wait, as the documentation says it.
    package static let usualMaximumRows = 1000
    /// The time after which a vehicle that is dropped again is a new flood, seconds.
    private static let floodSeconds = 3600.0
    /// A time that is longer than each delay of a delivery, seconds.
    private static let longestDelaySeconds = 1000.0
    /// The age after which a notification that cannot be delivered is dropped, seconds: those behind it wait as long.
    private static let longestAgeSeconds = 3 * 86_400.0

    private let insertion: any RecorderStatement
    private let removalOfVehicle: any RecorderStatement
    private let waiting: any RecorderStatement
    private let busiest: any RecorderStatement
    private let removalOfOldest: any RecorderStatement
    private let selection: any RecorderStatement
    private let deletion: any RecorderStatement
    private let postponement: any RecorderStatement
    private let ageLimit: any RecorderStatement
    private let counting: any RecorderStatement
    private let flooding: any RecorderStatement
    private let connection: any RecorderConnection
    private let maximumRows: Int
    private var gate = NotificationGate()
    /// When notifications of a vehicle were dropped last.
    private var drops: [NotificationGate.Key: Timestamp] = [:]
    /// The floods that are not in the log.
    private var newFloods: [NotificationFlood] = []

    init(_ connection: any RecorderConnection, maximumRows: Int) throws(DatabaseFailure) {
        (self.connection, self.maximumRows) = (connection, maximumRows)
        insertion = try connection.prepare(
            """
            INSERT INTO notifications (rule, vehicle, payload, created_time, attempts, attempt_time)
            VALUES (?1, ?2, ?3, ?4, 0, ?4)
            """)
        removalOfVehicle = try connection.prepare(
            """
            DELETE FROM notifications WHERE rule = ?1 AND vehicle = ?2 AND id <= (
                SELECT id FROM notifications WHERE rule = ?1 AND vehicle = ?2 ORDER BY id DESC
                LIMIT 1 OFFSET \(NotificationGate.burst))
            """)
        waiting = try connection.prepare("SELECT count(*) FROM notifications WHERE rule = ?1")
        busiest = try connection.prepare(
            """
            SELECT vehicle FROM notifications WHERE rule = ?1 GROUP BY vehicle
            ORDER BY count(*) DESC, min(id) LIMIT 1
            """)
        removalOfOldest = try connection.prepare(
            """
            DELETE FROM notifications
            WHERE id = (SELECT min(id) FROM notifications WHERE rule = ?1 AND vehicle = ?2)
            """)
        // The oldest one of the next vehicle. The others of a vehicle wait for it, so that their order is kept.
        selection = try connection.prepare(
            """
            SELECT id, rule, vehicle, payload, attempts, created_time,
                (SELECT time_zone FROM vehicles WHERE vehicles.id = notifications.vehicle)
            FROM notifications
            WHERE id IN (SELECT min(id) FROM notifications WHERE rule = ?3 GROUP BY vehicle)
                AND (attempt_time <= ?1 OR attempt_time > ?2)
            ORDER BY CASE WHEN vehicle > ?4 THEN 0 ELSE 1 END, vehicle LIMIT 1
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
        flooding = try connection.prepare(
            """
            INSERT INTO notification_floods (rule, vehicle, dropped, last_time) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (rule, vehicle) DO UPDATE SET dropped = notification_floods.dropped + excluded.dropped,
                last_time = excluded.last_time
            """)
    }

    /// Begins with a new set of rules: drops the notifications of others, and lets all targets be tried at once. Its
    /// caller has begun a transaction.
    func begin(_ rules: [Rule]) throws(DatabaseFailure) {
        let stored = try connection.prepare("SELECT DISTINCT rule FROM notifications").rows { $0.text(0) }
        let names = Set(rules.map(\.name))
        for rule in stored where !names.contains(rule) {
            let count = try connection.prepare("DELETE FROM notifications WHERE rule = ?1").run(.text(rule))
            try add(rule, dropped: count)
        }
        try connection.prepare("UPDATE notifications SET attempt_time = ?1").run(.time(.now))
    }

    /// Stores notifications. What is beyond a limit is dropped, and counted for its vehicle: the newest ones beyond the
    /// rate of a vehicle, the oldest ones of a vehicle of which too many wait, and the oldest ones of the vehicle with
    /// most of them if too many of the rule wait.
    func insert(_ notifications: [RuleNotification]) throws(DatabaseFailure) {
        var dropped: [NotificationGate.Key: (count: Int, fleet: String, device: String)] = [:]
        for notification in notifications {
            let (fleet, device, vehicle) = (notification.fleet, notification.device, notification.vehicleKey)
            let key = NotificationGate.Key(rule: notification.rule, vehicle: vehicle)
            guard gate.admit(key, atUptimeMilliseconds: BootClock.milliseconds) else {
                dropped[key, default: (0, fleet, device)].count += 1
                continue
            }
            guard let payload = try? JSONCoder.bytes(of: notification.bounded) else { continue }
            let rule = SQLValue.text(notification.rule)
            try insertion.run(
                rule, .integer(vehicle), .text(String(decoding: payload, as: UTF8.self)), .time(.now))
            let removed = try removalOfVehicle.run(rule, .integer(vehicle))
            if removed > 0 { dropped[key, default: (0, fleet, device)].count += removed }
            try removeBeyondLimit(of: notification.rule)
        }
        for (key, drop) in dropped { try note(drop.count, of: key, fleet: drop.fleet, device: drop.device) }
    }

    private func removeBeyondLimit(of rule: String) throws(DatabaseFailure) {
        while try waiting.firstInteger(.text(rule)) ?? 0 > maximumRows {
            guard let vehicle = try busiest.firstInteger(.text(rule)) else { return }
            try removalOfOldest.run(.text(rule), .integer(vehicle))
            try flooding.run(.text(rule), .integer(vehicle), .integer(1), .time(.now))
            try add(rule, dropped: 1)
        }
    }

    /// Counts dropped notifications of a vehicle.
    private func note(
        _ count: Int, of key: NotificationGate.Key, fleet: String, device: String
    ) throws(DatabaseFailure) {
        let now = Timestamp.now
        try add(key.rule, dropped: count)
        try flooding.run(.text(key.rule), .integer(key.vehicle), .integer(Int64(count)), .time(now))
        let isNew = drops[key].map { now.seconds(since: $0) > Self.floodSeconds } ?? true
        drops[key] = now
        if drops.count > 10_000 { drops.removeAll() }
        if isNew, newFloods.count < 100 {
            newFloods.append(NotificationFlood(rule: key.rule, fleet: fleet, device: device, dropped: count, last: nil))
        }
    }

    package func takeNewFloods() -> [NotificationFlood] {
        defer { newFloods.removeAll() }
        return newFloods
    }

    package func due(after turns: [String: Int64]) throws(DatabaseFailure) -> [PendingNotification] {
        var due: [PendingNotification] = []
        for (rule, vehicle) in turns {
            if let next = try self.due(of: rule, after: vehicle, at: .now) { due.append(next) }
        }
        return due
    }

    /// Returns the next notification of a rule that is due.
    /// - Parameter vehicle: The vehicle that had the last turn.
    private func due(
        of rule: String, after vehicle: Int64, at time: Timestamp
    ) throws(DatabaseFailure) -> PendingNotification? {
        // A time that is far ahead is from a clock that was set back.
        let implausible = time.advanced(bySeconds: Self.longestDelaySeconds)
        return try selection.first(
            .time(time), .time(implausible), .text(rule), .integer(vehicle)
        ) { row -> PendingNotification? in
            let created = row.time(5).flatMap { Timestamp(iso8601: $0) } ?? time
            return PendingNotification(
                key: row.integer(0), rule: row.text(1) ?? "", vehicle: row.integer(2), payload: row.text(3) ?? "",
                attempts: Int(row.integer(4)), created: created, timeZone: row.text(6))
        }
    }

    package func note(
        _ result: DeliveryResult, of notification: PendingNotification, delaySeconds: Double
    ) throws(DatabaseFailure) {
        try connection.transaction { () throws(DatabaseFailure) in
            try note(result, of: notification, next: Timestamp.now.advanced(bySeconds: delaySeconds))
        }
    }

    /// Stores what became of an attempt.
    /// - Parameter next: The earliest time of the next attempt, if this one failed.
    private func note(
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
