import FoundationEssentials
import Glibc
import OdographHarness
import OdographJSON
import Testing
import OdographWire

@Suite("Remote commands of a running agent")
struct RemoteCommandFlowTests {
    private static let device = "fleet/acme/van-7"

    private func agent(_ broker: MosquittoBroker, _ folder: TemporaryFolder) throws -> AgentProcess {
        try AgentProcess.driving(broker, folder: folder)
    }

    @Test("A command is executed and answered once, also if it is repeated after a restart")
    func once() async throws {
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let folder = try TemporaryFolder()
        let first = try agent(broker, folder)
        _ = try await eventually { try subscriber.reports().first }
        let command = "{\"id\": \"k1\", \"action\": \"set_odometer\", \"value\": 5000}"
        for _ in 0..<2 { try await desk.publish(command, to: "\(Self.device)/command", isRetained: false) }
        let answer = try await eventually { try subscriber.responses().first }
        #expect(answer?.isSuccess == true)
        // The vehicle may have moved between the command and its answer.
        let odometerMeters: Double? =
            switch answer?.members["odometer"] {
            case .integer(let meters)?: Double(meters)
            case .number(let meters)?: meters
            default: nil
            }
        #expect((5000..<5200).contains(odometerMeters ?? 0), "\(String(describing: answer))")
        // Later commands are answered after it.
        try await desk.publish("{ id: 'k2', action: 'flsh' }", to: "fleet/acme/all/command", isRetained: false)
        _ = try await eventually { try subscriber.responses().contains { $0.id == "k2" } ? true : nil }
        try await first.kill()
        let reports = try subscriber.reports().count
        let second = try agent(broker, folder)
        _ = try await eventually { try subscriber.reports().count > reports ? true : nil }
        try await desk.publish(command, to: "\(Self.device)/command", isRetained: false)
        try await desk.publish("{ id: 'k3', action: 'get_odometer' }", to: "\(Self.device)/command", isRetained: false)
        _ = try await eventually { try subscriber.responses().contains { $0.id == "k3" } ? true : nil }
        let responses = try subscriber.responses()
        // The kill may precede the acknowledgement of the answer to k2, which is then sent again.
        #expect(responses.map(\.id).filter { $0 != "k2" } == ["k1", "k3"], "\(second.child.errors)")
        #expect(responses.first { $0.id == "k2" }?.error?.contains("did you mean \"flush\"?") == true)
    }

    @Test("A retained command is refused at a later connection, and its removal has no answer")
    func retained() async throws {
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let topic = "\(Self.device)/command"
        try await desk.publish("{ id: 'kept', action: 'set_odometer', value: 5000 }", to: topic)
        let agent = try agent(broker, try TemporaryFolder())
        let refusal = try await eventually { try subscriber.responses().first }
        #expect(refusal?.error?.contains("publish it without retain") == true, "\(agent.child.errors)")
        try await desk.publish("", to: topic)
        // Later commands are answered after it.
        try await desk.publish("{ id: 'next', action: 'get_odometer' }", to: topic, isRetained: false)
        _ = try await eventually { try subscriber.responses().contains { $0.id == "next" } ? true : nil }
        #expect(try subscriber.responses().map(\.id) == ["kept", "next"], "\(agent.child.errors)")
    }

    @Test("The response goes to the requested topic with the requester's correlation data")
    func responseTopic() async throws {
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let agent = try agent(broker, try TemporaryFolder())
        _ = try await eventually { try subscriber.reports().first }
        let status = try await desk.ask("{\"id\": \"s\", \"action\": \"get_status\"}", of: "\(Self.device)/command")
        #expect(status.isSuccess, "\(agent.child.errors)")
        #expect(status.members["is_tracking"] == .bool(true))
        let expired = try await desk.ask(
            "{\"id\": \"e\", \"action\": \"set_odometer\", \"value\": 1, \"expires_at\": \"2020-01-01T00:00:00Z\"}",
            of: "\(Self.device)/command")
        #expect(expired.error?.contains("expired") == true)
        let extras = try await desk.ask(
            "{\"id\": \"x\", \"action\": \"set_extras\", \"value\": {\"driver\": \"42\"}}", of: "\(Self.device)/command"
        )
        #expect(extras.members["extras"] == .object(["driver": .string("42")]))
        let hung = try await eventually { try subscriber.locations().last { $0.event.extras != nil } }
        #expect(hung?.event.extras == ["driver": .string("42")])
        #expect(try subscriber.responses() == [])
    }

    @Test("flush publishes pending records and does not interrupt the connection")
    func flush() async throws {
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let agent = try AgentProcess.replaying(
            Capture.drive(seconds: 600), speed: 4, to: broker, tracking: "{ commit_interval: 3600 }")
        _ = try await eventually { try subscriber.reports().first }
        for round in 1...2 {
            let known = try subscriber.locations().count
            var asked = 0
            let told = try await eventually {
                asked += 1
                let command = "{\"id\": \"f\(round).\(asked)\", \"action\": \"flush\"}"
                #expect(try await desk.ask(command, of: "\(Self.device)/command").isSuccess)
                return try subscriber.locations().count > known ? true : nil
            }
            #expect(told == true, "\(agent.child.errors)")
        }
        #expect(try subscriber.statuses().map(\.connection) == [1], "\(agent.child.errors)")
    }

    @Test("A command that is repeated after 70 others and a kill is not executed again")
    func longAgo() async throws {
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let folder = try TemporaryFolder()
        let first = try agent(broker, folder)
        _ = try await eventually { try subscriber.reports().first }
        let extras = "{\"id\": \"first\", \"action\": \"set_extras\", \"value\": {\"driver\": \"old\"}}"
        try await desk.publish(extras, to: "\(Self.device)/command", isRetained: false)
        for number in 0..<70 {
            let value = "{\"id\": \"n\(number)\", \"action\": \"set_extras\", \"value\": {\"driver\": \"\(number)\"}}"
            // A device executes five commands a second. A refused command is sent again.
            let isDone = try await eventually {
                try await desk.publish(value, to: "\(Self.device)/command", isRetained: false)
                return try await eventually(within: 1) {
                    try subscriber.responses().contains { $0.id == "n\(number)" && $0.isSuccess } ? true : nil
                }
            }
            #expect(isDone == true, "\(first.child.errors)")
        }
        try await first.kill()
        let reports = try subscriber.reports().count
        let second = try agent(broker, folder)
        _ = try await eventually { try subscriber.reports().count > reports ? true : nil }
        try await desk.publish(extras, to: "\(Self.device)/command", isRetained: false)
        try await desk.publish(
            "{ id: 'last', action: 'get_odometer' }", to: "\(Self.device)/command", isRetained: false)
        _ = try await eventually { try subscriber.responses().contains { $0.id == "last" } ? true : nil }
        #expect(try subscriber.responses().count { $0.id == "first" } == 1, "\(second.child.errors)")
        let known = try subscriber.locations().count
        let next = try await eventually { try subscriber.locations().dropFirst(known).first }
        #expect(next?.event.extras == ["driver": .string("69")])
    }

    @Test("Of a flood only a few commands are executed, and refusals are reported once a minute")
    func flood() async throws {
        // By default the broker queues a thousand messages for a slow client and drops later ones.
        let broker = try await MosquittoBroker(configuration: "max_queued_messages 0")
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let agent = try agent(broker, try TemporaryFolder())
        _ = try await eventually { try subscriber.reports().first }
        let count = getenv("ODOGRAPH_FLOOD").flatMap { Int(String(cString: $0)) } ?? 5000
        let begin = ContinuousClock.now
        let commands = (0..<count).map { "{\"id\": \"\($0)\", \"action\": \"get_odometer\"}" }
        try await desk.flood(commands, to: "\(Self.device)/command", isRetained: false)
        // A command after the flood is executed as soon as the rate limit admits one.
        var asked = 0
        let last = try await eventually {
            asked += 1
            let command = "{\"id\": \"last\(asked)\", \"action\": \"get_odometer\"}"
            try await desk.publish(command, to: "\(Self.device)/command", isRetained: false)
            return try await eventually(within: 1) {
                try subscriber.responses().last { $0.id.hasPrefix("last") && $0.isSuccess }
            }
        }
        #expect(last != nil, "\(agent.child.errors)")
        let minutes = Int(begin.duration(to: .now) / .seconds(60))
        let responses = try subscriber.responses()
        let refused = responses.filter { $0.error?.contains("too many commands") == true }
        #expect((1...minutes + 1).contains(refused.count))
        // The rate limit admits the reserve of 200 and then one every 2 s.
        #expect(responses.count <= 200 + 30 * (minutes + 1) + refused.count)
        let bytes = subscriber.messages.filter { $0.topic.hasSuffix("/response") }.reduce(0) {
            $0 + $1.payload.utf8.count
        }
        #expect(bytes < 40_000 * (minutes + 1), "\(responses.count) answers")
    }
}
