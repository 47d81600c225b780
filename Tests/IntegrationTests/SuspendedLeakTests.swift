import OdographCivilTime
import OdographHarness
import OdographModel
import OdographPositioning
import Testing
import OdographWire

@Suite("Leak search while tracking is suspended")
struct SuspendedLeakTests {
    /// A way to suspend tracking: a configuration document, and the report that it is in force.
    struct Suspension: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let document: String
        let isInForce: @Sendable (TrackingState) -> Bool
    }

    private static let disabled = Suspension(
        testDescription: "enabled: false", document: "{ tracking: { enabled: false } }", isInForce: { !$0.isEnabled })
    private static let stopped = Suspension(
        testDescription: "mode stop",
        document: """
            { tracking: { schedule: '0 \((SystemAgentClock().now().systemTime.secondsSinceEpoch / 3600 + 12) % 24) * * *',
              time_zone: 'UTC', schedule_before_time: 'closed', off_schedule: { mode: 'stop' } } }
            """,
        isInForce: { $0.offSchedule == .stop })

    @Test(
        "No position of suspended tracking is on the disk, in the log, in a message or in an answer",
        arguments: [disabled, stopped], [true, false])
    func search(suspension: Suspension, areDated: Bool) async throws {
        let device = "fleet/acme/van-7"
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let folder = try TemporaryFolder()
        let receiver = try ScriptedReceiver()
        defer { receiver.stop() }
        let configuration = AgentProcess.configuration(
            broker: broker.port, source: "{ gpsd: { host: '127.0.0.1', port: \(receiver.port) } }",
            tracking: "{ sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } }",
            extra: ", log: { level: 'trace' }")
        func wait(forReports reports: Int) async throws {
            let count = receiver.reported.count
            _ = try await eventually { receiver.reported.count >= count + reports ? true : nil }
        }

        // Open positions must be found, which shows that the search works. Without a date they wait on the disk, if the
        // clock of the machine is not synchronised.
        receiver.drive(from: LeakSearch.Place(latitude: 47.612_345_6, longitude: 121.512_345_6))
        if !areDated { receiver.date(.none) }
        let first = try AgentProcess(folder: folder, configuration: configuration)
        var open = Carriers()
        let areFound = try await eventually {
            try open.addFiles(of: folder)
            for message in subscriber.messages { open.add("topic \(message.topic)", message.payload) }
            let found = open.finds(LeakSearch(receiver.reported))
            return found.keys.contains { $0.hasPrefix("file agent.db") }
                && (!areDated || found["topic \(device)/location"] != nil) ? true : nil
        }
        #expect(areFound == true, "\(first.child.errors)")
        receiver.fallSilent()

        try await desk.publish(suspension.document, to: "\(device)/config")
        let isOff = try await eventually {
            try subscriber.reports().last.flatMap { suspension.isInForce($0.tracking) ? true : nil }
        }
        #expect(isOff == true, "\(first.child.errors)")
        var carriers = Carriers()
        receiver.drive(from: LeakSearch.Place(latitude: 48.112_345_6, longitude: 122.112_345_6))
        if !areDated { receiver.date(.none) }
        try await wait(forReports: 20)
        for action in ["get_status", "get_current_position", "get_locations", "get_timeline", "flush"] {
            let answer = try await desk.ask(
                "{\"id\": \"\(action)\", \"action\": \"\(action)\"}", of: "\(device)/command")
            carriers.add(action, "\(answer)")
        }
        try await wait(forReports: 20)
        try await first.kill()
        try carriers.addFiles(of: folder)
        try await carriers.addDecoded(folder)
        let killed = carriers.finds(LeakSearch(receiver.reported))
        #expect(killed.isEmpty, "\(killed)")

        // A restart continues the suspension, and a stop saves the state.
        let second = try AgentProcess(folder: folder, configuration: configuration)
        let isHeard = try await eventually {
            second.child.errors.contains("reports positions") ? true : nil
        }
        #expect(isHeard == true, "\(second.child.errors)")
        try await wait(forReports: 20)
        receiver.fallSilent()
        #expect(try await second.stop() == .exited(0))
        try carriers.addFiles(of: folder)
        try await carriers.addDecoded(folder)
        for agent in [first, second] { carriers.add("log", agent.child.errors + agent.child.output) }
        for message in subscriber.messages { carriers.add("topic \(message.topic)", message.payload) }
        let hidden = LeakSearch(receiver.reported)
        #expect(carriers.contents.count > 10)
        #expect(carriers.finds(hidden).isEmpty, "\(carriers.finds(hidden))")
    }
}
