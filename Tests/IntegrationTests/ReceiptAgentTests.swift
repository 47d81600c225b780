import Glibc
import OdographHarness
import Testing

@Suite("The agent and the recorder with receipts")
struct ReceiptAgentTests {
    private static let rounds = getenv("ODOGRAPH_KILL_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 5

    private static func configuration(_ port: UInt16) -> String {
        AgentProcess.configuration(
            broker: port, source: "{ replay: { file: \"drive.jsonl\", speed: 100 } }",
            tracking: """
                { heartbeat_interval: 0, delivery: "receipt", delivery_keep: 0,
                  sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } }
                """)
    }

    @Test("After kills of all programs, a broker without memory and a restore, each number is stored or given up")
    func interrupted() async throws {
        let broker = try await MosquittoBroker()
        let recorder = try await RecorderProcess(
            port: broker.port, keys: "receipt_interval: 1, backup: { required: true }")
        let backup = recorder.folder.file("backup.db")
        try await recorder.backUp(to: backup)
        let folder = try TemporaryFolder()
        try folder.write(Capture.rounds(120 + Self.rounds), to: "drive.jsonl")
        var agent = try AgentProcess(folder: folder, configuration: Self.configuration(broker.port))
        var random = SplitMix64(seed: 3)
        for round in 0..<Self.rounds {
            try await recorder.waitForFurther(Int.random(in: 1...40, using: &random))
            switch round % 5 {
            case 0:
                try await broker.stop(SIGKILL)
                try await broker.start()
            case 1:
                try await recorder.kill()
                try await recorder.start()
            case 2: try await recorder.backUp(to: backup)
            case 3:
                try await agent.kill()
                agent = try AgentProcess(folder: folder, configuration: Self.configuration(broker.port))
            default: try await recorder.restart(with: backup)
            }
        }
        try await recorder.waitForFurther(1)
        try await BrokerOperator(port: broker.port).publish(
            #"{"tracking":{"enabled":false}}"#, to: "fleet/acme/van-7/config")
        let isEmpty = try await eventually { () -> Bool? in
            try await recorder.backUp(to: backup)
            let isOff =
                try recorder.file.rows(
                    "SELECT count(*) FROM vehicles WHERE reported ->> '$.tracking.enabled' = 0") == [["1"]]
            let depth = await agent.depth()
            return isOff && depth == 0 ? true : nil
        }
        let depth = await agent.depth() ?? -1
        #expect(isEmpty != nil, "\(depth): \(agent.child.errors) \(recorder.child.errors)")
        #expect(try await agent.stop() == .exited(0))
        #expect(try await recorder.stop() == .exited(0))
        let file = recorder.file
        #expect(try file.rows("SELECT * FROM open_gaps") == [])
        #expect(try file.rows("SELECT * FROM covered WHERE first <> 1") == [])
        #expect(try file.rows("SELECT count(*) FROM conflicts") == [["0"]])
        #expect(try file.rows("SELECT count(*) FROM rejected") == [["0"]])
        // The backups have everything that the agent has deleted.
        let reasons = Set(try file.rows("SELECT DISTINCT reason FROM given_up").map { $0[0] })
        #expect(reasons.isSubset(of: ["never_assigned"]), "\(reasons)")
    }
}
