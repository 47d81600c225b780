import Glibc
import OdographHarness
import Testing
import OdographWire

@Suite("Two vehicles with the same name")
struct DeviceNameConflictTests {
    /// Returns the broker's log text for a subscription to a topic of the vehicle.
    private static func subscription(_ channel: String) -> String { "\tfleet/acme/van-7/\(channel) (QoS 1)" }

    /// Returns the newest online status, of one run if it is given.
    private func online(_ subscriber: Subscriber, run: String? = nil) throws -> StatusMessage? {
        try subscriber.statuses().last { $0.state == .online && run ?? $0.runID == $0.runID }
    }

    private func problem(_ code: Problem.Code, of run: String, _ subscriber: Subscriber) async throws -> Problem? {
        try await eventually {
            try online(subscriber, run: run)?.problems?.first { $0.code == code }
        }
    }

    /// Returns the run of an agent that has just started: the first unknown one.
    private func run(_ subscriber: Subscriber, besides known: [String] = []) async throws -> String {
        let run = try await eventually { try subscriber.statuses().compactMap(\.runID).first { !known.contains($0) } }
        return try #require(run)
    }

    @Test("With the same client id both report the conflict, also if the broker gives no reason")
    func fight() async throws {
        let broker = try await MosquittoBroker(configuration: "log_type all")
        let subscriber = try await Subscriber(port: broker.port)
        // The client id is configured, as some cloud brokers require.
        let configuration = AgentProcess.configuration(broker: broker.port, source: "{ simulator: {} }")
            .replacing("broker: {", with: "broker: { client_id: \"van-7\",")
        let first = try AgentProcess(folder: TemporaryFolder(), configuration: configuration)
        let second = try AgentProcess(folder: TemporaryFolder(), configuration: configuration)
        // mosquitto gives the reason since 2.1.
        let told = try await eventually {
            try online(subscriber)?.problems?.first { [.connectionUnstable, .clientIDShared].contains($0.code) }
        }
        #expect(told?.text.contains("broker.client_id") == true, "\(first.child.errors)\(second.child.errors)")
        // Some cloud brokers disconnect a client that subscribes to a topic that it may not read.
        #expect(broker.log.contains(Self.subscription("config")) && !broker.log.contains(Self.subscription("status")))
        #expect(try await second.stop() == .exited(0))
        #expect(try await first.stop() == .exited(0))
    }

    @Test("With a copied configuration both stay connected and report the conflict until one stops")
    func copies() async throws {
        let broker = try await MosquittoBroker(configuration: "log_type all")
        let subscriber = try await Subscriber(port: broker.port)
        let configuration = AgentProcess.configuration(broker: broker.port, source: "{ simulator: {} }")
        let first = try AgentProcess(folder: TemporaryFolder(), configuration: configuration)
        let firstRun = try await run(subscriber)
        let second = try AgentProcess(folder: TemporaryFolder(), configuration: configuration)
        let secondRun = try await run(subscriber, besides: [firstRun])
        for run in [firstRun, secondRun] {
            let told = try await problem(.deviceShared, of: run, subscriber)
            #expect(told?.text.contains("fleet/acme/van-7") == true, "\(first.child.errors)\(second.child.errors)")
        }
        #expect(try subscriber.statuses().allSatisfy { $0.state == .online })
        #expect(broker.log.contains(Self.subscription("status")))
        // The disconnect message of one agent does not replace the status of the other at the broker.
        #expect(try await second.stop() == .exited(0))
        let last = try await eventually {
            try subscriber.statuses().last.flatMap { $0.runID == firstRun && $0.problems == nil ? $0 : nil }
        }
        #expect(last?.state == .online, "\(first.child.errors)")
        #expect(try await first.stop() == .exited(0))
        #expect(try subscriber.statuses().last?.state == .offline)
    }

    @Test("A late will of the previous run is corrected and is no conflict")
    func lateWill() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let configuration = AgentProcess.configuration(broker: broker.port, source: "{ simulator: {} }")
            .replacing("broker: {", with: "broker: { keep_alive: 5,")
        // The first agent hangs. The second has another database, so it is no successor for the broker.
        let before = try AgentProcess(folder: TemporaryFolder(), configuration: configuration)
        let runBefore = try await run(subscriber)
        before.child.send(SIGSTOP)
        let after = try AgentProcess(folder: TemporaryFolder(), configuration: configuration)
        let run = try await run(subscriber, besides: [runBefore])
        let will = try await eventually { try subscriber.statuses().first { $0.state == .offline } }
        #expect(will?.runID == runBefore, "\(after.child.errors)")
        let corrected = try await eventually { () -> StatusMessage? in
            // At the start another problem can be in force for a moment.
            try subscriber.statuses().last.flatMap {
                $0.state == .online && $0.runID == run && $0.problems == nil ? $0 : nil
            }
        }
        #expect(corrected != nil, "\(after.child.errors)")
        let conflicts = try subscriber.statuses().filter { status in
            status.problems?.contains { $0.code == .deviceShared } == true
        }
        #expect(conflicts.isEmpty, "\(conflicts)")
        let kept = try await Subscriber(port: broker.port, topics: ["fleet/+/+/status"], id: "later")
        let retained = try await eventually { try kept.statuses(isRetained: true).first }
        #expect(retained?.state == .online)
        before.child.send(SIGKILL)
        before.child.send(SIGCONT)
        #expect(try await after.stop() == .exited(0))
    }
}
