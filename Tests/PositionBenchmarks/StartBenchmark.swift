import Glibc

/// The time from the start of the executable to the arrival of its first message at a subscriber.
struct StartBenchmark {
    let options: Options

    func run(into report: inout Report) async throws {
        try await PreparedDatabase.make(at: Files.path("small.db"), count: 100)
        try await PreparedDatabase.make(at: Files.path("large.db"), count: options.records)
        try measure("start to first publish, small database (ms)", database: "small.db", isBarred: true, into: &report)
        try measure(
            "  with a backlog of \(options.records)", database: "large.db", isBarred: true, into: &report)
        try measure(
            "  the same after the process was killed", database: "large.db", isKilled: true, isBarred: true,
            into: &report)
    }

    private func measure(
        _ name: String, database: String, isKilled: Bool = false, isBarred: Bool, into report: inout Report
    ) throws {
        var (status, records): ([Double], [Double]) = ([], [])
        let path = Files.path("start.db")
        for _ in 0..<options.runs {
            try Files.copyDatabase(Files.path(database), to: path)
            if isKilled { try leaveOpen(path) }
            let broker = try Broker()
            defer { broker.stop() }
            let listener = try Listener(port: broker.port, filter: "fleet/#")
            let agent = try RunningAgent(
                configuration: RunningAgent.configuration(
                    port: broker.port, database: path, source: try RunningAgent.silentSource()))
            let first = try listener.arrival(endingWith: "/status", seconds: 20)
            status.append((first.seconds - agent.startedSeconds) * 1000)
            let record = try listener.arrival(endingWith: "/backlog", seconds: 20)
            records.append((record.seconds - agent.startedSeconds) * 1000)
            agent.process.stop()
        }
        let median = Samples(status).median
        report.add(
            name, ours: text(median, 0), others: "first record \(text(Samples(records).median, 0))", bar: "≤ 150",
            isMet: median <= 150)
    }

    /// Leaves a database that was not closed, as after a power cut.
    private func leaveOpen(_ path: String) throws {
        let agent = try RunningAgent(
            configuration: RunningAgent.configuration(
                port: try Broker.freePort(), database: path,
                source: "{ simulator: { speed: 20 } }", tracking: "{ \(RunningAgent.everyFix) }"))
        try waitFor("the agent", seconds: 20) { try agent.status("seq") }
        usleep(1_000_000)
        agent.process.stop(SIGKILL)
    }
}
