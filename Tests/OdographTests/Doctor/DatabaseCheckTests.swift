import CivilTime
import Glibc
import Harness
import OdographJSON
import Store
import Testing
import Wire

@testable import Odograph

@Suite("The database, looked at beside an agent")
struct DatabaseCheckTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("agent.db") }

    init() throws { folder = try TemporaryFolder() }

    /// What an agent that runs says of its store.
    private var running: CommandResponse {
        CommandResponse(
            id: "doctor", isSuccess: true, members: ["store": .object(["path": .string(path), "epoch": .integer(1)])])
    }

    private func findings(_ agent: CommandResponse?) async -> [Finding] {
        let configuration = StoreConfiguration(path: path, options: StoreOptions())
        return await DiskCheck(configuration).findings(agent: agent).filter {
            $0.level != .ok && $0.text.contains(path)
        }
        .filter { !$0.text.contains("lies in memory") }
    }

    @Test("An agent's own file is no finding; a missing one, and one that the agent does not have open, are failures")
    func running() async throws {
        let store = try await AgentStore.open(at: path, now: Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)).store
        #expect(await findings(running) == [])
        rename(path, folder.file("away"))
        let missing = await findings(running)
        #expect(missing.map(\.level) == [.fail] && missing.first?.text.contains("is not there") == true, "\(missing)")
        try folder.write("another file", to: "agent.db")
        let replaced = await findings(running)
        #expect(replaced.map(\.level) == [.fail], "\(replaced)")
        #expect(replaced.first?.text.contains("is not the file") == true)
        try await store.close()
    }

    @Test("Without an agent a damaged file is reported, and a whole one is no finding")
    func stopped() async throws {
        #expect(await findings(nil) == [])
        let store = try await AgentStore.open(at: path, now: Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)).store
        try await store.close()
        #expect(await findings(nil) == [])
        // The log may hold every page of so small a database.
        unlink(path + "-wal")
        try folder.write([UInt8](repeating: 0x41, count: 4096), to: "agent.db")
        let damaged = await findings(nil)
        #expect(damaged.map(\.level) == [.warn] && damaged.first?.text.contains("damaged") == true, "\(damaged)")
    }
}
