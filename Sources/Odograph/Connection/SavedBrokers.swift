import OdographJSON
import OdographLink
import OdographStore

/// The brokers that a configuration document set and that the agent has proved. A restart connects to them.
struct SavedBrokers: Hashable, Codable {
    /// The brokers of the local file at the time of the move. After a change of the file, the file counts again.
    var file: [String]
    /// The brokers in force.
    var inForce: [String]

    private enum CodingKeys: String, CodingKey {
        case file
        case inForce = "in_force"
    }

    init(file: [BrokerURL], inForce: [BrokerURL]) {
        self.file = file.map(\.description)
        self.inForce = inForce.map(\.description)
    }

    /// Returns the brokers of the first connection after a start.
    /// - Parameter saved: What was saved; nil for nothing.
    static func brokers(_ saved: SavedBrokers?, file: [BrokerURL]) -> [BrokerURL] {
        guard let saved, saved.file == file.map(\.description) else { return file }
        let brokers = saved.inForce.compactMap { try? BrokerURL($0) }
        return brokers.isEmpty || brokers.count != saved.inForce.count ? file : brokers
    }
}
