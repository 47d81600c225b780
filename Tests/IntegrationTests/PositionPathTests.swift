import Glibc
import OdographHarness
import Testing
import OdographWire

@Suite("The path of a position")
struct PositionPathTests {
    @Test("A drive arrives live, complete and in order, and the agent disconnects cleanly")
    func live() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try AgentProcess.replaying(Capture.drive(seconds: 100), speed: 20, to: broker)
        let end = try await eventually { agent.child.errors.contains("has ended") ? true : nil }
        #expect(end != nil, "\(agent.child.errors)")
        #expect(try await agent.stop() == .exited(0))
        let locations = try subscriber.locations()
        // The first one or two fixes pass before the vehicle counts as moving.
        #expect((95...100).contains(locations.count))
        let seqs = try subscriber.records().compactMap(\.seq)
        #expect(seqs.sorted() == (1...Int64(seqs.count)).map { $0 })
        let live = locations.filter { $0.topic == "fleet/acme/van-7/location" }.compactMap(\.event.seq)
        #expect(live == live.sorted())
        #expect(locations.allSatisfy { $0.event.mock && !$0.event.sample })
        #expect(Set(locations.compactMap(\.event.uuid)).count == locations.count)
        #expect(live.count > 50)
        let statuses = try await eventually { () -> [StatusMessage]? in
            let all = try subscriber.statuses()
            return all.last?.state == .offline ? all : nil
        }
        #expect(statuses?.map(\.state) == [.online, .offline])
        #expect(statuses?.last?.reason == .stopped)
    }

    @Test("A client that connects later gets the newest position and the status at once")
    func retained() async throws {
        let broker = try await MosquittoBroker()
        let first = try await Subscriber(port: broker.port)
        let agent = try AgentProcess(
            folder: TemporaryFolder(),
            configuration: AgentProcess.configuration(broker: broker.port, source: "{ simulator: { seed: 1 } }"))
        _ = try await eventually { try first.locations().isEmpty ? nil : true }
        let later = try ChildProcess(
            "stdbuf", ["-oL", "mosquitto_sub", "-p", "\(broker.port)", "-t", "fleet/#", "-F", "%r %t"])
        let hasSeen = try await eventually {
            ["1 fleet/acme/van-7/location\n", "1 fleet/acme/van-7/status\n"].allSatisfy(later.output.contains)
                ? true : nil
        }
        #expect(hasSeen != nil, "\(later.output)")
        withExtendedLifetime(agent) {}
    }

    @Test("After a kill the broker publishes the offline status with the agent's session")
    func will() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try AgentProcess(
            folder: TemporaryFolder(),
            configuration: AgentProcess.configuration(broker: broker.port, source: "{ simulator: {} }"))
        _ = try await eventually { try subscriber.statuses().first }
        try await agent.kill()
        let lost = try await eventually { try subscriber.statuses().first { $0.state == .offline } }
        #expect(lost?.reason == .connectionLost)
        let online = try subscriber.statuses().first
        #expect(lost?.connection == online?.connection)
    }

    @Test("Records of an outage of the broker arrive as backlog, and none is missing")
    func outage() async throws {
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try AgentProcess.replaying(Capture.drive(seconds: 6000), speed: 50, to: broker)
        _ = try await eventually { try subscriber.locations().count > 50 ? true : nil }
        try await broker.stop(SIGTERM)
        let told = try #require(try subscriber.records().compactMap(\.seq).max())
        try await agent.waitForDepth(100)
        try await broker.start()
        // The drive lasts longer than this wait.
        let done = try await eventually { try subscriber.hasAll(atLeast: Int(told) + 150) ? true : nil }
        #expect(done != nil, "\(agent.child.errors)")
        let locations = try subscriber.locations()
        let backlog = locations.filter { $0.topic.hasSuffix("/backlog") }.compactMap(\.event.seq)
        #expect(backlog.count > 30)
        #expect(backlog == backlog.sorted())
    }

    @Test("A moving vehicle's final position is published before its offline status")
    func lastPosition() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try AgentProcess.replaying(
            Capture.drive(seconds: 6000), speed: 20, to: broker,
            tracking: "{ sampling: { distance: 100000, heading: 180, maximum_interval: 3600 } }")
        // The vehicle has driven for a while, and no rule requires another record.
        let isUnderWay = try await eventually { () -> Bool? in
            guard try subscriber.locations().contains(where: \.event.isMoving) else { return nil }
            return subscriber.messages.count { $0.topic.hasSuffix("/timeline") } > 3 ? true : nil
        }
        #expect(isUnderWay != nil, "\(agent.child.errors)")
        let before = try #require(try subscriber.locations().map(\.event.odometer).max())
        #expect(try await agent.stop() == .exited(0))
        _ = try await eventually { try subscriber.statuses().last?.state == .offline ? true : nil }
        let said = subscriber.messages.suffix(2).map(\.topic)
        #expect(said == ["fleet/acme/van-7/location", "fleet/acme/van-7/status"])
        let last = try #require(try subscriber.locations().last)
        #expect(last.event.odometer > before + 300)
        #expect(last.event.event == nil)
    }

    @Test("Each connection publishes one online status without a problem about the past outage")
    func statusAfterAnOutage() async throws {
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try AgentProcess(
            folder: TemporaryFolder(),
            configuration: AgentProcess.configuration(broker: broker.port, source: "{ simulator: {} }"))
        _ = try await eventually { try subscriber.statuses().first }
        try await broker.stop(SIGTERM)
        let isKnown = try await eventually { agent.child.errors.contains("no connection") ? true : nil }
        #expect(isKnown != nil, "\(agent.child.errors)")
        try await broker.start()
        _ = try await eventually { try births(subscriber).first { $0.connection > 1 } }
        // The stop status is the last message, so every earlier status has arrived before it.
        #expect(try await agent.stop() == .exited(0))
        let end = try await eventually { try subscriber.statuses().last?.reason == .stopped ? true : nil }
        #expect(end != nil)
        let online = try births(subscriber)
        #expect(online.count >= 2)
        #expect(Set(online.map(\.connection)).count == online.count)
        #expect(online.allSatisfy { $0.problems == nil })
    }

    /// Returns the live online statuses. A subscriber that reconnects gets the newest one again as a retained message.
    private func births(_ subscriber: Subscriber) throws -> [StatusMessage] {
        try subscriber.statuses(isRetained: false).filter { $0.state == .online }
    }
}
