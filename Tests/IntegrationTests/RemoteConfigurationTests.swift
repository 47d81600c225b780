import FoundationEssentials
import Glibc
import OdographHarness
import OdographJSON
import Testing
import OdographWire

@Suite("Remote configuration of a running agent")
struct RemoteConfigurationTests {
    private static let device = "fleet/acme/van-7"
    private func agent(
        _ broker: MosquittoBroker, folder: TemporaryFolder? = nil
    ) throws -> AgentProcess {
        try AgentProcess.driving(broker, folder: folder ?? TemporaryFolder())
    }

    @Test("Retained documents apply from the first connection, each level over the weaker one, and are reported")
    func retained() async throws {
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let all = "{ version: 'a', tracking: { extras: { fleet: 'yes', who: 'all' } } }"
        try await desk.publish(all, to: "fleet/acme/all/config")
        try await desk.publish("{ tracking: { extras: { who: 'vans' } } }", to: "fleet/acme/group:vans/config")
        let agent = try agent(broker)
        let report = try await eventually { try subscriber.reports().first { $0.levels.count == 2 } }
        #expect(report?.levels.map(\.level) == ["all", "group:vans"], "\(agent.child.errors)")
        #expect(report?.levels.allSatisfy(\.isApplied) == true)
        #expect(report?.levels.first?.version == "a")
        #expect(report?.errors == [])
        let (_, sum, _) = try await ChildProcess.run("sha256sum", input: all)
        #expect(report?.levels.first?.hash == String(sum.prefix(64)))
        let extras = ["fleet": JSONValue.string("yes"), "who": .string("vans")]
        let hung = try await eventually { try subscriber.locations().last { $0.event.extras == extras } }
        #expect(hung != nil)
        try await desk.publish("", to: "fleet/acme/group:vans/config")
        let withdrawn = try await eventually { try subscriber.reports().last { $0.levels.map(\.level) == ["all"] } }
        #expect(withdrawn != nil)
    }

    @Test("An invalid document is reported and changes nothing, and a valid one after it applies")
    func bad() async throws {
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let agent = try agent(broker)
        _ = try await eventually { try subscriber.reports().first }
        try await desk.publish("{ version: '1', tracking: { heartbeat_interval: 77 } }", to: "\(Self.device)/config")
        _ = try await eventually { try subscriber.reports().last?.levels.first?.isApplied == true ? true : nil }
        try await desk.publish(
            "{ version: '2', tracking: { hartbeat_interval: 5 }, broker: { password: 'x' } }",
            to: "\(Self.device)/config")
        let refused = try await eventually { try subscriber.reports().last.flatMap { $0.errors.isEmpty ? nil : $0 } }
        #expect(refused?.levels.first?.isApplied == false)
        #expect(refused?.levels.first?.versionInForce == "1")
        let paths = Set(refused?.errors.map(\.path) ?? [])
        #expect(paths == ["broker.password", "tracking.hartbeat_interval"], "\(String(describing: refused))")
        // The active configuration is unchanged, so it is not reported again.
        #expect(refused?.configuration == nil)
        let told = try subscriber.reports().last { $0.configuration != nil }
        #expect(refused?.configurationHash == told?.configurationHash)
        try await desk.publish("{ version: '3', tracking: { hartbeat_interval: 5 } }", to: "\(Self.device)/config")
        let misspelt = try await eventually {
            try subscriber.reports().last { $0.levels.first?.version == "3" }
        }
        #expect(misspelt?.errors.map(\.path) == ["tracking.hartbeat_interval"])
        #expect(misspelt?.errors.first?.message.contains("heartbeat_interval") == true)
        // One is larger than a document may be, the other is larger than the link accepts.
        for count in [10 << 20, 20 << 20] {
            try await desk.publish(String(repeating: " ", count: count), to: "fleet/acme/all/config")
        }
        let tooLarge = try await eventually {
            try subscriber.reports().last { $0.errors.contains { $0.message.contains("at most 262144") } }
        }
        #expect(tooLarge != nil, "\(agent.child.errors)")
        try await desk.publish("{ version: '4', tracking: { enabled: false } }", to: "\(Self.device)/config")
        let stopped = try await eventually { try subscriber.reports().last { !$0.tracking.isEnabled } }
        #expect(stopped?.levels.last?.version == "4", "\(agent.child.errors)")
    }

    @Test("A document still applies after a restart without a broker")
    func withoutBroker() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let folder = try TemporaryFolder()
        do {
            let subscriber = try await Subscriber(port: broker.port)
            let first = try agent(broker, folder: folder)
            try await desk.publish("{ version: 'x', tracking: { extras: { kept: 1 } } }", to: "\(Self.device)/config")
            let isApplied = try await eventually {
                try subscriber.reports().last?.levels.first?.isApplied == true ? true : nil
            }
            #expect(isApplied != nil, "\(first.child.errors)")
            try await first.kill()
        }
        try await broker.stop()
        let second = try agent(broker, folder: folder)
        try await second.waitForDepth(1)
        // This broker has no retained messages.
        try await broker.start()
        let subscriber = try await Subscriber(port: broker.port)
        let report = try await eventually { try subscriber.reports().last }
        #expect(report?.levels.map(\.version) == ["x"])
        let hung = try await eventually { try subscriber.locations().first { $0.event.extras != nil } }
        #expect(hung?.event.extras == ["kept": .integer(1)])
    }

    @Test("Of a flood the newest document applies, and the agent continues to track")
    func flood() async throws {
        // By default the broker queues a thousand messages for a slow client and drops later ones.
        let broker = try await MosquittoBroker(configuration: "max_queued_messages 0")
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let agent = try agent(broker)
        _ = try await eventually { try subscriber.reports().first }
        let lines = (1...3000).map {
            $0 % 3 == 0 ? "{ broken \($0)" : "{ version: '\($0)', tracking: { extras: { n: \($0) } } }"
        }
        try await desk.flood(
            lines + ["{ version: 'last', tracking: { extras: { n: 0 } } }"], to: "\(Self.device)/config")
        let last = try await eventually {
            try subscriber.reports().last.flatMap { $0.levels.first?.version == "last" ? $0 : nil }
        }
        #expect(last?.errors == [], "\(agent.child.errors)")
        #expect(try subscriber.reports().count < 60)
        let hung = try await eventually {
            try subscriber.locations().last { $0.event.extras == ["n": .integer(0)] }
        }
        #expect(hung != nil)
    }
}
