import Glibc
import OdographThreads

/// A server of RabbitMQ with its plugin for MQTT 3.1.1, in a folder of its own.
public final class RabbitMQBroker: InterruptibleBroker {
    /// The ports on 127.0.0.1, one for each server.
    public let ports: [UInt16]
    private let folder: TemporaryFolder
    private let environment: [String: String]
    /// Finds the ports of Erlang's nodes. The server would start one that stays.
    private let portMapper: ChildProcess
    private let process: Lock<ChildProcess?>

    /// Starts the server, and waits until it accepts clients.
    public init() async throws {
        folder = try TemporaryFolder()
        let (port, mapperPort) = (try FreePort.next(), try FreePort.next())
        ports = [port]
        try folder.write(
            """
            listeners.tcp = none
            mqtt.listeners.tcp.1 = 127.0.0.1:\(port)
            mqtt.allow_anonymous = true

            """, to: "rabbitmq.conf")
        try folder.write("[rabbitmq_mqtt].\n", to: "plugins")
        environment = [
            "HOME": folder.path, "ERL_EPMD_PORT": "\(mapperPort)", "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": "node\(port)@localhost", "RABBITMQ_DIST_PORT": "\(try FreePort.next())",
            "RABBITMQ_CONFIG_FILE": folder.file("rabbitmq"), "RABBITMQ_ENABLED_PLUGINS_FILE": folder.file("plugins"),
            "RABBITMQ_MNESIA_BASE": folder.file("data"), "RABBITMQ_LOG_BASE": folder.file("log"),
            "RABBITMQ_LOGS": "-",
        ]
        portMapper = try ServerProgram.start("epmd", [], environment: environment)
        process = Lock(nil)
        try await begin()
    }

    deinit { if let server = process.withLock({ $0 }) { kill(-server.identifier, SIGKILL) } }

    /// Kills a server with SIGKILL, and starts it again.
    public func interrupt(_ part: Int) async throws {
        if let server = process.withLock({ $0 }) {
            // The script has become the server, whose helpers are in its group.
            kill(-server.identifier, SIGKILL)
            server.send(SIGKILL)
            try await server.wait()
            // The port is served for as long as the helpers end, which the next start must not take for its own.
            let isDown = try await eventually { FreePort.isServed(ports[0]) ? nil : true }
            guard isDown != nil else { throw HarnessError("a killed RabbitMQ still listens") }
        }
        try await begin()
    }

    private func begin() async throws {
        // A group of its own, so that the helpers end with the server.
        let server = try ServerProgram.start(
            "setsid", ["/usr/lib/rabbitmq/bin/rabbitmq-server"], environment: environment)
        process.withLock { $0 = server }
        // The start needs ten seconds of a processor, which on a busy machine are many minutes.
        let isUp = try await eventually(within: 1800) { () -> Bool? in
            if server.poll() != nil { throw HarnessError("RabbitMQ ended: \(server.output) \(server.errors)") }
            return FreePort.isServed(ports[0]) ? true : nil
        }
        guard isUp != nil else { throw HarnessError("RabbitMQ does not listen: \(server.output)") }
    }
}
