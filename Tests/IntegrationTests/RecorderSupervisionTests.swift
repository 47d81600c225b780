import Glibc
import OdographHarness
import Testing

/// Checks the recorder under a service manager that the test simulates.
@Suite("The recorder as a service")
struct RecorderSupervisionTests {
    /// A recorder with a notification socket and a watchdog interval.
    private struct Service {
        let manager: NotifySocket
        let folder: TemporaryFolder
        let child: ChildProcess

        init(
            port: UInt16, database: String = "path: \"recorder.db\"", keys: String = "", watchdogSeconds: Double = 1.5
        ) throws {
            manager = try NotifySocket()
            folder = try TemporaryFolder()
            let path = try folder.write(
                """
                { fleets: ["acme"], database: { \(database) }, \(keys)
                  broker: { url: "mqtt://127.0.0.1:\(port)", reconnect: { minimum: 0.1, maximum: 1 } } }
                """, to: "recorder.json5")
            child = try ChildProcess(
                RecorderProcess.executable, ["run", "--config", path],
                environment: [
                    "NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "\(Int(watchdogSeconds * 1_000_000))",
                ])
        }

        /// Waits until the manager has received a notice this many times.
        func wait(for word: String, count: Int = 1) async throws {
            let told = try await eventually { manager.count(of: word) >= count ? true : nil }
            guard told != nil else { throw HarnessError("no \(word): \(manager.messages) \(child.errors)") }
        }
    }

    @Test("The recorder reports that it records, feeds the watchdog with and without a broker, and reports its stop")
    func life() async throws {
        let broker = try await MosquittoBroker()
        let service = try Service(port: broker.port)
        try await service.wait(for: "READY=1")
        try await service.wait(for: "WATCHDOG=1", count: 3)
        try await service.wait(for: "STATUS=recording")
        try await broker.stop()
        try await service.wait(for: "STATUS=no connection to the broker")
        try await service.wait(for: "WATCHDOG=1", count: service.manager.count(of: "WATCHDOG=1") + 3)
        service.child.send(SIGTERM)
        #expect(try await service.child.wait() == .exited(0))
        #expect(service.manager.messages.last?.contains("STOPPING=1") == true)
        #expect(service.manager.count(of: "READY=1") == 1)
    }

    @Test("The recorder tells each change of its state long before the watchdog, and names its sessions in the log")
    func stateChanges() async throws {
        let broker = try await MosquittoBroker()
        let service = try Service(port: broker.port, keys: "history: { answer: true },", watchdogSeconds: 6000)
        func connections() -> [Substring] {
            service.child.errors.split(separator: "\n").filter { $0.contains("connected to the broker") }
        }
        #expect(try await eventually { connections().count == 2 ? true : nil } != nil, "\(service.child.errors)")
        #expect(connections().count { $0.contains("session=history") } == 1, "\(connections())")
        try await broker.stop()
        try await service.wait(for: "STATUS=no connection to the broker")
    }

    @Test("A recorder that waits for another one is ready, and says when it takes over")
    func standby() async throws {
        let broker = try await MosquittoBroker()
        let server = try await PostgreSQLServer()
        let database = "url: \"\(server.address())\""
        let first = try Service(port: broker.port, database: database)
        try await first.wait(for: "STATUS=recording")
        let second = try Service(port: broker.port, database: database)
        try await second.wait(for: "READY=1 STATUS=waiting for the database")
        try await second.wait(for: "WATCHDOG=1", count: 3)
        #expect(second.manager.count(of: "STATUS=recording") == 0)
        first.child.send(SIGTERM)
        #expect(try await first.child.wait() == .exited(0))
        try await second.wait(for: "STATUS=recording")
        second.child.send(SIGTERM)
        #expect(try await second.child.wait() == .exited(0))
    }

    @Test(
        "The recorder does not feed the watchdog while the disk blocks a commit",
        .enabled(if: SupervisionTests.canTrace))
    func held() async throws {
        let broker = try await MosquittoBroker()
        let service = try Service(port: broker.port)
        try await service.wait(for: "WATCHDOG=1", count: 2)
        // From now on every flush to the disk takes 30 s.
        let tracer = try ChildProcess(
            "strace",
            [
                "-f", "-qq", "-p", "\(service.child.identifier)", "-e", "trace=fsync,fdatasync", "-e",
                "inject=fsync,fdatasync:delay_enter=30000000", "-o", "/dev/null",
            ])
        let desk = BrokerOperator(port: broker.port)
        var fed = service.manager.count(of: "WATCHDOG=1")
        var since = ContinuousClock.now
        let end = since + .seconds(120)
        while ContinuousClock.now < end, since.duration(to: .now) < .seconds(5) {
            // It is rejected, and a rejected message is stored too.
            try await desk.publish("no record", to: "fleet/acme/van-7/location", isRetained: false)
            let count = service.manager.count(of: "WATCHDOG=1")
            if count != fed { (fed, since) = (count, .now) }
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(since.duration(to: .now) >= .seconds(5), "\(service.manager.messages)")
        withExtendedLifetime(tracer) {}
    }
}
