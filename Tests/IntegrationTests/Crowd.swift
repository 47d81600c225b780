import FoundationEssentials
import OdographHarness

/// Many connections of one login, made by `Tests/Broker/crowd`.
struct Crowd {
    /// The results of the connections.
    struct Outcome: Decodable {
        /// The number of connections that the broker accepted.
        var accepted: Int
        /// The numbers of connections that the broker refused, by its reason code.
        var refused: [String: Int]
        /// The number of connections that the broker closed without an answer.
        var closed: Int
        /// The number of connections that the broker closed later.
        var cut: Int
        /// The number of connections that resumed an existing session.
        var resumed: Int
        /// The number of received messages.
        var messages: Int
        /// The number of refused subscriptions.
        var denied: Int
        /// The topics on which the broker accepted a message.
        var published: [String]
        /// The number of acknowledged messages of a flood.
        var acknowledged: Int
    }

    /// The arguments for the broker's address and the login.
    var access: [String]
    /// The client id; `{n}` is the number of the connection.
    var id: String
    var count = 1
    var kinds = ["clean", "persistent", "clean5", "persistent5", "fresh5"]
    var subscriptions: [String] = []
    /// The topics on which each connection publishes a message of QoS 1, with its client id as payload. MQTT 5 only.
    var publications: [String] = []
    /// The topic on which each connection publishes the numbers from 1 on, without a wait for an acknowledgement.
    var flood: String?
    var floodCount = 60_000
    /// The topic of a last will with the payload `gone`.
    var will: String?
    var isAbandoned = false

    private var arguments: [String] {
        var arguments = access + ["--id", id, "--count", "\(count)"]
        for kind in kinds { arguments += ["--kind", kind] }
        for topic in subscriptions { arguments += ["--subscribe", topic] }
        for topic in publications { arguments += ["--publish", topic] }
        if let flood { arguments += ["--flood", flood, "--flood-count", "\(floodCount)"] }
        if let will { arguments += ["--will", will] }
        if isAbandoned { arguments.append("--abandon") }
        return arguments
    }

    /// Makes the connections and holds them open without reading, until the child process ends.
    func hold() throws -> ChildProcess { try ChildProcess(BrokerOperator.crowd, arguments + ["--deaf"]) }

    /// Returns the results of held connections; nil until all were tried.
    func outcome(of held: ChildProcess) throws -> Outcome? {
        guard held.output.hasSuffix("\n") else { return nil }
        return try JSONDecoder().decode(Outcome.self, from: Data(held.output.utf8))
    }

    /// Makes the connections one after the other.
    func run() async throws -> Outcome {
        let (ending, output, errors) = try await ChildProcess.run(BrokerOperator.crowd, arguments, seconds: 1200)
        guard ending == .exited(0) else { throw HarnessError("crowd \(arguments): \(errors)") }
        return try JSONDecoder().decode(Outcome.self, from: Data(output.utf8))
    }
}

extension SecuredBroker {
    /// A listener of the broker.
    enum Listener: CaseIterable {
        case vehicles, people, page
    }

    /// Resumes the session of a client id until enough messages have arrived or the time is over.
    /// - Returns: The number of received messages.
    func drain(_ id: String, as person: String, atLeast count: Int) async throws -> Int {
        let child = try ChildProcess(
            "stdbuf",
            ["-oL", "mosquitto_sub"] + arguments(.person(person)) + [
                "-i", id, "-c", "-x", "3600", "-t", "fleet/#", "-F", "%t",
            ])
        // Pending messages are sent only to a client that reads. Only a pipe of lines slows this client down.
        _ = try await eventually { child.output.utf8.count { $0 == 10 } >= count ? true : nil }
        return child.output.utf8.count { $0 == 10 }
    }

    /// Returns the arguments of a crowd for a listener. The listener refuses a login that it does not know.
    func access(_ client: Client, at listener: Listener) -> [String] {
        var arguments: [String] =
            switch listener {
            case .vehicles: ["--port", "\(vehiclesPort)", "--ca", folder.file("fleet/broker/ca.crt")]
            case .people: ["--port", "\(peoplePort)", "--ca", folder.file("fleet/broker/ca.crt")]
            case .page: ["--port", "\(socketPort)", "--websockets"]
            }
        switch client {
        case .vehicle(let name):
            if listener != .page {
                arguments += ["--cert", vehicle(name) + "/\(name).crt", "--key"]
                arguments.append(vehicle(name) + "/credentials/\(name).key")
            }
        case .person(let name): arguments += ["--user", name, "--password", Self.password]
        }
        return arguments
    }
}
