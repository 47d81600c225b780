import Glibc
import Threads

/// A real broker on a free port of the loopback, for one test.
public final class MosquittoBroker: Sendable {
    /// Where it listens, on 127.0.0.1.
    public let port: UInt16
    /// Its folder: certificates, password files and its store belong here.
    public let folder: TemporaryFolder
    private let process: Lock<ChildProcess?>

    /// Starts a broker and waits until it accepts connections.
    /// - Parameters:
    ///   - configuration: Lines that follow `listener <port> 127.0.0.1`; anonymous clients are let in unless they say
    ///     otherwise.
    ///   - folder: Where its files are.
    public init(configuration: String = "", folder: TemporaryFolder? = nil) async throws {
        self.folder = try folder ?? TemporaryFolder()
        port = try FreePort.next()
        var text = "listener \(port) 127.0.0.1\nlog_dest stderr\n"
        // Root's broker would become the user mosquitto, and could not read the test's folder.
        text += getuid() == 0 ? "user root\n" : ""
        if !configuration.contains("allow_anonymous") { text += "allow_anonymous true\n" }
        try self.folder.write(text + configuration + "\n", to: "mosquitto.conf")
        process = Lock(nil)
        try await start()
    }

    /// Starts the broker again, on the same port.
    public func start() async throws {
        let child = try ChildProcess("mosquitto", ["-c", folder.file("mosquitto.conf")])
        process.withLock { $0 = child }
        let isUp = try await eventually { () -> Bool? in
            if child.poll() != nil { throw HarnessError("mosquitto ended at once: \(child.errors)") }
            return FreePort.isServed(port) ? true : nil
        }
        guard isUp != nil else { throw HarnessError("mosquitto does not listen: \(child.errors)") }
    }

    /// Ends the broker and waits until it has ended.
    /// - Parameter signal: SIGKILL takes it by surprise; SIGTERM lets it write its store and say good-bye.
    public func stop(_ signal: Int32 = SIGKILL) async throws {
        guard let child = current else { return }
        child.send(signal)
        try await child.wait()
    }

    /// Stops the broker from running, its connections stay.
    public func pause() { current?.send(SIGSTOP) }

    /// Lets a paused broker run on.
    public func resume() { current?.send(SIGCONT) }

    /// Makes it read its configuration, rules and passwords again.
    public func reload() { current?.send(SIGHUP) }

    /// What it has logged since it was started.
    public var log: String { current?.errors ?? "" }

    private var current: ChildProcess? { process.withLock { $0 } }
}
