import OdographCivilTime
import Glibc
import OdographHarness
import OdographJSON
import OdographStore
import Testing
import OdographWire

@testable import Odograph
@testable import OdographOperator

@Suite("The doctor's check of the database")
struct DatabaseCheckTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("agent.db") }

    init() throws { folder = try TemporaryFolder() }

    /// The store as a running agent reports it.
    private var running: CommandResponse {
        CommandResponse(
            id: "doctor", isSuccess: true, members: ["store": .object(["path": .string(path), "epoch": .integer(1)])])
    }

    private func findings(_ agent: CommandResponse?) async -> [Finding] {
        let configuration = StoreConfiguration(path: path, synchronous: .full, maximumBytes: 64_000_000)
        return await DiskCheck(configuration).findings(agent: agent).filter {
            $0.level != .ok && $0.text.contains(path)
        }
        .filter { !$0.text.contains("is in memory") }
    }

    @Test("The agent's own file is no finding; a missing file and a file that the agent does not use are failures")
    func running() async throws {
        let store = try await AgentStore.open(at: path, now: Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)).store
        #expect(await findings(running) == [])
        rename(path, folder.file("away"))
        let missing = await findings(running)
        #expect(missing.map(\.level) == [.fail] && missing.first?.text.contains("does not exist") == true, "\(missing)")
        try folder.write("another file", to: "agent.db")
        let replaced = await findings(running)
        #expect(replaced.map(\.level) == [.fail], "\(replaced)")
        #expect(replaced.first?.text.contains("is not the file") == true)
        try await store.close()
    }

    @Test("Without an agent a damaged file is reported, and an intact file is no finding")
    func stopped() async throws {
        #expect(await findings(nil) == [])
        let store = try await AgentStore.open(at: path, now: Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)).store
        try await store.close()
        #expect(await findings(nil) == [])
        // The write-ahead log may contain every page of such a small database.
        unlink(path + "-wal")
        try folder.write([UInt8](repeating: 0x41, count: 4096), to: "agent.db")
        let damaged = await findings(nil)
        #expect(damaged.map(\.level) == [.warn] && damaged.first?.text.contains("damaged") == true, "\(damaged)")
    }
}
