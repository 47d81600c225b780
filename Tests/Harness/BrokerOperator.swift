/// An operator that uses the tools of Mosquitto.
public struct BrokerOperator: Sendable {
    /// The port of the broker, on 127.0.0.1.
    public let port: UInt16

    /// - Parameter port: The port of the broker, on 127.0.0.1.
    public init(port: UInt16) { self.port = port }

    /// Publishes a message and waits until the broker has received it.
    public func publish(_ payload: String, to topic: String, isRetained: Bool = true) async throws {
        var arguments = ["-p", "\(port)", "-q", "1", "-t", topic, isRetained ? "-r" : "-i", isRetained ? "-i" : "desk"]
        if isRetained { arguments.append("desk") }
        if payload.isEmpty { arguments.append("-n") } else { arguments.append("-s") }
        let (ending, _, errors) = try await ChildProcess.run("mosquitto_pub", arguments, input: payload)
        guard ending == .exited(0) else { throw HarnessError("mosquitto_pub: \(errors)") }
    }

    /// The program that makes many connections, or publishes many messages over one.
    public static let crowd = Corpora.projectRoot + "/Tests/Broker/crowd"

    /// Publishes each line as a message, as fast as possible.
    public func flood(_ lines: [String], to topic: String, isRetained: Bool = true) async throws {
        try await Self.flood(lines, to: topic, isRetained: isRetained, access: ["--port", "\(port)"])
    }

    /// Publishes each line as a message, and waits for all acknowledgements. `mosquitto_pub -l` of Mosquitto 2.1 would
    /// lose some.
    /// - Parameter access: The arguments of ``crowd`` for the broker's address and the login.
    public static func flood(_ lines: [String], to topic: String, isRetained: Bool, access: [String]) async throws {
        var arguments = access + ["--id", "flood", "--kind", "clean", "--flood", topic, "--flood-lines"]
        if isRetained { arguments.append("--retain") }
        let (_, output, errors) = try await ChildProcess.run(
            crowd, arguments, input: lines.joined(separator: "\n") + "\n", seconds: 600)
        guard output.contains("\"acknowledged\": \(lines.count)}") else {
            throw HarnessError("crowd: \(output)\(errors)")
        }
    }
}
