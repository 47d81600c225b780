import Glibc
import OdographThreads

/// Servers of NATS, each of which keeps all messages and sessions. They serve MQTT 3.1.1.
public final class NATSCluster: InterruptibleBroker {
    /// The ports on 127.0.0.1, one for each server.
    public let ports: [UInt16]
    private let folder: TemporaryFolder
    private let nodes: Lock<[ChildProcess?]>

    /// Starts the servers, and waits until they accept clients.
    /// - Parameter count: The number of servers.
    public init(servers count: Int = 3) async throws {
        folder = try TemporaryFolder()
        ports = try (0..<count).map { _ in try FreePort.next() }
        let routes = try (0..<count).map { _ in try FreePort.next() }
        let known = routes.map { "\"nats-route://127.0.0.1:\($0)\"" }.joined(separator: ", ")
        for (node, port) in ports.enumerated() {
            try folder.write(
                """
                server_name: node\(node)
                listen: "127.0.0.1:\(try FreePort.next())"
                jetstream { store_dir: "\(folder.file("store\(node)"))" }
                \(count > 1 ? "cluster { name: fleet, listen: \"127.0.0.1:\(routes[node])\", routes: [\(known)] }" : "")
                mqtt { listen: "127.0.0.1:\(port)", stream_replicas: \(count), max_ack_pending: 1000 }
                """, to: "node\(node).conf")
        }
        nodes = Lock(Array(repeating: nil, count: count))
        for node in ports.indices { try begin(node) }
        for node in ports.indices { try await waitForClient(of: node) }
    }

    /// Kills a server with SIGKILL, and starts it again.
    public func interrupt(_ part: Int) async throws {
        if let child = nodes.withLock({ $0[part] }) {
            child.send(SIGKILL)
            try await child.wait()
        }
        try begin(part)
        try await waitForClient(of: part)
    }

    private func begin(_ node: Int) throws {
        let child = try ServerProgram.start("nats-server", ["-c", folder.file("node\(node).conf")])
        nodes.withLock { $0[node] = child }
    }

    /// Waits until a server accepts a client. It listens before the cluster has agreed on where the sessions are.
    private func waitForClient(of node: Int) async throws {
        let arguments = ["-h", "127.0.0.1", "-p", "\(ports[node])", "-V", "311", "-q", "1", "-t", "ready", "-m", "1"]
        let isReady = try await eventually { () -> Bool? in
            if let child = nodes.withLock({ $0[node] }), child.poll() != nil {
                throw HarnessError("nats-server ended: \(child.errors)")
            }
            guard FreePort.isServed(ports[node]) else { return nil }
            return try await ChildProcess.run("mosquitto_pub", arguments).ending == .exited(0) ? true : nil
        }
        guard isReady != nil else { throw HarnessError("nats-server does not accept a client") }
    }
}
