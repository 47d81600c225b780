import Glibc
import OdographHarness
import Odograph
import OdographOperator
import Testing
import OdographWire

/// Checks the agent under a service manager that the test simulates.
@Suite("The agent as a service")
struct SupervisionTests {
    /// An agent with a notification socket and a watchdog interval.
    private struct Service {
        let manager: NotifySocket
        let folder: TemporaryFolder
        let child: ChildProcess

        init(_ configuration: String, watchdogSeconds: Double = 1.5) throws {
            manager = try NotifySocket()
            folder = try TemporaryFolder()
            let path = try folder.write(configuration, to: "agent.json5")
            let microseconds = Int(watchdogSeconds * 1_000_000)
            child = try ChildProcess(
                AgentProcess.executable, ["run", "-c", path],
                environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "\(microseconds)"])
        }

        /// Waits until the manager has received a notice this many times.
        func wait(for word: String, count: Int = 1) async throws {
            let told = try await eventually { manager.count(of: word) >= count ? true : nil }
            guard told != nil else { throw HarnessError("no \(word): \(manager.messages) \(child.errors)") }
        }
    }

    private static func configuration(port: UInt16, source: String, more: String = "") -> String {
        """
        { fleet: "acme", device: "van-7", broker: { url: "mqtt://127.0.0.1:\(port)" }, source: \(source),
          store: { path: "agent.db" } \(more) }
        """
    }

    @Test("The agent reports that it is ready, feeds the watchdog while it works, and reports its stop")
    func life() async throws {
        let broker = try await MosquittoBroker()
        let service = try Service(Self.configuration(port: broker.port, source: "{ simulator: {} }"))
        try await service.wait(for: "READY=1")
        try await service.wait(for: "WATCHDOG=1", count: 4)
        try await service.wait(for: "STATUS=connected to mqtt://127.0.0.1:\(broker.port)")
        service.child.send(SIGTERM)
        #expect(try await service.child.wait() == .exited(0))
        #expect(service.manager.messages.last?.contains("STOPPING=1") == true)
        #expect(service.manager.count(of: "READY=1") == 1)
    }

    @Test("The agent tells the service manager each change of the connection at once")
    func stateChanges() async throws {
        let broker = try await MosquittoBroker()
        // The next look for the watchdog is far away.
        let service = try Service(
            Self.configuration(port: broker.port, source: "{ simulator: {} }"), watchdogSeconds: 6000)
        try await service.wait(for: "STATUS=connected to mqtt://127.0.0.1:\(broker.port)")
        try await broker.stop()
        try await service.wait(for: "STATUS=no connection to mqtt://127.0.0.1:\(broker.port)")
    }

    @Test("The agent feeds the watchdog without a broker and without a gpsd")
    func alone() async throws {
        let service = try Service(
            Self.configuration(port: try FreePort.next(), source: "{ gpsd: { port: \(try FreePort.next()) } }"))
        try await service.wait(for: "READY=1")
        try await service.wait(for: "WATCHDOG=1", count: 8)
        #expect(!service.child.errors.contains("has stalled"))
        try await service.wait(for: "STATUS=no connection to mqtt://127.0.0.1")
    }

    @Test("The agent does not feed the watchdog while the disk blocks a commit", .enabled(if: Self.canTrace))
    func held() async throws {
        let broker = try await MosquittoBroker()
        let service = try Service(
            Self.configuration(
                port: broker.port, source: "{ simulator: { parked: 0 } }",
                more: ", tracking: \(AgentProcess.everyFix)"))
        try await service.wait(for: "WATCHDOG=1", count: 2)
        // From now on every flush to the disk takes 30 s.
        let tracer = try ChildProcess(
            "strace",
            [
                "-f", "-qq", "-p", "\(service.child.identifier)", "-e", "trace=fsync,fdatasync", "-e",
                "inject=fsync,fdatasync:delay_enter=30000000", "-o", "/dev/null",
            ])
        // The agent feeds the watchdog three times in each interval of 1.5 s. It must stop for 5 s.
        var fed = service.manager.count(of: "WATCHDOG=1")
        var since = ContinuousClock.now
        let end = since + .seconds(120)
        while ContinuousClock.now < end, since.duration(to: .now) < .seconds(5) {
            let count = service.manager.count(of: "WATCHDOG=1")
            if count != fed { (fed, since) = (count, .now) }
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(since.duration(to: .now) >= .seconds(5), "\(service.manager.messages)")
        withExtendedLifetime(tracer) {}
    }

    @Test("The file locks private time from the start, and a reload can change the lock")
    func privacyLock() async throws {
        let broker = try await MosquittoBroker()
        let (subscriber, desk) = (try await Subscriber(port: broker.port), BrokerOperator(port: broker.port))
        let office = "{ schedule: '* 8-17 * * 1-5', time_zone: 'UTC', off_schedule: { mode: 'private' } }"
        func configuration(isLocked: Bool) -> String {
            Self.configuration(
                port: broker.port, source: "{ simulator: { parked: 3600 } }",
                more: ", tracking: \(office), privacy: { locked: \(isLocked) }")
        }
        /// Publishes a document that loosens privacy.
        /// - Returns: The paths for which the agent refuses it.
        func refusals(version: String) async throws -> [String]? {
            let document = "{ version: '\(version)', tracking: { off_schedule: { mode: 'tag', tag: 'x' } } }"
            try await desk.publish(document, to: "fleet/acme/van-7/config")
            let report = try await eventually {
                try subscriber.reports().last { $0.levels.contains { $0.version == version } }
            }
            return report?.errors.map(\.path)
        }
        let locked = try Service(configuration(isLocked: true), watchdogSeconds: 600)
        try await locked.wait(for: "READY=1")
        #expect(try await refusals(version: "1") == ["tracking.off_schedule.mode"], "\(locked.child.errors)")
        try locked.folder.write(configuration(isLocked: false), to: "agent.json5")
        locked.child.send(SIGHUP)
        try await locked.wait(for: "READY=1", count: 2)
        #expect(try await refusals(version: "2") == [], "\(locked.child.errors)")
        try locked.folder.write(configuration(isLocked: true), to: "agent.json5")
        locked.child.send(SIGHUP)
        try await locked.wait(for: "READY=1", count: 3)
        #expect(try await refusals(version: "3") == ["tracking.off_schedule.mode"], "\(locked.child.errors)")
    }

    /// Whether this machine can delay the flushes of a process.
    static let canTrace = access("/usr/bin/strace", X_OK) == 0

    @Test("A hang-up reloads the file: some settings apply, the others are named, and a mistake changes nothing")
    func reload() async throws {
        let broker = try await MosquittoBroker()
        let source = "{ simulator: { parked: 3600 } }"
        let service = try Service(Self.configuration(port: broker.port, source: source), watchdogSeconds: 600)
        try await service.wait(for: "READY=1")
        let good = Self.configuration(
            port: broker.port, source: source,
            more: ", groups: [\"vans\"], log: { level: \"debug\" }, tracking: { extras: { driver: \"42\" } }")
        try service.folder.write(good, to: "agent.json5")
        service.child.send(SIGHUP)
        try await service.wait(for: "RELOADING=1")
        try await service.wait(for: "READY=1", count: 2)
        #expect(
            service.child.errors.contains(
                "configuration reloaded: in force: tracking, log; needs a restart: groups"),
            "\(service.child.errors)")
        let agent = LocalAgent(configuration: nil, socketPath: service.folder.file("control.sock"))
        let desk = BrokerOperator(port: broker.port)
        let answer = try await desk.ask(
            "{\"id\":\"1\",\"action\":\"get_current_position\",\"samples\":1}", of: "fleet/acme/van-7/command")
        let members = answer.members
        #expect("\(members)".contains("driver"), "\(answer)")

        try service.folder.write("{ fleet: \"acme\", tracking: { extras: 5 } }", to: "agent.json5")
        service.child.send(SIGHUP)
        try await service.wait(for: "READY=1", count: 3)
        #expect(service.child.errors.contains("the previous one stays in force"), "\(service.child.errors)")
        #expect(service.child.errors.contains("tracking.extras"))
        guard case .running = try await agent.status() else {
            Issue.record("it has ended")
            return
        }
        try service.folder.write(good, to: "agent.json5")
        service.child.send(SIGHUP)
        try await service.wait(for: "READY=1", count: 4)
        #expect(service.child.errors.contains("reloaded: needs a restart: groups"), "\(service.child.errors)")
    }
}
