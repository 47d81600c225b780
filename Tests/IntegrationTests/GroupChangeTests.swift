import Glibc
import OdographHarness
import OdographJSON
import Testing
import OdographWire

@Suite("An agent whose groups change")
struct AgentGroupChangeTests {
    private static let own = "fleet/acme/van-7/config"
    private static let fence =
        "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"id\":\"depot\",\"geometry\":"
        + "{\"type\":\"Point\",\"coordinates\":[-3,40]},\"properties\":{\"radius\":100}}]}"

    /// Returns the newest report that meets a condition.
    private func report(
        _ subscriber: Subscriber, _ isSo: @escaping @Sendable (ReportedMessage) -> Bool
    ) async throws -> ReportedMessage? {
        try await eventually { try subscriber.reports().last.flatMap { isSo($0) ? $0 : nil } }
    }

    @Test("A document changes groups, geofences and commands of a running agent, also after a start without a broker")
    func change() async throws {
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        try await desk.publish("{ tracking: { extras: { of: 'vans' } } }", to: "fleet/acme/group:vans/config")
        try await desk.publish("{ tracking: { extras: { of: 'north' } } }", to: "fleet/acme/group:north/config")
        try await desk.publish(Self.fence, to: "fleet/acme/group:vans/geofences")
        let folder = try TemporaryFolder()
        let agent = try AgentProcess.driving(broker, folder: folder)
        let before = try await report(subscriber) {
            $0.geofences.count == 1 && $0.levels.map(\.level) == ["group:vans"]
        }
        #expect(before?.groups == ["vans"], "\(agent.child.errors)")
        try await desk.publish("{ groups: ['north'] }", to: Self.own)
        let after = try await report(subscriber) { $0.levels.map(\.level) == ["group:north", "van-7"] }
        #expect(after?.groups == ["north"] && after?.errors == [], "\(agent.child.errors)")
        #expect(after?.configuration?["groups"] == .array([.string("north")]))
        let hasLeft = try await report(subscriber) { $0.geofences.count == 0 && $0.geofences.levels == [] }
        #expect(hasLeft != nil, "\(agent.child.errors)")
        let marked = try await eventually {
            try subscriber.locations().last { $0.event.extras == ["of": .string("north")] }
        }
        #expect(marked != nil)
        // Commands: the joined group's one is executed, and the left one's is not.
        try await desk.publish(
            "{ id: 'left', action: 'get_odometer' }", to: "fleet/acme/group:vans/command", isRetained: false)
        try await desk.publish(
            "{ id: 'joined', action: 'get_odometer' }", to: "fleet/acme/group:north/command", isRetained: false)
        let answered = try await eventually { try subscriber.responses().contains { $0.id == "joined" } ? true : nil }
        #expect(answered != nil, "\(agent.child.errors)")
        #expect(try !subscriber.responses().contains { $0.id == "left" })
        // A kill, and a start without a broker: the groups in force stay.
        try await agent.kill()
        try await broker.stop()
        let second = try AgentProcess.driving(broker, folder: folder)
        try await second.waitForDepth(1)
        try await broker.start()
        let again = try await Subscriber(port: broker.port)
        let kept = try await report(again) { $0.groups == ["north"] }
        #expect(kept?.levels.map(\.level) == ["group:north", "van-7"], "\(second.child.errors)")
        // This broker has no documents. A removal goes back to the local file's groups.
        try await desk.publish(Self.fence, to: "fleet/acme/group:vans/geofences")
        try await desk.publish("", to: Self.own)
        let local = try await report(again) { $0.groups == ["vans"] && $0.geofences.count == 1 }
        #expect(local?.levels == [], "\(second.child.errors)")
    }

    @Test("A group's document cannot set groups, and a wrong value is refused with its path")
    func refused() async throws {
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let agent = try AgentProcess.driving(broker, folder: TemporaryFolder())
        for topic in ["fleet/acme/all/config", "fleet/acme/group:vans/config"] {
            try await desk.publish("{ groups: ['north'] }", to: topic)
            let report = try await report(subscriber) { $0.errors.map(\.topic) == [topic] }
            #expect(report?.errors.map(\.path) == ["groups"] && report?.groups == ["vans"], "\(agent.child.errors)")
            try await desk.publish("{}", to: topic)
        }
        try await desk.publish("{ groups: ['a b'], tracking: { heartbeat_interval: 70 } }", to: Self.own)
        let wrong = try await report(subscriber) { $0.errors.map(\.topic) == [Self.own] }
        #expect(wrong?.errors.map(\.path) == ["groups"] && wrong?.groups == ["vans"], "\(agent.child.errors)")
        try await desk.publish("{ groups: [] }", to: Self.own)
        let none = try await report(subscriber) { $0.groups == nil && $0.errors == [] }
        #expect(none != nil, "\(agent.child.errors)")
    }

    @Test("From one group with private time to another one no position is published, also with a kill in between")
    func privateTime() async throws {
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        // Never open: the drive's minutes are all before the hour.
        let isPrivate =
            "{ tracking: { schedule: '0 0 1 1 *', time_zone: 'UTC', off_schedule: { mode: 'private' } } }"
        try await desk.publish(isPrivate, to: "fleet/acme/group:vans/config")
        let folder = try TemporaryFolder()
        let agent = try AgentProcess.driving(broker, folder: folder)
        _ = try await report(subscriber) { $0.levels.map(\.level) == ["group:vans"] }
        _ = try await report(subscriber) { !$0.withinSchedule }
        // What was recorded before the private time has arrived.
        let isDelivered = try await eventually { await agent.depth() == 0 ? true : nil }
        #expect(isDelivered != nil, "\(agent.child.errors)")
        let before = try subscriber.locations().count
        // This group has no document: the silence of the broker ends the private time, and only that.
        try await desk.publish("{ groups: ['north'] }", to: Self.own)
        let waiting = try await report(subscriber) { $0.groups == ["north"] && !$0.errors.isEmpty }
        #expect(waiting?.errors.first?.message.contains("has joined this level") == true, "\(agent.child.errors)")
        #expect(waiting?.withinSchedule == false)
        try await agent.kill()
        try await broker.stop()
        #expect(try subscriber.locations().count == before)
        // Without a broker nothing says whether the group has a document.
        let second = try AgentProcess.driving(broker, folder: folder)
        let isUp = try await eventually { await second.depth() != nil ? true : nil }
        #expect(isUp != nil, "\(second.child.errors)")
        try await broker.start()
        let again = try await Subscriber(port: broker.port)
        let held = try await report(again) { $0.groups == ["north"] && !$0.errors.isEmpty }
        #expect(held?.withinSchedule == false && held?.levels.map(\.level) == ["van-7"], "\(second.child.errors)")
        #expect(try again.locations().isEmpty)
        // The broker has lost its documents, and retains none for ten seconds.
        let free = try await report(again) { $0.errors == [] && $0.withinSchedule }
        #expect(free != nil, "\(second.child.errors)")
        let moving = try await eventually { try again.locations().first }
        #expect(moving != nil)
        // With a document the joined group stays private.
        try await desk.publish(isPrivate, to: "fleet/acme/group:south/config")
        try await desk.publish("{ groups: ['south'] }", to: Self.own)
        let closed = try await report(again) { $0.groups == ["south"] && !$0.withinSchedule && $0.errors == [] }
        #expect(closed != nil, "\(second.child.errors)")
    }
}
