import Wire

/// The names of the documents in the database. A name keeps its meaning in all versions.
enum DocumentName {
    /// The root, fleet and device that own the database.
    static let owner = "device"
    /// The agent's client ID at its broker, with the address that it belongs to.
    static let clientID = "client_id"
    /// The number below which all session numbers may be in use.
    static let linkSession = "link_session"
    /// The protocol version that worked last with the broker.
    static let linkProtocol = "link_protocol"
    /// The recently answered commands, with their answers.
    static let answeredCommands = "answered_commands"
    /// The extras of `set_extras`.
    static let commandExtras = "command_extras"

    /// Returns the name of a level's last valid configuration document.
    static func configuration(of level: DownlinkLevel) -> String { "configuration:\(level.storageName)" }
}

extension DownlinkLevel {
    /// The name of a level on the disk. It does not contain the device's name, which may change.
    var storageName: String {
        switch self {
        case .all: "all"
        case .group(let name): "group:\(name)"
        case .device: "device"
        }
    }
}
