import Glibc
import OdographHarness
import Testing

@Suite("Queries of a stopped agent's database")
struct StoppedAgentTests {
    /// The number of agent starts during queries; the long run sets `ODOGRAPH_START_ROUNDS`.
    private static let rounds = getenv("ODOGRAPH_START_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 5
    private static let queries = [
        ["status"], ["locations"], ["timeline"], ["odometer"], ["geofences"],
    ]

    /// Returns a folder with the configuration of an agent without a broker, so that its records stay in the outbox.
    private static func vehicle(store: String = "db/agent.db") throws -> (folder: TemporaryFolder, path: String) {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            """
            { fleet: "acme", device: "van-7", store: { path: "\(store)" }, source: { simulator: { parked: 0 } },
              broker: { url: "mqtt://127.0.0.1:\(try FreePort.next())", reconnect: { minimum: 0.1, maximum: 1 } },
              tracking: { sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } } }
            """, to: "agent.json5")
        return (folder, path)
    }

    /// Runs an agent until it has recorded something, and ends it.
    private static func drive(_ path: String, in folder: String, _ signal: Int32) async throws {
        let agent = try Odograph.start("run", "-c", path)
        let recorded = try await eventually {
            try await Odograph.run("locations", "--json", "-c", path).lines.count > 3 ? true : nil
        }
        #expect(recorded != nil, "\(agent.errors)")
        agent.send(signal)
        try await agent.wait()
        // Sockets cannot be compared as files.
        for name in ["control.sock", "control.sock.lock"] { unlink("\(folder)/\(name)") }
    }

    /// Returns the contents of a folder's files by name.
    private static func contents(of folder: String) async throws -> [String: [UInt8]] {
        let names = try await ChildProcess.run("ls", ["-A", folder]).output.split(separator: "\n").map(String.init)
        return try Dictionary(uniqueKeysWithValues: names.map { ($0, try FileContents.bytes("\(folder)/\($0)")) })
    }

    @Test("A query changes no byte, also after a kill that left a write-ahead log")
    func unchanged() async throws {
        let (folder, path) = try Self.vehicle()
        try await Self.drive(path, in: folder.file("db"), SIGKILL)
        let before = try await Self.contents(of: folder.file("db"))
        for query in Self.queries {
            let ran = try await Odograph.run(query[0], "-c", path)
            #expect(ran.code == 0, "\(query): \(ran.errors)")
            #expect(try await Self.contents(of: folder.file("db")) == before, "\(query)")
        }
        #expect(try await Odograph.run("locations", "--json", "-c", path).lines.count > 3)
        _ = try await Odograph.run("doctor", "-c", path)
        #expect(try await Self.contents(of: folder.file("db")) == before)
    }

    @Test("A damaged database is reported with a remedy and stays unchanged")
    func damaged() async throws {
        let (folder, path) = try Self.vehicle()
        try await Self.drive(path, in: folder.file("db"), SIGTERM)
        var bytes = try FileContents.bytes(folder.file("db/agent.db"))
        for index in 1024..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
        try folder.write(bytes, to: "db/agent.db", mode: 0o600)
        let before = try await Self.contents(of: folder.file("db"))
        for query in Self.queries where query != ["geofences"] {
            let ran = try await Odograph.run(query[0], "-c", path)
            #expect(ran.code == 65, "\(query): \(ran.output) \(ran.errors)")
            #expect(ran.errors.contains("agent.db: the database is damaged"), "\(ran.errors)")
            #expect(ran.errors.contains("start the agent"), "\(ran.errors)")
        }
        let doctor = try await Odograph.run("doctor", "-c", path)
        #expect(doctor.lines.contains { $0.hasPrefix("warn  disk ") && $0.contains("damaged") }, "\(doctor.output)")
        #expect(try await Self.contents(of: folder.file("db")) == before)
    }

    @Test(
        "A query reads a database on a read-only file system",
        .enabled(if: SmallFileSystem.isPossible, "mounting a small file system needs root"))
    func readOnly() async throws {
        let disk = try SmallFileSystem(bytes: 8 << 20)
        let (folder, path) = try Self.vehicle(store: disk.folder.file("agent.db"))
        try await Self.drive(path, in: disk.folder.path, SIGKILL)
        try disk.makeReadOnly()
        let before = try await Self.contents(of: disk.folder.path)
        for query in Self.queries {
            let ran = try await Odograph.run(query[0], "-c", path)
            #expect(ran.code == 0, "\(query): \(ran.errors)")
        }
        #expect(try await Self.contents(of: disk.folder.path) == before)
        withExtendedLifetime(folder) {}
    }

    @Test(
        "If the disk fails to read the database, the query names only the database",
        .enabled(if: access("/usr/bin/strace", X_OK) == 0))
    func deadDisk() async throws {
        let (folder, path) = try Self.vehicle()
        try await Self.drive(path, in: folder.file("db"), SIGTERM)
        let database = folder.file("db/agent.db")
        let ran = try await ChildProcess.run(
            "strace",
            [
                "-f", "-qq", "-o", "/dev/null", "-P", database, "-P", database + "-wal", "-e", "trace=read,pread64",
                "-e", "inject=read,pread64:error=EIO", Odograph.executable, "status", "-c", path,
            ])
        #expect(ran.ending == .exited(74), "\(ran.errors)")
        #expect(ran.errors.contains("Input/output error"), "\(ran.errors)")
        #expect(!ran.errors.contains(".new"), "\(ran.errors)")
    }

    @Test("Queries during starts of agents never keep an agent from its database", .timeLimit(.minutes(10)))
    func besideStarts() async throws {
        let (folder, path) = try Self.vehicle()
        try await Self.drive(path, in: folder.file("db"), SIGTERM)
        let epoch = try await Self.epoch(path)
        for round in 0..<Self.rounds {
            let agent = try Odograph.start("run", "-c", path)
            // The queries continue until the agent is up.
            var codes: Set<Int32> = []
            while !agent.errors.contains(" started "), agent.poll() == nil {
                try await withThrowingTaskGroup(of: Int32.self) { group in
                    for number in 0..<10 {
                        let query = Self.queries[number % 5]
                        group.addTask { try await Odograph.run(query[0], "-c", path).code }
                    }
                    for try await code in group { codes.insert(code) }
                }
            }
            #expect(codes.isSubset(of: [0, 75]), "round \(round): \(codes)")
            #expect(agent.poll() == nil, "round \(round): \(agent.errors)")
            #expect(!agent.errors.contains("memory"), "round \(round): \(agent.errors)")
            agent.send(round % 2 == 0 ? SIGKILL : SIGTERM)
            try await agent.wait()
        }
        #expect(try await Self.epoch(path) == epoch)
        withExtendedLifetime(folder) {}
    }

    private static func epoch(_ path: String) async throws -> String? {
        let status = try await Odograph.run("status", "--json", "-c", path).output
        return status.firstMatch(of: #/"epoch":[0-9]+/#).map { String($0.0) }
    }
}
