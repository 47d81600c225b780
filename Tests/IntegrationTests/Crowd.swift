import FoundationEssentials
import Harness

/// Many connections of one login, made by `Tests/Broker/crowd`.
struct Crowd {
    /// What came of them.
    struct Outcome: Decodable {
        /// How many the broker accepted.
        var accepted: Int
        /// How many it refused, by the code of its answer.
        var refused: [String: Int]
        /// How many it closed without an answer.
        var closed: Int
        /// How many it closed later.
        var cut: Int
        /// How many took up a session that was there.
        var resumed: Int
        /// How many messages the broker had for them.
        var messages: Int
        /// How many subscriptions it refused.
        var denied: Int
    }

    static let path = Corpora.projectRoot + "/Tests/Broker/crowd"

    /// How to reach the broker and how to log in, as arguments.
    var access: [String]
    /// The client id; `{n}` is the number of the connection.
    var id: String
    var count: Int
    var kinds = ["clean", "persistent", "clean5", "persistent5", "fresh5"]
    var subscriptions: [String] = []
    var isAbandoned = false

    private var arguments: [String] {
        access + ["--id", id, "--count", "\(count)"] + kinds.flatMap { ["--kind", $0] }
            + subscriptions.flatMap { ["--subscribe", $0] } + (isAbandoned ? ["--abandon"] : [])
    }

    /// Makes the connections and holds them open without reading, until the child ends.
    func hold() throws -> ChildProcess { try ChildProcess(Self.path, arguments + ["--deaf"]) }

    /// What came of connections that are held; nil until all were tried.
    func outcome(of held: ChildProcess) throws -> Outcome? {
        guard held.output.hasSuffix("\n") else { return nil }
        return try JSONDecoder().decode(Outcome.self, from: Data(held.output.utf8))
    }

    /// Makes the connections one after the other.
    func run() async throws -> Outcome {
        let (ending, output, errors) = try await ChildProcess.run(Self.path, arguments, seconds: 1200)
        guard ending == .exited(0) else { throw HarnessError("crowd \(arguments): \(errors)") }
        return try JSONDecoder().decode(Outcome.self, from: Data(output.utf8))
    }
}

extension SecuredBroker {
    /// A listener of the broker.
    enum Listener: CaseIterable {
        case vehicles, people, page
    }

    /// Takes up the session of a client id by a login, until so many messages have come or none comes for a while.
    /// - Returns: how many came.
    func drain(_ id: String, as person: String, atLeast count: Int) async throws -> Int {
        let child = try ChildProcess(
            "stdbuf",
            ["-oL", "mosquitto_sub"] + arguments(.person(person)) + [
                "-i", id, "-c", "-x", "3600", "-t", "fleet/#", "-F", "%t",
            ])
        // What is under way waits for a client that reads: a pipe of lines is all that slows it down.
        _ = try await eventually(within: 120) { child.output.utf8.count { $0 == 10 } >= count ? true : nil }
        return child.output.utf8.count { $0 == 10 }
    }

    /// How a crowd reaches a listener; a login that the listener does not know is refused there.
    func access(_ client: Client, at listener: Listener) -> [String] {
        var arguments: [String] =
            switch listener {
            case .vehicles: ["--port", "\(vehiclesPort)", "--ca", folder.file("fleet/broker/ca.crt")]
            case .people: ["--port", "\(peoplePort)", "--ca", folder.file("fleet/broker/ca.crt")]
            case .page: ["--port", "\(pagePort)", "--websockets"]
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
