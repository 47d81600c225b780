import Glibc
import OdographHarness
import Testing

@Suite("Two machines with copies of one disk")
struct ClonedDiskTests {
    private static func configuration(_ port: UInt16) -> String {
        AgentProcess.configuration(
            broker: port, device: "van-1", source: "{ simulator: { parked: 0 } }",
            tracking: """
                { heartbeat_interval: 0, delivery: "receipt", delivery_keep: 0,
                  sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } }
                """)
    }

    /// Returns the numbers and the epoch of the kept records of an agent that has ended.
    private static func kept(in folder: TemporaryFolder) throws -> [[String]] {
        try DatabaseFile(folder.file("agent.db")).rows(
            "SELECT epoch, seq FROM outbox WHERE payload IS NOT NULL ORDER BY seq")
    }

    @Test("Each record of both is stored, although receipts cover numbers that one has not sent")
    func twins() async throws {
        let broker = try await MosquittoBroker()
        let recorder = try await RecorderProcess(port: broker.port, keys: "receipt_interval: 1")
        let folder = try TemporaryFolder()
        let copy = try TemporaryFolder()
        var agent = try AgentProcess(folder: folder, configuration: Self.configuration(broker.port))
        try await recorder.waitForFurther(3)
        try await agent.kill()
        try await ChildProcess.run("sh", ["-c", "cp -p \(folder.path)/agent.db* \(copy.path)/"])
        let shared = try Set(Self.kept(in: copy))
        // The copy drives without a network. Nothing listens at the port.
        let away = try FreePort.next()
        var twin = try AgentProcess(folder: copy, configuration: Self.configuration(away))
        try await twin.waitForDepth(shared.count + 8)
        try await twin.kill()
        let twins = try Self.kept(in: copy).filter { !shared.contains($0) }
        let last = try #require(twins.last.flatMap { Int64($0[1]) })
        #expect(twins.count >= 8)
        // The first machine uses these numbers, too, and its records are stored.
        agent = try AgentProcess(folder: folder, configuration: Self.configuration(broker.port))
        let areStored = try await eventually {
            try recorder.file.rows("SELECT max(seq) FROM records").first.flatMap { Int64($0[0]) } ?? 0 > last
                ? true : nil
        }
        #expect(areStored != nil, "\(agent.child.errors)")
        #expect(try await agent.stop() == .exited(0))
        // The copy comes back.
        twin = try AgentProcess(folder: copy, configuration: Self.configuration(broker.port))
        // The broker retains that later numbers can be published, so the copy begins a new epoch and publishes its own
        // records with new numbers.
        let areOthersStored = try await eventually { () -> Bool? in
            let count = try recorder.file.rows("SELECT count(*) FROM records WHERE epoch <> \(twins[0][0])")[0][0]
            return Int(count) ?? 0 >= twins.count ? true : nil
        }
        #expect(areOthersStored != nil, "\(twin.child.errors)")
        #expect(try recorder.file.rows("SELECT count(DISTINCT epoch) FROM records") == [["2"]])
        #expect(try recorder.file.rows("SELECT count(*) FROM conflicts") == [["0"]])
        #expect(try await twin.stop() == .exited(0))
        #expect(try await recorder.stop() == .exited(0))
    }
}
