/// The names that identify a person in the topics of questions and answers about the past:
/// `<root>/history:<fleet>/<person>`.
///
/// The topics are not below `<root>/<fleet>/`. Access rules such as `<root>/<fleet>/#`, which brokers have for live
/// positions, therefore do not contain them: such a rule does not show a person the questions of another one. A fleet
/// cannot have a name with a colon.
package struct HistoryAddress: Hashable, Sendable {
    /// The first part of every topic.
    package let root: String
    /// The fleet's name.
    package let fleet: String
    /// The login of the person at the broker.
    package let person: String

    /// Creates an address.
    /// - Throws: ``TopicNameError`` if a part is not a valid name.
    package init(root: String = "fleet", fleet: String, person: String) throws(TopicNameError) {
        self.root = try DeviceAddress.validated(root, part: "root")
        self.fleet = try DeviceAddress.validated(fleet, part: "fleet")
        self.person = try DeviceAddress.validated(person, part: "person")
    }

    /// Returns the topic of a request, `fleet/history:acme/ann/request/q1`.
    package func requestTopic(_ id: String) -> String { "\(folder)/request/\(id)" }

    /// Returns the topic of the answer to a request, `fleet/history:acme/ann/answer/q1`.
    package func answerTopic(_ id: String) -> String { "\(folder)/answer/\(id)" }

    /// Returns whether a topic is one for answers to this person.
    package func isAnswerTopic(_ topic: String) -> Bool {
        let prefix = answerTopic("")
        guard topic.hasPrefix(prefix) else { return false }
        return (try? DeviceAddress.validated(String(topic.dropFirst(prefix.count)), part: "id")) != nil
    }

    /// Returns the topic filter of the requests of all persons of a fleet.
    package static func requestFilter(root: String, fleet: String) -> String { "\(root)/history:\(fleet)/+/request/+" }

    private var folder: String { "\(root)/history:\(fleet)/\(person)" }
}

/// The meaning of a topic of a request.
package struct HistoryRequestTopic: Hashable, Sendable {
    /// The asking person. The broker's access rules must protect it.
    package let address: HistoryAddress
    /// The identifier of the request, unique for the person.
    package let id: String

    /// Creates the meaning of a topic; nil for a topic that is not of a request.
    /// - Parameters:
    ///   - topic: The topic, `fleet/history:acme/ann/request/q1`.
    ///   - root: The expected first part.
    package init?(_ topic: String, root: String) {
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[1].hasPrefix("history:"),
            let address = try? HistoryAddress(
                root: root, fleet: String(parts[1].dropFirst("history:".count)), person: parts[2]),
            let id = try? DeviceAddress.validated(parts[4], part: "id"), address.requestTopic(id) == topic
        else { return nil }
        self.address = address
        self.id = id
    }
}
