import Odograph
import OdographWire

/// The state of a level's document in a vehicle.
public struct FleetLevelStatus: Hashable, Sendable {
    /// The state of a document.
    public enum State: String, Hashable, Sendable {
        /// It is in force.
        case inForce = "in_force"
        /// The vehicle has not reported the document.
        case behind
        /// The vehicle refused it. Its report contains the reason.
        case refused
        /// The vehicle uses a document that the broker no longer retains.
        case unretained
    }

    /// The name of the level: `all`, `group:<name>`, the name of the vehicle, or that with `/program` for the settings
    /// of the program that embeds the agent.
    public var level: String
    /// The state of the document.
    public var state: State
    /// The version in force, or else the start of its hash; nil if nothing is in force.
    public var inForce: String?
    /// The version that the broker retains, or else the start of its hash; nil if it retains nothing.
    public var desired: String?

    /// - Returns: nil if neither the broker nor the vehicle has a document of the level.
    init?(_ level: String, desired: DesiredDocument?, reported: ReportedConfigurationLevel?) {
        guard desired != nil || reported != nil else { return nil }
        self.level = level
        self.desired = desired.map { Self.documentName($0.version, $0.hash) }
        guard let reported else {
            state = .behind
            return
        }
        if reported.isApplied {
            inForce = Self.documentName(reported.version, reported.hash)
        } else if let hash = reported.hashInForce {
            inForce = Self.documentName(reported.versionInForce, hash)
        }
        if level.hasSuffix("/program") {
            state = reported.isApplied ? .inForce : .refused
        } else if let desired {
            state = desired.hash != reported.hash ? .behind : reported.isApplied ? .inForce : .refused
        } else {
            state = .unretained
        }
    }

    /// Returns the name of a document: its version, or else the start of its hash.
    static func documentName(_ version: String?, _ hash: String) -> String {
        version ?? (hash.isEmpty ? "?" : "#" + hash.prefix(7))
    }

    /// The state as text: `van-7 12`, `van-7 12 → 13`.
    public var label: String {
        switch state {
        case .inForce: "\(level) \(inForce ?? "")"
        case .behind: "\(level) \(inForce.map { "\($0) " } ?? "")→ \(desired ?? "")"
        case .refused: "\(level) \(desired ?? "") refused" + (inForce.map { ", \($0) in force" } ?? "")
        case .unretained: "\(level) \(inForce ?? "none"), not at the broker"
        }
    }
}
