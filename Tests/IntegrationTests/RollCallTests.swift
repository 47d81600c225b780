import OdographHarness
import OdographWire
import Testing

@Suite("Roll calls")
struct RollCallTests {
    private static func counts(_ subscriber: Subscriber) -> [String: Int] {
        Dictionary(grouping: subscriber.messages, by: \.topic).mapValues(\.count)
    }

    @Test("A parked vehicle answers two roll calls once, with status, report and position, and without a response")
    func answered() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try AgentProcess(
            folder: folder,
            configuration: AgentProcess.configuration(
                broker: broker.port, source: "{ simulator: { parked: 86400 } }"))
        let topics = ["status", "reported", "location"].map { "fleet/acme/van-7/\($0)" }
        let isThere = try await eventually { () -> Bool? in
            let counts = Self.counts(subscriber)
            return topics.allSatisfy { counts[$0] != nil } ? true : nil
        }
        #expect(isThere != nil, "\(agent.child.errors)")
        let before = Self.counts(subscriber)
        // One after the other without a pause, which two processes on a busy machine would make.
        try await BrokerOperator(port: broker.port).flood(
            ["a", "b"].map { "{ id: '\($0)', action: 'roll_call' }" }, to: "fleet/acme/all/command", isRetained: false)
        let isAnswered = try await eventually { () -> Bool? in
            let counts = Self.counts(subscriber)
            return topics.allSatisfy { (counts[$0] ?? 0) > (before[$0] ?? 0) } ? true : nil
        }
        #expect(isAnswered != nil, "\(agent.child.errors)")
        // The next command is answered after the roll calls.
        let answer = try await BrokerOperator(port: broker.port).ask(
            "{ id: 'c', action: 'get_odometer' }", of: "fleet/acme/van-7/command")
        #expect(answer.isSuccess)
        #expect(try subscriber.responses().isEmpty)
        #expect(Self.counts(subscriber)[topics[0]] == (before[topics[0]] ?? 0) + 1)
    }

    @Test("fleet status calls the roll where the broker gives it no retained messages, and only there")
    func asked() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        func status(ends code: Int32 = 0) async throws -> String {
            let (ending, output, errors) = try await ChildProcess.run(
                AgentProcess.executable,
                ["fleet", "status", "--wait", "0", "--broker", "mqtt://127.0.0.1:\(broker.port)", "--fleet", "acme"])
            #expect(ending == .exited(code), "\(errors)")
            return output + errors
        }
        #expect(try await status(ends: 69).contains("no vehicle of the fleet acme is known at this broker"))
        let isAsked = try await eventually { () -> Bool? in
            subscriber.messages.contains {
                $0.topic == "fleet/acme/all/command" && $0.payload.contains("\"roll_call\"")
            } ? true : nil
        }
        #expect(isAsked == true)
        try await BrokerOperator(port: broker.port).publish(
            """
            {"device_id":"van-7","state":"online","reason":"connected","connection":1,"boot_id":"b","run_id":"r",\
            "version":"1.0","timestamp":"2026-11-20T08:00:00.000Z"}
            """,
            to: "fleet/acme/van-7/status")
        let count = subscriber.messages.count
        #expect(try await status().contains("1 vehicle: "))
        let further = subscriber.messages.dropFirst(count)
        #expect(!further.contains { $0.topic.hasSuffix("/command") })
    }
}
