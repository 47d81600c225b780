import Odograph
import Wire

/// How a vehicle stands to the document of a level.
public struct FleetLevelStatus: Hashable, Sendable {
    /// What came of the document.
    public enum State: String, Hashable, Sendable {
        /// It is in force.
        case inForce = "in_force"
        /// The vehicle has not said that it has it.
        case behind
        /// The vehicle does not take it; `reported` says why.
        case refused
        /// The vehicle goes on with a document that the broker no longer holds.
        case unretained
    }

    /// `all`, `group:<name>`, or the vehicle's name.
    public var level: String
    /// What came of the document.
    public var state: State
    /// What is in force of the level: a version, else the beginning of a hash; nil for nothing.
    public var inForce: String?
    /// What ought to be, in the same way; nil where the broker holds nothing.
    public var desired: String?

    /// - Returns: nil where neither the broker nor the vehicle knows of the level.
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
        if let desired {
            state = desired.hash != reported.hash ? .behind : reported.isApplied ? .inForce : .refused
        } else {
            state = .unretained
        }
    }

    /// A document as a person tells it from others.
    static func documentName(_ version: String?, _ hash: String) -> String {
        version ?? (hash.isEmpty ? "?" : "#" + hash.prefix(7))
    }

    /// `van-7 12`, `van-7 12 → 13`.
    public var label: String {
        switch state {
        case .inForce: "\(level) \(inForce ?? "")"
        case .behind: "\(level) \(inForce.map { "\($0) " } ?? "")→ \(desired ?? "")"
        case .refused: "\(level) \(desired ?? "") refused" + (inForce.map { ", \($0) holds" } ?? "")
        case .unretained: "\(level) \(inForce ?? "none"), not at the broker"
        }
    }
}
