import Glibc
import OdographThreads

/// A real broker on a free port of the loopback interface, for one test.
public final class MosquittoBroker: Sendable {
    /// The listening port, on 127.0.0.1.
    public let port: UInt16
    /// The folder of the broker: certificates, password files and its store.
    public let folder: TemporaryFolder
    private let process: Lock<ChildProcess?>

    /// Starts a broker and waits until it accepts connections.
    /// - Parameters:
    ///   - configuration: Lines after `listener <port> 127.0.0.1`. Anonymous clients are allowed unless these lines
    ///     contain `allow_anonymous`.
    ///   - folder: The folder of its files.
    public init(configuration: String = "", folder: TemporaryFolder? = nil) async throws {
        self.folder = try folder ?? TemporaryFolder()
        port = try FreePort.next()
        var text = "listener \(port) 127.0.0.1\nlog_dest stderr\n"
        // As root, mosquitto would become the user mosquitto, which cannot read the test's folder.
        text += getuid() == 0 ? "user root\n" : ""
        if !configuration.contains("allow_anonymous") { text += "allow_anonymous true\n" }
        // Since mosquitto 2.1 the default is 2 MB.
        text += "max_packet_size 268435455\n"
        try self.folder.write(text + configuration + "\n", to: "mosquitto.conf")
        process = Lock(nil)
        try await start()
    }

    /// Starts the broker again, on the same port.
    public func start() async throws {
        let child = try ServerProgram.start("mosquitto", ["-c", folder.file("mosquitto.conf")])
        process.withLock { $0 = child }
        let isUp = try await eventually { () -> Bool? in
            if child.poll() != nil { throw HarnessError("mosquitto ended at once: \(child.errors)") }
            return FreePort.isServed(port) ? true : nil
        }
        guard isUp != nil else { throw HarnessError("mosquitto does not listen: \(child.errors)") }
    }

    /// Ends the broker and waits until it has ended.
    /// - Parameter signal: SIGKILL simulates a crash. With SIGTERM the broker saves its store and disconnects clients.
    public func stop(_ signal: Int32 = SIGKILL) async throws {
        guard let child = current else { return }
        child.send(signal)
        try await child.wait()
    }

    /// Pauses the broker. Its connections stay open.
    public func pause() { current?.send(SIGSTOP) }

    /// Resumes a paused broker.
    public func resume() { current?.send(SIGCONT) }

    /// Makes the broker reload its configuration, access rules and passwords.
    public func reload() { current?.send(SIGHUP) }

    /// The log since the last start.
    public var log: String { current?.errors ?? "" }

    /// Whether the log says that a connection of a client has ended. A broker that writes to it at that moment finds a
    /// closed connection before it reads the farewell. Since mosquitto 2.1 the address is behind the id.
    public func hasEnded(_ clientID: String) -> Bool {
        log.split(separator: "\n").contains { line in
            line.contains("Client \(clientID) ")
                && [" disconnected", " closed its connection"].contains { line.contains($0) }
        }
    }

    private var current: ChildProcess? { process.withLock { $0 } }
}
