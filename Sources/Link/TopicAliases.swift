/// The topic aliases of one connection: numbers that stand for the topics of published messages (MQTT 5, 3.3.2.3.4).
///
/// A topic gets an alias when it is used for the second time, so that topics of single messages take none.
struct TopicAliases {
    /// How the topic of a message is sent.
    enum Form: Equatable {
        /// The topic alone.
        case topic
        /// The topic, and the alias that stands for it from now on.
        case definition(UInt16)
        /// The alias alone.
        case alias(UInt16)
    }

    /// The number of topics that are remembered while they have no alias.
    private static let longestMemory = 64

    /// How many aliases the broker accepts. 0 without MQTT 5, or if it accepts none.
    private let maximum: Int
    private var aliases: [String: UInt16] = [:]
    private var usedOnce: Set<String> = []

    /// - Parameter maximum: The broker's `Topic Alias Maximum`.
    init(maximum: Int = 0) { self.maximum = maximum }

    /// Returns how the topic of the next message is sent.
    func form(of topic: String) -> Form {
        if let alias = aliases[topic] { return .alias(alias) }
        guard aliases.count < maximum, usedOnce.contains(topic) else { return .topic }
        return .definition(UInt16(aliases.count + 1))
    }

    /// Notes that a message was sent whose topic had this form.
    mutating func noteSent(_ topic: String, as form: Form) {
        switch form {
        case .alias: break
        case .definition(let alias):
            aliases[topic] = alias
            usedOnce.remove(topic)
        case .topic:
            if aliases.count < maximum, usedOnce.count < Self.longestMemory { usedOnce.insert(topic) }
        }
    }
}
