public import Logging

/// The result of reading the configuration again while the agent runs.
public struct ReloadOutcome: Hashable, Sendable {
    /// The changed keys that are in force now.
    public var applied: [String]
    /// The changed keys that take effect after a restart.
    public var pendingRestart: [String]
    /// Whether the rules of a time zone have changed on the disk, and are in force now.
    public var hasNewZoneRules = false
    /// The log level from now on.
    public var logLevel: Logger.Level

    /// - Parameters:
    ///   - new: The configuration of the file.
    ///   - old: The configuration in force.
    init(of new: AgentConfiguration, over old: AgentConfiguration) {
        func keys(_ differs: [(key: String, Bool)]) -> [String] { differs.filter(\.1).map(\.key) }
        applied = keys([
            ("tracking", new.trackingDocument != old.trackingDocument),
            ("privacy", new.isPrivacyLocked != old.isPrivacyLocked), ("log", new.logLevel != old.logLevel),
        ])
        pendingRestart = keys([
            ("root", new.address.root != old.address.root), ("fleet", new.address.fleet != old.address.fleet),
            ("device", new.address.device != old.address.device), ("groups", new.groups != old.groups),
            ("broker", new.broker != old.broker), ("source", new.source != old.source),
            ("certificate", new.certificateRenewDays != old.certificateRenewDays),
            ("vehicle", new.vehicle != old.vehicle),
            ("store", new.store != old.store), ("control", new.controlPath != old.controlPath),
        ])
        logLevel = new.logLevel
    }

    /// The changed keys as text for the log.
    public var summary: String {
        let effects = applied + (hasNewZoneRules ? ["the new rules of the time zone"] : [])
        let taken = effects.isEmpty ? nil : "in force: \(effects.joined(separator: ", "))"
        let left = pendingRestart.isEmpty ? nil : "needs a restart: \(pendingRestart.joined(separator: ", "))"
        let parts = [taken, left].compactMap { $0 }
        return parts.isEmpty ? "no change" : parts.joined(separator: "; ")
    }
}
