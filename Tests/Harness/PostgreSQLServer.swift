import Glibc
import OdographThreads

/// A PostgreSQL server with a folder and a port of its own.
public final class PostgreSQLServer: Sendable {
    /// The port on 127.0.0.1.
    public let port: UInt16
    private let folder: TemporaryFolder
    private let server = Lock<ChildProcess?>(nil)

    /// Creates a cluster, and starts the server.
    /// - Parameter settings: Further settings, such as `fsync=on`. Without it, the tests do not wait for the disk: the
    ///   data of a killed server stays in the memory of the kernel.
    public init(settings: [String] = ["fsync=off"]) async throws {
        folder = try TemporaryFolder()
        port = try FreePort.next()
        self.settings = settings
        if let user { chown(folder.path, user.identifier, user.group) }
        let arguments = ["-D", folder.file("data"), "-U", "recorder", "-A", "trust", "-E", "UTF8", "--no-sync"]
        let (ending, _, errors) = try await ServerProgram.run(
            Self.program("initdb"), arguments, environment: ["LC_ALL": "C.UTF-8"], user: user)
        guard ending == .exited(0) else { throw HarnessError("initdb: \(errors)") }
        try await start()
    }

    private let settings: [String]
    /// The user of the server if the tests run as root, which it refuses to run as.
    private let user = ServerUser("postgres")

    /// The address of a database.
    public func address(of database: String = "postgres") -> String {
        "postgresql://recorder@127.0.0.1:\(port)/\(database)"
    }

    /// Starts the server, and waits until it accepts connections. After a kill, the processes of the former server end
    /// a moment later than it; until then the new one does not start.
    public func start() async throws {
        let arguments =
            ["-D", folder.file("data"), "-p", "\(port)", "-h", "127.0.0.1", "-k", ""]
            + settings.flatMap { ["-c", $0] }
        let isReady = try await eventually { () -> Bool? in
            if current.map({ $0.poll() != nil }) ?? true {
                let next = try ServerProgram.start(
                    Self.program("postgres"), arguments, environment: ["LC_ALL": "C.UTF-8"], user: user)
                server.withLock { $0 = next }
            }
            let answer = try await ServerProgram.run(
                Self.program("pg_isready"), ["-q", "-h", "127.0.0.1", "-p", "\(port)"])
            return answer.ending == .exited(0) ? true : nil
        }
        guard isReady != nil else { throw HarnessError("the server does not start: \(current?.errors ?? "")") }
    }

    /// Kills the server, as a failure of the machine would.
    public func kill() async throws {
        current?.send(SIGKILL)
        try await current?.wait()
        server.withLock { $0 = nil }
    }

    private var current: ChildProcess? { server.withLock { $0 } }

    /// Debian keeps the programs of each version in a folder that is not in `PATH`.
    private static func program(_ name: String) -> String {
        let folders = (14...20).reversed().map { "/usr/lib/postgresql/\($0)/bin/" }
        return folders.map { $0 + name }.first(where: ServerProgram.exists) ?? name
    }

    /// Returns the server of all tests that need only a database of their own. It ends with the last reference, and the
    /// next test starts another one. A server for each of them would take most of their processor time.
    public static func shared() async throws -> PostgreSQLServer { try await sharing.server() }

    private static let sharing = Sharing()

    private actor Sharing {
        private weak var current: PostgreSQLServer?
        private var starting: Task<PostgreSQLServer, any Error>?

        func server() async throws -> PostgreSQLServer {
            if let current { return current }
            let task = starting ?? Task { try await PostgreSQLServer() }
            starting = task
            defer { starting = nil }
            let server = try await task.value
            current = server
            return server
        }
    }
}
