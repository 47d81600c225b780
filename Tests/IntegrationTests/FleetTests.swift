import Harness
import Testing

@Suite("The operator's desk")
struct FleetTests {
    private func fleet(
        _ broker: MosquittoBroker, _ arguments: [String]
    ) async throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
        let address = ["--broker", "mqtt://127.0.0.1:\(broker.port)", "--fleet", "acme"]
        return try await ChildProcess.run(AgentProcess.executable, ["fleet"] + arguments + address, seconds: 60)
    }

    @Test("A document is checked, published, and known to be in force; a bad one goes nowhere")
    func document() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try AgentProcess.driving(broker, folder: folder)
        _ = try await eventually(within: 30) { try subscriber.reports().first }
        let good = try folder.write("{ version: '7', tracking: { heartbeat_interval: 60 } }", to: "good.json5")
        for target in [["--device", "van-7"], ["--all"], ["--group", "vans"]] {
            let set = try await fleet(broker, ["config", "set", good] + target)
            #expect(set.ending == .exited(0), "\(set.errors) \(agent.child.errors)")
            #expect(set.output.contains("van-7") || target[0] == "--group")
        }
        let show = try await fleet(broker, ["config", "show", "--device", "van-7"])
        #expect(show.output.contains("van-7: applied, version 7"), "\(show.output)")
        let bad = try folder.write("{ tracking: { hartbeat_interval: 60 } }", to: "bad.json5")
        let refused = try await fleet(broker, ["config", "set", bad, "--device", "van-7"])
        #expect(refused.ending == .exited(78))
        #expect(refused.errors.contains("did you mean \"heartbeat_interval\"?"), "\(refused.errors)")
        let status = try await fleet(broker, ["status"])
        #expect(status.output.contains("online since"), "\(status.output)")
        #expect(status.output.contains("van-7 7"))
        let odometer = try await fleet(broker, ["command", "set_odometer", "{ value: 9 }", "--device", "van-7"])
        #expect(odometer.ending == .exited(0), "\(odometer.errors)")
        let unknown = try await fleet(broker, ["command", "flsh", "--device", "van-7"])
        #expect(unknown.ending == .exited(1))
        #expect(unknown.output.contains("did you mean"))
        let nobody = try await fleet(broker, ["command", "flush", "--device", "van-8", "--timeout", "1"])
        #expect(nobody.ending == .exited(69))
    }
}
