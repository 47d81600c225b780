import Glibc

/// Sending an outbox of 100,000 records to a default mosquitto, with every acknowledgement saved.
struct DrainBenchmark {
    let options: Options
    private var backlog: String { Files.path("backlog.db") }
    private var plainBacklog: String { Files.path("plain.db") }
    private var database: String { Files.path("drain.db") }

    private struct Run {
        var seconds: Double
        var processorSeconds: Double
    }

    func run(into report: inout Report) async throws {
        try await PreparedDatabase.make(at: backlog, count: options.records)
        try PreparedDatabase.makePlain(at: plainBacklog, count: options.records, with: options.drainInC)
        note("drain: a backlog of \(options.records) records, \(Files.size(backlog) >> 20) MB")
        var (ours, c, python): ([Run], [Run], [Run]) = ([], [], [])
        // In turn, so that the machine's other load affects all of them.
        for index in 0..<options.runs {
            ours.append(try agent())
            c.append(try other([options.drainInC]))
            if !options.isWithoutPython { python.append(try other(["/usr/bin/python3", options.drainInPython])) }
            note("  run \(index + 1): ours \(line(ours)), C \(line(c)), Python \(line(python))")
        }
        add(ours, c, python, to: &report)
    }

    private func line(_ runs: [Run]) -> String {
        runs.last.map { "\(text($0.seconds)) s (processor \(text($0.processorSeconds)) s)" } ?? "-"
    }

    private func add(_ ours: [Run], _ c: [Run], _ python: [Run], to report: inout Report) {
        let count = Double(options.records)
        func rate(_ runs: [Run]) -> Double { count / Samples(runs.map(\.seconds)).median }
        func processor(_ runs: [Run]) -> Double {
            Samples(runs.map(\.processorSeconds)).median * 100_000 / count
        }
        func ratio(_ other: [Run]) -> Double {
            Samples(zip(ours, other).map { $1.seconds / $0.seconds }).median
        }
        report.add(
            "drain, against C (records/s)", ours: text(rate(ours), 0), others: text(rate(c), 0),
            ratio: text(ratio(c)), bar: "≥ 0.85", isMet: ratio(c) >= 0.85)
        if !python.isEmpty {
            report.add(
                "drain, against Python (records/s)", ours: text(rate(ours), 0), others: text(rate(python), 0),
                ratio: text(ratio(python)), bar: "≥ 4", isMet: ratio(python) >= 4)
        }
        report.add(
            "drain, processor time per 100k (s)", ours: text(processor(ours)),
            others: "C \(text(processor(c))), Python \(text(processor(python)))",
            ratio: text(processor(c) / processor(ours)), bar: "≤ 1.5", isMet: processor(ours) <= 1.5)
    }

    /// Measures from the connection to the last acknowledgement on the control socket, up to 10 ms too long.
    private func agent() throws -> Run {
        try Files.copyDatabase(backlog, to: database)
        let broker = try Broker()
        defer { broker.stop() }
        let agent = try RunningAgent(
            configuration: RunningAgent.configuration(
                port: broker.port, database: database, source: try RunningAgent.silentSource()))
        var beforeConnection = monotonicSeconds()
        var isConnected = false
        try waitFor("the end of the drain", seconds: 300, everyMilliseconds: 10) { () -> Bool? in
            let asked = monotonicSeconds()
            guard let status = try agent.status("is_connected", "depth") else {
                beforeConnection = asked
                return nil
            }
            if status[0] == 1 { isConnected = true } else if !isConnected { beforeConnection = asked }
            return isConnected && status[1] == 0 ? true : nil
        }
        let seconds = monotonicSeconds() - beforeConnection
        agent.process.stop()
        // The whole life: opening, draining, stopping.
        return Run(seconds: seconds, processorSeconds: agent.process.usage?.seconds ?? .nan)
    }

    private func other(_ program: [String]) throws -> Run {
        try Files.copyDatabase(plainBacklog, to: database)
        let broker = try Broker()
        defer { broker.stop() }
        let child = try ChildProcess(
            program + [database, "\(broker.port)", "1000", "500", "fleet/acme/van-7/location/backlog"],
            output: Files.path("other.log"))
        guard child.wait() == 0 else { throw Failure("\(program): \(child.output)") }
        let numbers = child.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count >= 3, numbers[0] == Double(options.records) else { throw Failure(child.output) }
        return Run(seconds: numbers[1], processorSeconds: child.usage?.seconds ?? .nan)
    }
}
