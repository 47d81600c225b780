import Odograph
import OdographCivilTime
import OdographJSON
import OdographTerminal
import OdographWire

/// A column of the fleet table.
enum FleetColumn: CaseIterable {
    case vehicle, state, agent, position, tracking, queue, budget, configuration, levels, problems, reported

    var title: String {
        switch self {
        case .vehicle: "VEHICLE"
        case .state: "STATE"
        case .agent: "AGENT"
        case .position: "POSITION"
        case .tracking: "TRACKING"
        case .queue: "QUEUE"
        case .budget: "BUDGET"
        case .configuration: "CONFIGURATION"
        case .levels: "DOCUMENTS"
        case .problems: "PROBLEMS"
        case .reported: "REPORTED"
        }
    }

    var alignment: TextColumn.Alignment { self == .queue || self == .budget ? .right : .left }

    /// The order in which columns are dropped for lack of space, the highest first; 0: never.
    var dropOrder: Int {
        switch self {
        case .vehicle, .state, .configuration: 0
        case .problems: 1
        case .queue: 2
        case .position: 3
        case .levels: 4
        case .budget: 5
        case .tracking: 6
        case .agent: 7
        case .reported: 8
        }
    }

    func cell(_ row: FleetRow, _ now: Timestamp) -> String {
        func ago(_ time: Timestamp?) -> String { time.map { Format.duration(seconds: now.seconds(since: $0)) } ?? "" }
        switch self {
        case .vehicle: return row.name
        case .state: return row.presence == .unknown ? "never seen" : "\(row.presence.rawValue) \(ago(row.since))"
        case .agent: return row.agentVersion ?? ""
        case .position: return row.positionAt.map { "\(ago($0)) ago" } ?? ""
        case .tracking: return row.tracking ?? ""
        // The number is that of the last report, which an agent does not repeat for each delivered record, or of the
        // stop.
        case .queue: return row.queueDepth.map { "\(Format.grouped($0)), \(ago(row.queueAt)) ago" } ?? ""
        case .budget: return row.budget.map { "\($0.percent) %" } ?? ""
        case .configuration: return row.configuration.label
        case .levels:
            let refused = row.errors.count { $0.isOfGeofences }
            let geofences = refused == 0 ? [] : ["geofences: \(Format.count(refused, "error", "errors"))"]
            if row.levels.isEmpty, geofences.isEmpty { return row.reportedAt == nil ? "" : "local file only" }
            return (row.levels.map(\.label) + geofences).joined(separator: "; ")
        case .problems:
            let end = row.certificates?.attention(at: now).map {
                "certificate of \($0.name) \($0.end.endText(at: now))"
            }
            return (row.problems.map(\.code.rawValue) + [end].compactMap { $0 }).joined(separator: ", ")
        case .reported: return row.reportedAt.map { "\(ago($0)) ago" } ?? ""
        }
    }
}

extension FleetRow.Configuration {
    /// The name in the table.
    var label: String {
        switch self {
        case .refused: "refused"
        case .behind: "behind"
        case .unretained: "not at broker"
        case .unknown: "unknown"
        case .inForce: "in force"
        }
    }
}

extension FleetRow {
    /// The row as JSON. Unknown values are null.
    var jsonValue: JSONValue {
        let budget: JSONValue = self.budget.flatMap { try? JSONCoder.value(of: $0) } ?? .null
        let ends: JSONValue = certificates.flatMap { try? JSONCoder.value(of: $0) } ?? .null
        return .object([
            "device": .string(name), "state": .string(presence.rawValue), "since": .stringOrNull(since?.iso8601),
            "agent_version": .stringOrNull(agentVersion),
            "position_at": .stringOrNull(positionAt?.iso8601), "tracking": .stringOrNull(tracking),
            "configuration": .string(configuration.rawValue),
            "levels": .array(
                levels.map { level in
                    .object([
                        "level": .string(level.level), "state": .string(level.state.rawValue),
                        "in_force": .stringOrNull(level.inForce), "desired": .stringOrNull(level.desired),
                    ])
                }),
            "errors": .array(errors.map(\.jsonValue)), "groups": .array(groups.sorted().map { .string($0) }),
            "queue": queueDepth.map { .integer(Int64($0)) } ?? .null, "queue_at": .stringOrNull(queueAt?.iso8601),
            "budget": budget, "certificates": ends, "reported_at": .stringOrNull(reportedAt?.iso8601),
            "problems": .array(problems.map { .string($0.code.rawValue) }),
        ])
    }
}
