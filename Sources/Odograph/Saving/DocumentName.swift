import OdographWire

/// The names of the documents in the database. A name keeps its meaning in all versions.
package enum DocumentName {
    /// The root, fleet and device that own the database.
    package static let owner = "device"
    /// The agent's client ID at its broker, with the address that it belongs to.
    package static let clientID = "client_id"
    /// The number below which all connection numbers may be in use.
    package static let linkConnections = "link_connections"
    /// The protocol version that worked last with the broker.
    package static let linkProtocol = "link_protocol"
    /// The brokers that a configuration document set and that were proved, see ``SavedBrokers``.
    package static let brokers = "brokers"
    /// The knowledge about the keep-alive interval.
    package static let linkKeepAlive = "link_keep_alive"
    /// The count of the traffic in the period of the budget.
    package static let linkBudget = "link_budget"
    /// The recently answered commands, with their answers.
    package static let answeredCommands = "answered_commands"
    /// The extras of `set_extras`.
    package static let commandExtras = "command_extras"

    /// The drivers of `set_driver`.
    package static let drivers = "command_drivers"
    /// The tag of `set_tag`, if it is not private; ``PrivateTimeMark`` has a private one.
    package static let programTag = "command_tag"
    /// The signals of `set_signals` that persist.
    package static let programSignals = "command_signals"

    /// Returns the name of a level's last valid configuration document.
    package static func configuration(of level: DownlinkLevel) -> String { "configuration:\(level.storageName)" }
}

extension DownlinkLevel {
    /// The name of a level on the disk. It does not contain the device's name, which may change.
    package var storageName: String {
        switch self {
        case .all: "all"
        case .group(let name): "group:\(name)"
        case .device: "device"
        case .program: "program"
        }
    }
}
