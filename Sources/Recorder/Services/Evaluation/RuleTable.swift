import OdographCivilTime
import OdographJSON
import OdographWire

/// The table `rule_episodes`, and what the rules need of other tables.
final class RuleTable {
    /// The time without a message after which a vehicle's silence is no news, seconds.
    private static let forgottenSeconds = 30 * 86_400.0

    private let connection: any RecorderConnection
    private let insertion: any RecorderStatement
    private let deletion: any RecorderStatement

    init(_ connection: any RecorderConnection) throws(DatabaseFailure) {
        self.connection = connection
        insertion = try connection.prepare(
            """
            INSERT INTO rule_episodes (rule, kind, vehicle, subject, begin_time, mark) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (rule, vehicle, subject) DO UPDATE
            SET kind = excluded.kind, begin_time = excluded.begin_time, mark = excluded.mark
            """)
        deletion = try connection.prepare("DELETE FROM rule_episodes WHERE rule = ?1 AND vehicle = ?2 AND subject = ?3")
    }

    /// Removes the episodes of rules that do not exist any more, or have another kind.
    func removeOthers(than rules: [Rule]) throws(DatabaseFailure) {
        let stored: [[String]] = try connection.prepare("SELECT DISTINCT rule, kind FROM rule_episodes").rows { row in
            [row.text(0) ?? "", row.text(1) ?? ""]
        }
        let removal = try connection.prepare("DELETE FROM rule_episodes WHERE rule = ?1 AND kind = ?2")
        for pair in Set(stored).subtracting(rules.map { [$0.name, $0.condition.kind.rawValue] }) {
            try removal.run(.text(pair[0]), .text(pair[1]))
        }
    }

    /// Returns the stored episodes.
    func episodes() throws(DatabaseFailure) -> [EpisodeKey: Episode] {
        var episodes: [EpisodeKey: Episode] = [:]
        let statement = try connection.prepare("SELECT rule, vehicle, subject, begin_time, mark FROM rule_episodes")
        try statement.forEach { row throws(DatabaseFailure) in
            guard let rule = row.text(0), let begin = row.time(3).flatMap({ Timestamp(iso8601: $0) }) else {
                return true
            }
            let key = EpisodeKey(rule: rule, vehicle: row.integer(1), subject: row.text(2) ?? "")
            episodes[key] = Episode(begin: begin, mark: row.integer(4))
            return true
        }
        return episodes
    }

    /// Stores the changes of episodes.
    func store(_ changes: [EpisodeKey: Episode?], kinds: [String: RuleKind]) throws(DatabaseFailure) {
        for (key, episode) in changes {
            let values: [SQLValue] = [.text(key.rule), .integer(key.vehicle), .text(key.subject)]
            if let episode {
                try insertion.run(
                    values[0], .text(kinds[key.rule]?.rawValue ?? ""), values[1], values[2], .time(episode.begin),
                    .integer(episode.mark))
            } else {
                try deletion.run(values)
            }
        }
    }

    /// Returns what the database says about each vehicle.
    func vehicles(at date: Timestamp) throws(DatabaseFailure) -> [RuleVehicleState] {
        try connection.prepare(
            """
            SELECT vehicles.id, fleet, device, last_seen, state, state_reason, connection, state_time, reported,
                heartbeat_interval, records.is_moving, records.time, problems, status
            FROM vehicles LEFT JOIN latest ON latest.vehicle = vehicles.id AND latest.kind = 'location'
                LEFT JOIN records ON records.vehicle = latest.vehicle AND records.epoch = latest.epoch
                    AND records.seq = latest.seq
            -- Not those of which only imported positions are known.
            WHERE status IS NOT NULL OR reported IS NOT NULL
                OR EXISTS (SELECT 1 FROM runs WHERE runs.vehicle = vehicles.id)
            """
        ).rows { RuleVehicleState($0, at: date, forgottenSeconds: Self.forgottenSeconds) }
    }
}

extension RuleVehicleState {
    /// Creates the state of a vehicle from a row.
    fileprivate init(_ row: any RecorderRow, at date: Timestamp, forgottenSeconds: Double) {
        func time(_ column: Int32) -> Timestamp? { row.time(column).flatMap { Timestamp(iso8601: $0) } }
        self.init(RuleVehicle(key: row.integer(0), fleet: row.text(1) ?? "", device: row.text(2) ?? ""))
        if let seen = time(3) { isForgotten = date.seconds(since: seen) > forgottenSeconds }
        switch (row.text(4), row.text(5)) {
        case ("online", _): presence = .online
        case ("offline", "stopped"): presence = .stopped
        default: presence = .lost
        }
        if !row.isNull(6), let date = time(7) { status = (row.integer(6), date) }
        report = row.text(8).flatMap { try? JSONCoder.decode(ReportFacts.self, from: Array($0.utf8)) }
        if !row.isNull(9) { heartbeatSeconds = HeartbeatInterval.possible(row.real(9)) }
        if !row.isNull(10) { isMoving = row.integer(10) == 1 }
        let problems = row.text(12).flatMap { try? JSONCoder.decode([Problem].self, from: Array($0.utf8)) }
        positionMissingSince = problems?.positionMissingSince.map { min($0, date) }
        newestRecord = time(11).map { min($0, date) }
        if let report { noteBudget(isExhausted: report.isBudgetExhausted, at: report.timestamp, latest: date) }
        // A last will says nothing about the budget.
        let message = row.text(13).flatMap { try? JSONCoder.decode(StatusMessage.self, from: Array($0.utf8)) }
        if let message, presence != .lost {
            noteBudget(isExhausted: message.budget?.step == .exhausted, at: message.timestamp, latest: date)
        }
    }
}
