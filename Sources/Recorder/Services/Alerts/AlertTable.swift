import OdographCivilTime
import OdographSettings
import OdographWire

/// The table `alerts`, written in the transactions of the recorder: what the rules find, and the problems of vehicles.
///
/// The limit of a vehicle is its own: one that makes many alerts displaces no alert of another one.
final class AlertTable: BatchObserver {
    /// The number of alerts of a vehicle that are kept.
    static let maximumOfVehicle = 200
    /// The longest text, characters.
    private static let longestText = 500

    private let connection: any RecorderConnection
    private let insertion: any RecorderStatement
    private let removal: any RecorderStatement
    private let ending: any RecorderStatement
    private let openProblems: any RecorderStatement

    init(_ connection: any RecorderConnection) throws(DatabaseFailure) {
        self.connection = connection
        insertion = try connection.prepare(
            """
            INSERT INTO alerts (alert, vehicle, kind, rule, subject, time, is_open, text)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (alert) DO NOTHING
            """)
        removal = try connection.prepare(
            """
            DELETE FROM alerts WHERE vehicle = ?1 AND id <= (
                SELECT id FROM alerts WHERE vehicle = ?1 ORDER BY id DESC LIMIT 1 OFFSET \(Self.maximumOfVehicle))
            """)
        ending = try connection.prepare(
            """
            UPDATE alerts SET is_open = 0, end_time = CASE WHEN time > ?4 THEN time ELSE ?4 END
            WHERE vehicle = ?1 AND rule = ?2 AND subject = ?3 AND is_open = 1
            """)
        openProblems = try connection.prepare(
            "SELECT alert, subject FROM alerts WHERE vehicle = ?1 AND rule IS NULL AND is_open = 1")
    }

    /// Stores the problems that the statuses of a batch state.
    func evaluate(_ changes: StoredChanges) throws(DatabaseFailure) {
        for report in changes.reports {
            guard case .message(let message) = report.entry.content, case .status(let status) = message.content else {
                continue
            }
            try store(status, of: report.vehicle, message.vehicle, received: report.entry.received)
        }
    }

    /// Does nothing: the table keeps nothing in memory.
    func forget() {}

    /// Ends the open alerts of episodes that do not last any more: their rules were removed or changed.
    func endForgotten(at time: Timestamp) throws(DatabaseFailure) {
        try connection.prepare(
            """
            UPDATE alerts SET is_open = 0, end_time = ?1
            WHERE is_open = 1 AND rule IS NOT NULL AND NOT EXISTS (SELECT 1 FROM rule_episodes AS episode
                WHERE episode.rule = alerts.rule AND episode.vehicle = alerts.vehicle
                    AND episode.subject = alerts.subject)
            """
        ).run(.time(time))
    }

    /// Stores what an evaluation of rules found.
    /// - Parameter time: The moment of the evaluation. An alert with a date from a wrong clock begins and ends at it:
    ///   it would stay the newest one, and outlive the retention.
    func store(_ changes: RuleChanges, at time: Timestamp) throws(DatabaseFailure) {
        var vehicles: Set<Int64> = []
        func possible(_ date: Timestamp) -> Timestamp { date.isPossible(receivedAt: time) ? date : time }
        var ends = changes.ends[...]
        func apply(endsBefore count: Int) throws(DatabaseFailure) {
            while let end = ends.first, end.notifications <= count {
                ends.removeFirst()
                try ending.run(
                    .integer(end.key.vehicle), .text(end.key.rule), .text(end.key.subject),
                    .time(possible(end.time ?? time)))
            }
        }
        for (index, notification) in changes.notifications.enumerated() {
            try apply(endsBefore: index)
            guard notification.phase != .end else { continue }
            let key = notification.vehicleKey
            vehicles.insert(key)
            try insert(
                notification.id, vehicle: key, kind: notification.when.rawValue, rule: notification.rule,
                subject: notification.episode, time: possible(notification.time),
                isOpen: notification.phase == .begin, text: notification.text)
        }
        try apply(endsBefore: .max)
        for key in vehicles { try removal.run(.integer(key)) }
    }

    /// Stores the problems of a status, and ends those that it does not have any more. A last will is not the vehicle's
    /// own word, and has none.
    private func store(
        _ status: StatusMessage, of key: Int64, _ address: DeviceAddress, received: Timestamp
    ) throws(DatabaseFailure) {
        guard status.reason != .connectionLost else { return }
        let problems = status.problems ?? []
        var present: Set<String> = []
        for problem in problems {
            let parts = ["problem", address.fleet, address.device, problem.code.rawValue, problem.since.iso8601]
            let identifier = String(SHA256.hexDigest(of: Array(parts.joined(separator: "\n").utf8)).prefix(32))
            present.insert(identifier)
            try insert(
                identifier, vehicle: key, kind: StoredAlert.problemKind, rule: nil, subject: problem.code.rawValue,
                time: min(problem.since, received), isOpen: true, text: problem.text)
        }
        let ended = try openProblems.rows(.integer(key)) { $0.text(0) }.filter { !present.contains($0) }
        guard !problems.isEmpty || !ended.isEmpty else { return }
        let endProblem = try connection.prepare("UPDATE alerts SET is_open = 0, end_time = ?2 WHERE alert = ?1")
        for alert in ended { try endProblem.run(.text(alert), .time(received)) }
        try removal.run(.integer(key))
    }

    private func insert(
        _ identifier: String, vehicle: Int64, kind: String, rule: String?, subject: String, time: Timestamp,
        isOpen: Bool, text: String
    ) throws(DatabaseFailure) {
        try insertion.run(
            .text(identifier), .integer(vehicle), .text(kind), .optional(rule), .text(subject), .time(time),
            .bool(isOpen), .text(String(text.prefix(Self.longestText))))
    }
}
