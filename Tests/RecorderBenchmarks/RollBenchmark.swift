import Odograph
import OdographHarness
import OdographOperator

/// The time until a client that has just connected knows all vehicles of a fleet: by the broker's retained messages, or
/// by a roll call where the broker gives it none.
struct RollBenchmark {
    let options: Options

    func run() async throws {
        let count = options.vehicles ?? 1000
        let broker = try await options.broker.start()
        let folder = try TemporaryFolder()
        let observer = try await connect(broker)
        let crowd = try await AgentCrowd(count, in: folder) { broker.ports[$0 % broker.ports.count] }
        note("the vehicles connect")
        guard await observer.wait(seconds: 1800, until: { $0.knows(count) }) else {
            throw HarnessError("only \(await observer.vehicles.count) of \(count) vehicles have connected")
        }
        await observer.disconnect()
        var (times, asked) = ([Double](), 0)
        for _ in 0..<options.runs {
            // A vehicle that has just answered waits with the next answer.
            try await Task.sleep(for: .seconds(15))
            let start = ContinuousClock.now
            let desk = try await connect(broker)
            async let hasAsked = desk.callRollIfNeeded()
            let isComplete = await desk.wait(seconds: 60) { $0.knows(count) }
            times.append(isComplete ? start.seconds : .infinity)
            asked += try await hasAsked ? 1 : 0
            note("\(await desk.vehicles.count) vehicles, \(text(times[times.count - 1], 1)) s")
            await desk.disconnect()
        }
        print(
            """
            a new client knows \(count) vehicles on \(options.broker.rawValue): median \(text(Samples(times).median, 1)) s, \
            longest \(text(times.max() ?? .nan, 1)) s of \(times.count) (bar 10), \(asked) by a roll call
            """)
        await crowd.stop()
    }

    private func connect(_ broker: any InterruptibleBroker) async throws -> FleetClient {
        let configuration = try ConfigurationFile.parse(
            "{ fleet: \"acme\", device: \"desk\", broker: { url: \"mqtt://127.0.0.1:\(broker.ports[0])\" } }",
            folder: "/")
        let desk = try FleetClient(broker: configuration.broker, root: "fleet", fleet: "acme")
        try await desk.connect(isWatching: true, timeoutSeconds: 60)
        return desk
    }
}

extension FleetClient {
    /// Returns whether the status and the report of so many vehicles are known.
    fileprivate func knows(_ count: Int) -> Bool {
        vehicles.count >= count && vehicles.values.allSatisfy { $0.status != nil && $0.report != nil }
    }
}
