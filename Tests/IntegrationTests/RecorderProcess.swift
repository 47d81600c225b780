import Glibc
import OdographHarness

/// The recorder as its users run it: the built executable with a configuration file, in a folder of the test.
final class RecorderProcess {
    let folder: TemporaryFolder
    private(set) var child: ChildProcess
    private let configurationPath: String

    /// The path of the executable.
    static let executable = BuiltProgram.path("odograph-recorder")

    /// Writes the configuration, starts the recorder, and waits until it is connected.
    /// - Parameters:
    ///   - broker: The keys under `broker`.
    ///   - database: The keys under `database`.
    ///   - keys: Other keys.
    init(broker: String, database: String = "path: \"recorder.db\"", keys: String = "") async throws {
        folder = try TemporaryFolder()
        configurationPath = try folder.write(
            "{ fleets: [\"acme\"], database: { \(database) }, broker: { \(broker) }, \(keys) }",
            to: "recorder.json5")
        child = try ChildProcess(Self.executable, ["run", "--config", configurationPath])
        try await waitForConnection(1)
    }

    convenience init(
        port: UInt16, database: String = "path: \"recorder.db\"", keys: String = ""
    ) async throws {
        try await self.init(
            broker: "url: \"mqtt://127.0.0.1:\(port)\", reconnect: { minimum: 0.1, maximum: 1 }", database: database,
            keys: keys)
    }

    var file: DatabaseFile { DatabaseFile(folder.file("recorder.db")) }

    /// Starts the recorder again.
    func start() async throws {
        child = try ChildProcess(Self.executable, ["run", "--config", configurationPath])
        try await waitForConnection(1)
    }

    /// Kills the recorder with SIGKILL.
    func kill() async throws {
        child.send(SIGKILL)
        try await child.wait()
    }

    /// Makes a backup.
    func backUp(to path: String) async throws {
        let (ending, _, errors) = try await ChildProcess.run(
            Self.executable, ["backup", "--database", file.path, "--output", path])
        guard ending == .exited(0) else { throw HarnessError("backup: \(ending) \(errors)") }
    }

    /// Kills the recorder, replaces its database, and starts it again.
    /// - Parameter backup: The file of the new database; nil for none.
    func restart(with backup: String?) async throws {
        try await kill()
        for suffix in ["", "-wal", "-shm"] { unlink(file.path + suffix) }
        if let backup { try await ChildProcess.run("cp", [backup, file.path]) }
        try await start()
    }

    /// How often it has connected since its start.
    var connections: Int { child.errors.split(separator: "\n").count { $0.contains(" connected to the broker") } }

    /// Waits until it has connected so often since its start.
    func waitForConnection(_ count: Int) async throws {
        let isConnected = try await eventually { () -> Bool? in
            if let ending = child.poll() { throw HarnessError("the recorder has ended: \(ending) \(child.errors)") }
            return connections >= count ? true : nil
        }
        guard isConnected != nil else { throw HarnessError("no connection: \(child.errors)") }
    }

    /// Stops the recorder with SIGTERM.
    func stop() async throws -> ChildProcess.Ending {
        child.send(SIGTERM)
        return try await child.wait()
    }

    /// The number of stored records.
    func count() throws -> Int {
        try file.rows("SELECT coalesce(sum(last - first + 1), 0) FROM runs").first.flatMap { Int($0[0]) } ?? 0
    }

    /// Waits until further records are stored.
    func waitForFurther(_ count: Int) async throws {
        let before = try self.count()
        guard try await eventually({ try self.count() >= before + count ? true : nil }) != nil else {
            throw HarnessError("no further records than \(before): \(child.errors)")
        }
    }
}
