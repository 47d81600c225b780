import Odograph
import OdographCivilTime
import OdographWire

/// The state of a vehicle for the operator.
public struct FleetRow: Hashable, Sendable {
    /// The connection state of a vehicle.
    public enum Presence: String, Hashable, Sendable {
        /// The vehicle is connected.
        case online
        /// The connection was lost.
        case silent
        /// The agent was stopped, and disconnected in order.
        case stopped
        /// No status is known.
        case unknown
    }

    /// The worst state of a vehicle's configurations and geofences. The cases are in descending severity.
    public enum Configuration: String, Hashable, Sendable, CaseIterable {
        /// A configuration, or a geofence, is refused.
        case refused
        /// A document has not arrived.
        case behind
        /// The vehicle uses a document that the broker does not retain.
        case unretained
        /// The vehicle has never reported.
        case unknown
        /// All documents are in force.
        case inForce = "in_force"
    }

    /// The name of the vehicle.
    public let name: String
    /// The connection state.
    public let presence: Presence
    /// The time of the connect or disconnect message if the vehicle is online or stopped, else of the last message.
    public let since: Timestamp?
    /// The version of the agent in the newer of status and report; nil if there is neither.
    public let agentVersion: String?
    /// The time of the newest position from the broker.
    public let positionAt: Timestamp?
    /// The state of the vehicle's documents, in ascending priority of their levels.
    public let levels: [FleetLevelStatus]
    /// The worst state of the documents.
    public let configuration: Configuration
    /// A description of the tracking state; nil if the vehicle has never reported.
    public let tracking: String?
    /// The number of undelivered records at the last report, or when the agent was stopped; nil if neither is known.
    public let queueDepth: Int?
    /// The time of ``queueDepth``.
    public let queueAt: Timestamp?
    /// The traffic budget at the last report or status; nil if the vehicle has none, or has never reported.
    public let budget: BudgetState?
    /// The ends of the vehicle's certificates at the last report; nil if it has none, or has never reported.
    public let certificates: CertificateEnds?
    /// The time of the last report.
    public let reportedAt: Timestamp?
    /// The problems that the vehicle reports.
    public let problems: [Problem]
    /// The errors that the vehicle reports in configurations and geofences.
    public let errors: [DocumentError]
    /// The groups that the vehicle reports, and those whose documents it reports.
    public let groups: Set<String>

    init(_ name: String, _ vehicle: FleetClient.Vehicle, desired: [String: DesiredDocument]) {
        self.name = name
        let (status, report) = (vehicle.status, vehicle.report)
        errors = report?.documentErrors ?? []
        groups = vehicle.groups
        let heard = [status?.timestamp, report?.timestamp, vehicle.positionAt].compactMap { $0 }.max()
        switch status {
        case nil: (presence, since) = (.unknown, heard)
        case let status? where status.state == .online: (presence, since) = (.online, status.timestamp)
        case let status? where status.reason == .stopped: (presence, since) = (.stopped, status.timestamp)
        // The time in a last will is that of the connection, not of its loss.
        default: (presence, since) = (.silent, heard)
        }
        agentVersion = vehicle.agentVersion
        positionAt = vehicle.positionAt
        levels = Self.levels(of: name, report, desired)
        let states = Set(levels.map(\.state))
        configuration =
            states.contains(.refused) || !errors.isEmpty
            ? .refused
            : report == nil
                ? .unknown
                : states.contains(.behind) ? .behind : states.contains(.unretained) ? .unretained : .inForce
        tracking = report.map(Self.tracking)
        // A status is newer while the vehicle is connected, and a last will has no budget. Only the status of a stop
        // has a queue.
        if vehicle.isStatusNewer, let status, let queue = status.queue {
            (queueDepth, queueAt) = (queue.depth, status.timestamp)
        } else {
            (queueDepth, queueAt) = (report?.queue.depth, report?.timestamp)
        }
        budget = vehicle.isStatusNewer ? status?.budget ?? report?.budget : report?.budget ?? status?.budget
        certificates = report?.certificates
        reportedAt = report?.timestamp
        problems = status?.problems ?? []
    }

    private static func levels(
        of name: String, _ report: ReportedMessage?, _ desired: [String: DesiredDocument]
    ) -> [FleetLevelStatus] {
        let told = report?.levels ?? []
        let groups = (report?.groups ?? []).map { "group:\($0)" }
        return (["all"] + groups + [name, "\(name)/program"]).compactMap { level in
            FleetLevelStatus(level, desired: desired[level], reported: told.first { $0.level == level })
        }
    }

    private static func tracking(_ report: ReportedMessage) -> String {
        if !report.tracking.isEnabled { return "disabled" }
        if report.withinSchedule { return report.isTimeUnknown == true ? "on, time unknown" : "on" }
        return "off schedule (\(report.tracking.offSchedule ?? .stop))"
    }

    /// The sort rank at a time: the lower, the more urgently the vehicle needs attention.
    func attentionRank(at now: Timestamp) -> Int {
        if configuration == .refused { return 0 }
        if !problems.isEmpty || certificates?.attention(at: now) != nil { return 1 }
        if configuration != .inForce { return 2 }
        return presence == .online ? 4 : 3
    }
}
