import OdographHarness
import OdographWire
import Testing

@Suite("A traffic budget with a real broker")
struct BudgetTests {
    private static let channels = ["location", "geofence", "timeline", "reported", "status"]

    private func configuration(_ broker: MosquittoBroker, bytes: Int) -> String {
        AgentProcess.configuration(
            broker: broker.port, source: "{ replay: { file: \"drive.jsonl\", speed: 100 } }",
            tracking: """
                { heartbeat_interval: 0, time_zone: "UTC", monthly_budget: { bytes: \(bytes) },
                  timeline: { shortest_stop: 0 },
                  sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } }
                """)
    }

    @Test("At 100 % locations wait and trips are reported; a kill forgets no more than the stated part")
    func exhausted() async throws {
        let broker = try await MosquittoBroker()
        // Batches are not text.
        let subscriber = try await Subscriber(
            port: broker.port, topics: Self.channels.map { "fleet/acme/van-7/\($0)/#" })
        let folder = try TemporaryFolder()
        try folder.write(Capture.rounds(60), to: "drive.jsonl")
        let configuration = configuration(broker, bytes: 120_000)
        let first = try AgentProcess(folder: folder, configuration: configuration)
        func problem(_ code: Problem.Code) async throws -> StatusMessage? {
            try await eventually {
                try subscriber.statuses().first { $0.problems?.contains { $0.code == code } == true }
            }
        }
        let low = try await problem(.budgetLow)?.budget
        #expect(low?.step == .low, "\(first.child.errors)")
        #expect((80...85).contains(low?.percent ?? 0), "\(String(describing: low))")
        let used = try await problem(.budgetExhausted)?.budget
        #expect(used?.step == .exhausted)
        #expect(used?.limit == 120_000)
        try await first.kill()

        let sent = try subscriber.locations().count
        let trips = subscriber.messages.count { $0.topic.contains("/timeline") }
        let before = try subscriber.statuses().count
        let second = try AgentProcess(folder: folder, configuration: configuration)
        let online = try await eventually {
            try subscriber.statuses().dropFirst(before).first { $0.state == .online && $0.budget != nil }
        }?.budget
        #expect(online?.step == .exhausted, "\(second.child.errors)")
        #expect(online?.bytes ?? 0 >= (used?.bytes ?? .max) - 4096)
        #expect(online?.from == used?.from)
        try await second.waitForDepth(300)
        let isTold = try await eventually {
            subscriber.messages.count { $0.topic.contains("/timeline") } > trips ? true : nil
        }
        #expect(isTold != nil, "\(second.child.errors)")
        #expect(try subscriber.locations().count == sent)
        let report = try await eventually { () -> BudgetState? in
            let budget = try subscriber.reports().last?.budget
            return budget?.overshoot ?? 0 > 0 ? budget : nil
        }
        #expect(report?.step == .exhausted)
        #expect(report?.overshoot == (report?.bytes ?? 0) - 120_000)
        #expect(try await second.stop() == .exited(0))
        let stopped = try await status(folder)
        #expect(stopped.contains("\nbudget ") && stopped.contains(" of 0.12 MB used since 2026-"), "\(stopped)")
        // An agent without a budget leaves no count for a status.
        let third = try AgentProcess(folder: folder, configuration: self.configuration(broker, bytes: 0))
        let isConnected = try await eventually { third.child.errors.contains("connected to the broker") ? true : nil }
        #expect(isConnected != nil, "\(third.child.errors)")
        #expect(try await third.stop() == .exited(0))
        let without = try await status(folder)
        #expect(without.contains("not running") && !without.contains("budget"), "\(without)")
    }

    /// Returns what `odograph status` prints.
    private func status(_ folder: TemporaryFolder) async throws -> String {
        let ran = try await ChildProcess.run(
            AgentProcess.executable, ["status", "-c", folder.file("agent.json5")], seconds: 60)
        #expect(ran.ending == .exited(0), "\(ran.errors)")
        return ran.output
    }
}
