import Wire

/// The documents that lie beside the records in the database, each by its name there. A name keeps its meaning for ever.
package enum DocumentName {
    /// Root, fleet and device whose database it is.
    package static let owner = "device"
    /// The agent's client id at its broker, behind the address that it belongs to.
    package static let clientID = "client_id"
    /// The number below which those of connections are given away.
    package static let linkSession = "link_session"
    /// The protocol version that worked last with the broker.
    package static let linkProtocol = "link_protocol"
    /// The commands that were answered lately, with their answers.
    package static let answeredCommands = "answered_commands"
    /// What `set_extras` hung on every record.
    package static let commandExtras = "command_extras"

    /// The last good configuration document of a level.
    package static func configuration(of level: DownlinkLevel) -> String { "configuration:\(level.storageName)" }
}

extension DownlinkLevel {
    /// What stands for a level on the disk: the device's own name may change.
    package var storageName: String {
        switch self {
        case .all: "all"
        case .group(let name): "group:\(name)"
        case .device: "device"
        }
    }
}
