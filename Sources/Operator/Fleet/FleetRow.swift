import Odograph
import CivilTime
import Wire

/// What an operator wants to know of a vehicle at a glance.
public struct FleetRow: Hashable, Sendable {
    /// Whether it is there.
    public enum Presence: String, Hashable, Sendable {
        /// It is connected.
        case online
        /// Its connection was lost: it is silent since it was last heard.
        case silent
        /// It was stopped, and said so.
        case stopped
        /// It never said anything of itself.
        case unknown
    }

    /// What is most wrong with a configuration, or nothing; the worst first.
    public enum Configuration: String, Hashable, Sendable, CaseIterable {
        /// A document is refused.
        case refused
        /// A document has not arrived.
        case behind
        /// The broker lacks a document that the vehicle goes on with.
        case unretained
        /// The vehicle has never reported.
        case unknown
        /// All is in force.
        case inForce = "in_force"
    }

    /// The vehicle.
    public let name: String
    /// Whether it is there.
    public let presence: Presence
    /// Since when: the connection, the farewell, or the last sign of life.
    public let since: Timestamp?
    /// The time of the newest position that the broker holds.
    public let positionAt: Timestamp?
    /// How it stands to the documents that concern it, the weakest level first.
    public let levels: [FleetLevelStatus]
    /// The worst of them.
    public let configuration: Configuration
    /// Whether, and how, it tracks; nil where it never said.
    public let tracking: String?
    /// Records that waited in it when it reported; nil where it never did.
    public let queueDepth: Int?
    /// When it reported.
    public let reportedAt: Timestamp?
    /// What is wrong with it, by its own account.
    public let problems: [Problem]

    init(_ name: String, _ vehicle: FleetClient.Vehicle, desired: [String: DesiredDocument]) {
        self.name = name
        let (status, report) = (vehicle.status, vehicle.report)
        let heard = [status?.timestamp, report?.timestamp, vehicle.positionAt].compactMap { $0 }.max()
        switch status {
        case nil: (presence, since) = (.unknown, heard)
        case let status? where status.state == .online: (presence, since) = (.online, status.timestamp)
        case let status? where status.reason == "stopped": (presence, since) = (.stopped, status.timestamp)
        // The will was written as the connection began.
        default: (presence, since) = (.silent, heard)
        }
        positionAt = vehicle.positionAt
        levels = Self.levels(of: name, report, desired)
        let states = Set(levels.map(\.state))
        configuration =
            states.contains(.refused) || report?.errors.isEmpty == false
            ? .refused
            : report == nil
                ? .unknown
                : states.contains(.behind) ? .behind : states.contains(.unretained) ? .unretained : .inForce
        tracking = report.map(Self.tracking)
        queueDepth = report?.queue.depth
        reportedAt = report?.timestamp
        problems = status?.problems ?? []
    }

    private static func levels(
        of name: String, _ report: ReportedMessage?, _ desired: [String: DesiredDocument]
    ) -> [FleetLevelStatus] {
        let told = report?.levels ?? []
        // A vehicle that says nothing of its groups may still have told of their documents.
        let groups =
            report?.groups.map { $0.map { "group:\($0)" } } ?? told.map(\.level).filter { $0.hasPrefix("group:") }
        return (["all"] + groups + [name]).compactMap { level in
            FleetLevelStatus(level, desired: desired[level], reported: told.first { $0.level == level })
        }
    }

    private static func tracking(_ report: ReportedMessage) -> String {
        if !report.tracking.isEnabled { return "disabled" }
        if report.withinSchedule { return report.isTimeUnknown == true ? "on, time unknown" : "on" }
        return "off schedule (\(report.tracking.offSchedule ?? "stop"))"
    }

    /// Whether somebody should look at it, the most pressing the lowest.
    var attentionRank: Int {
        if configuration == .refused { return 0 }
        if !problems.isEmpty { return 1 }
        if configuration != .inForce { return 2 }
        return presence == .online ? 4 : 3
    }
}
