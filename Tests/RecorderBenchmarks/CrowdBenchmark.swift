import Glibc
import Odograph
import OdographHarness

/// Many vehicles on one broker that is started again: the code of the agent itself, in this process. Measures how long
/// the vehicles take to return, how many connect in a second, and whether a record is lost.
struct CrowdBenchmark {
    let options: Options

    func run() async throws {
        let count = options.vehicles ?? 1000
        let brokerFolder = try TemporaryFolder()
        let broker = try await MosquittoBroker(
            configuration: """
                persistence true
                persistence_location \(brokerFolder.path)/
                max_queued_messages 0
                max_inflight_messages 1000
                """, folder: brokerFolder)
        let folder = try TemporaryFolder()
        let database = WatchedDatabase.file(folder.file("recorder.db"))
        let recorder = try await startRecorder(folder, database, port: broker.port)
        print("\(count) vehicles with the code of the agent, on one mosquitto:")
        let crowd = try await AgentCrowd(count, in: folder) { _ in broker.port }
        try await waitForAll(count, at: broker)
        report("they connect", Self.connections(in: broker.log).counts, over: nil)

        // A simulated vehicle can be in a tunnel all the time. It has no record then.
        var located: Set<Int> = []
        for outage in [0, 60] {
            try await Task.sleep(for: .seconds(options.seconds))
            for (number, agent) in crowd.agents.enumerated() where await agent.isPositionAvailable {
                located.insert(number)
            }
            note("the broker ends for \(outage) s")
            try await broker.stop(SIGTERM)
            try await Task.sleep(for: .seconds(outage))
            let start = ContinuousClock.now
            try await broker.start()
            try await waitForAll(count, at: broker)
            report(
                "after an outage of \(outage) s they return", Self.connections(in: broker.log).counts,
                over: start.seconds)
        }
        await crowd.stop()
        try await check(database, atLeast: located.count)
        recorder.send(SIGTERM)
        try await recorder.wait()
    }

    private func startRecorder(
        _ folder: TemporaryFolder, _ database: WatchedDatabase, port: UInt16
    ) async throws -> ChildProcess {
        let configuration = try folder.write(
            """
            { fleets: ["acme"], database: { \(database.configuration) },
              broker: { url: "mqtt://127.0.0.1:\(port)", client_id: "recorder", reconnect: { minimum: 0.1, maximum: 1 } } }
            """, to: "recorder.json5", mode: 0o600)
        let recorder = try ChildProcess(options.recorder, ["run", "--config", configuration])
        guard try await eventually(within: 60, { recorder.errors.contains("connected to") ? true : nil }) != nil else {
            throw HarnessError("the recorder does not connect: \(recorder.errors)")
        }
        return recorder
    }

    private func waitForAll(_ count: Int, at broker: MosquittoBroker) async throws {
        let isComplete = try await eventually(within: 600) { () -> Bool? in
            usleep(200_000)
            return Self.connections(in: broker.log).clients.count >= count ? true : nil
        }
        guard isComplete != nil else { throw HarnessError("after 600 s not all vehicles are connected") }
    }

    /// Returns the accepted connections of vehicles since the start of the broker, from its log: their clients, and
    /// their number in each second.
    private static func connections(in log: String) -> (clients: Set<Substring>, counts: [Int: Int]) {
        var (clients, counts): (Set<Substring>, [Int: Int]) = ([], [:])
        for line in log.split(separator: "\n") {
            guard let client = line.firstMatch(of: #/New client connected from \S+ as (\S+) /#)?.1,
                client != "recorder", let second = Int(line.prefix { $0.isNumber })
            else { continue }
            clients.insert(client)
            counts[second, default: 0] += 1
        }
        return (clients, counts)
    }

    private func report(_ what: String, _ counts: [Int: Int], over seconds: Double?) {
        let busiest = counts.values.max() ?? 0
        let time = seconds.map { " within \(text($0, 1)) s (bar 120)" } ?? ""
        print("  \(what)\(time), at most \(busiest) in a second (bar 50), \(counts.values.reduce(0, +)) connections")
    }

    /// Waits until the database has all numbers, and counts those that are missing.
    private func check(_ database: WatchedDatabase, atLeast count: Int) async throws {
        let query = """
            SELECT (SELECT count(DISTINCT vehicle) FROM covered), (SELECT count(*) FROM open_gaps),
                (SELECT count(*) FROM covered WHERE first <> 1), (SELECT sum(last - first + 1) FROM covered),
                (SELECT count(*) FROM conflicts)
            """
        let isComplete = try await eventually(within: 120) { () -> Bool? in
            let row = try database.rows(query)[0]
            return (Int(row[0]) ?? 0) >= count && row[1] == "0" ? true : nil
        }
        let row = try database.rows(query)[0]
        print(
            """
              \(row[3]) records of \(row[0]) vehicles, \(row[1]) gaps, \(row[2]) without a beginning, \(row[4]) \
            conflicts\(isComplete == nil ? ": NOT COMPLETE" : "")
            """)
        guard isComplete == nil else { return }
        let missing = """
            SELECT device, state, state_reason, queue_depth, problems FROM vehicles
            WHERE id NOT IN (SELECT vehicle FROM covered) LIMIT 20
            """
        for row in try database.rows(missing) {
            print("    no record of \(row.joined(separator: ", "))")
        }
    }
}
