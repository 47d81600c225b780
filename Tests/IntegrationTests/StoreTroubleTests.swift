import FoundationEssentials
import Glibc
import OdographHarness
import Odograph
import OdographJSON
import OdographOperator
import Testing
import OdographWire

@Suite("An agent with disk problems")
struct StoreTroubleTests {
    @Test("A damaged database is put aside and reported, and the agent continues in a new epoch")
    func damaged() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let folder = try TemporaryFolder()
        try folder.write([UInt8](repeating: 0x5A, count: 8192), to: "agent.db")
        let agent = try AgentProcess(
            folder: folder,
            configuration: AgentProcess.configuration(broker: broker.port, source: "{ simulator: {} }"))
        let first = try await eventually { try subscriber.records().compactMap(\.seq).min() }
        #expect(first == 1, "\(agent.child.errors)")
        let told = try await eventually { try subscriber.statuses().first { $0.problems?.isEmpty == false } }
        #expect(told?.problems?.first?.code == .storeDamaged)
        let aside = told?.problems?.first?.text ?? ""
        #expect(aside.contains(folder.path))
        withExtendedLifetime(agent) {}
    }

    @Test("A second agent on the same database is refused with the reason, and the first continues")
    func inUse() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        let configuration = AgentProcess.configuration(broker: broker.port, source: "{ simulator: {} }")
        let first = try AgentProcess(folder: folder, configuration: configuration)
        let connection = ControlSocketClient(path: folder.file("control.sock"))
        _ = try await eventually { try UnixSocketAddress(folder.file("control.sock")).hasListener ? true : nil }
        let second = try AgentProcess(folder: folder, configuration: configuration)
        #expect(try await second.child.wait() == .exited(75))
        #expect(second.child.errors.contains("another agent has this database open"))
        #expect(try connection.perform(CommandRequest(id: "1", action: .getStatus)).isSuccess)
        #expect(try await first.stop() == .exited(0))
    }

    @Test(
        "On a full disk the agent continues, reports it, and stores again when space is available",
        .enabled(if: SmallFileSystem.isPossible, "mounting a small file system needs root"))
    func diskFull() async throws {
        // Room for the whole drive, so that only the filling makes it full.
        let disk = try SmallFileSystem(bytes: 32 << 20)
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port)
        // The drive lasts longer than the wait for a full disk.
        let (agent, drives) = try await Self.agent(on: disk, broker, subscriber, driveSeconds: 40_000, speed: 250)
        try await broker.stop(SIGTERM)
        let told = try #require(try subscriber.records().compactMap(\.seq).max())
        disk.fill()
        let connection = ControlSocketClient(path: disk.folder.file("control.sock"))
        let full = try await eventually { try Self.problem(.storeFailed, connection) }
        #expect(full?.contains("no space") == true, "\(agent.child.errors)")
        disk.release()
        let isWell = try await eventually {
            try Self.problem(.storeFailed, connection) == nil ? true : nil
        }
        #expect(isWell == true, "\(agent.child.errors)")
        try await broker.start()
        let wanted = Int(told) + 2000
        let isComplete = try await eventually { try subscriber.hasAll(atLeast: wanted) ? true : nil }
        let seqs = try subscriber.records().compactMap(\.seq)
        #expect(isComplete == true, "\(Set(seqs).count) of \(seqs.max() ?? 0): \(agent.child.errors)")
        _ = try await agent.stop()
        withExtendedLifetime(drives) {}
    }

    @Test(
        "Records dropped on a full disk are a problem, are counted, and have numbers in the ledger",
        .enabled(if: SmallFileSystem.isPossible, "mounting a small file system needs root"))
    func givenUp() async throws {
        let disk = try SmallFileSystem(bytes: 16 << 20)
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port)
        let (agent, drives) = try await Self.agent(on: disk, broker, subscriber, driveSeconds: 30_000, speed: 1000)
        disk.fill()
        let connection = ControlSocketClient(path: disk.folder.file("control.sock"))
        let loss = try await eventually { try Self.problem(.recordsGivenUp, connection) }
        #expect(loss?.contains("were given up") == true, "\(agent.child.errors)")
        disk.release()
        let isWell = try await eventually {
            try Self.problem(.recordsGivenUp, connection) == nil ? true : nil
        }
        #expect(isWell == true, "\(agent.child.errors)")
        let ended = try await eventually { agent.child.errors.contains("has ended") ? true : nil }
        #expect(ended == true, "\(agent.child.errors)")
        let isComplete = try await eventually { try subscriber.hasAll(atLeast: 5000) ? true : nil }
        let ledger = try subscriber.ledger()
        #expect(isComplete == true, "\(ledger) \(agent.child.errors)")
        let entry = try #require(ledger.first { $0.reason == .notStored && $0.kind == .location })
        let count = ledger.reduce(0) { $0 + $1.count }
        #expect(count >= 1000 && count % 1000 == 0 && entry.count == Int(entry.to - entry.from) + 1)
        let status = try Self.status(connection)
        #expect(status.store.givenUp == count)
        let seqs = Set(try subscriber.records().compactMap(\.seq))
        #expect(seqs.count + count == Int(seqs.max() ?? 0))
        _ = try await agent.stop()
        withExtendedLifetime(drives) {}
    }

    @Test(
        "An agent that ends while the disk is full says what is lost, and its exit code is 74",
        .enabled(if: SmallFileSystem.isPossible, "mounting a small file system needs root"))
    func endOnFullDisk() async throws {
        let disk = try SmallFileSystem(bytes: 16 << 20)
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port)
        let (agent, drives) = try await Self.agent(on: disk, broker, subscriber, driveSeconds: 40_000, speed: 250)
        try await broker.stop(SIGTERM)
        disk.fill()
        let connection = ControlSocketClient(path: disk.folder.file("control.sock"))
        let full = try await eventually { try Self.problem(.storeFailed, connection) }
        #expect(full != nil, "\(agent.child.errors)")
        #expect(try await agent.stop() == .exited(74))
        #expect(agent.child.errors.contains("records and the last state are lost"), "\(agent.child.errors)")
        withExtendedLifetime(drives) {}
    }

    /// Starts an agent on a small disk that plays a drive, and waits until it publishes.
    /// - Returns: the agent, and the folder of the drive, which must exist as long as it runs.
    private static func agent(
        on disk: SmallFileSystem, _ broker: MosquittoBroker, _ subscriber: Subscriber, driveSeconds: Int, speed: Int
    ) async throws -> (AgentProcess, TemporaryFolder) {
        let drives = try TemporaryFolder()
        let drive = try drives.write(Capture.drive(seconds: driveSeconds), to: "drive.jsonl")
        let agent = try AgentProcess(
            folder: disk.folder,
            configuration: AgentProcess.configuration(
                broker: broker.port, source: "{ replay: { file: \"\(drive)\", speed: \(speed) } }"))
        _ = try await eventually { try subscriber.locations().count > 20 ? true : nil }
        return (agent, drives)
    }

    private static func problem(_ code: Problem.Code, _ connection: ControlSocketClient) throws -> String? {
        try status(connection).problems.first { $0.code == code }?.text
    }

    private static func status(_ connection: ControlSocketClient) throws -> AgentStatus {
        let response = try connection.perform(CommandRequest(id: "p", action: .getStatus))
        return try JSONDecoder().decode(
            AgentStatus.self, from: JSONEncoder().encode(JSONValue.object(response.members)))
    }
}
