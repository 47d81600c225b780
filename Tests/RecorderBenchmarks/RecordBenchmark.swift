import Glibc
import OdographHarness
import OdographRecorder

/// The throughput of the recorder from the session of a real broker to the disk, beside the least that does the same in
/// C, and beside Python: the same messages, tables, keys and rule for conflicts. Each run fills one session for each
/// program, then runs the programs one after the other.
struct RecordBenchmark {
    let options: Options

    func run() async throws {
        let count = options.records ?? 100_000
        let vehicles = options.vehicles ?? 100
        note("making \(count) messages of \(vehicles) vehicles")
        let stream = try FleetStream(count: count, vehicles: vehicles)
        let bytes = stream.messages.reduce(0) { $0 + $1.payload.count }
        print("\(count) records of \(vehicles) vehicles, \(bytes / count) bytes each in the mean")
        parse(stream)
        let server = try await PostgreSQLServer(settings: ["fsync=on", "max_wal_size=4GB"])
        var costs: [String: [RecordingProgram.Cost]] = [:]
        var names: [String] = []
        for run in 1...options.runs {
            for (name, cost) in try await measure(stream, server, run: run) {
                note("run \(run): \(name): \(text(cost.seconds)) s, processor \(text(cost.processorSeconds)) s")
                if costs[name] == nil { names.append(name) }
                costs[name, default: []].append(cost)
            }
        }
        report(count, names.map { ($0, costs[$0] ?? []) })
    }

    /// Measures the reading of the messages without a broker and a database.
    private func parse(_ stream: FleetStream) {
        let reader = MessageReader(root: "fleet")
        var rejected = 0
        var times: [Double] = []
        for _ in 1...max(options.runs, 3) {
            times.append(
                seconds {
                    for message in stream.messages {
                        if (try? reader.read(topic: message.topic, payload: message.payload)) == nil { rejected += 1 }
                    }
                })
        }
        let median = Samples(times).median
        print(
            "parsing alone: \(text(Double(stream.messages.count) / median, 0)) records/s, "
                + "\(text(median / Double(stream.messages.count) * 1e6)) µs a record, \(rejected) rejected")
    }

    /// Runs each program once.
    private func measure(
        _ stream: FleetStream, _ server: PostgreSQLServer, run: Int
    ) async throws -> [(String, RecordingProgram.Cost)] {
        let folder = try TemporaryFolder()
        let broker = try await MosquittoBroker(
            configuration: """
                max_queued_messages 0
                max_queued_bytes 0
                max_inflight_messages 1000
                """)
        let programs = try programs(folder, server, port: broker.port, run: run)
        for program in programs {
            if program.kind == .inC || program.kind == .inPython { try prepare(program) }
            try await program.subscribe()
        }
        let publisher = try await Publisher(port: broker.port)
        try await publisher.publish(stream.messages[...])
        try await publisher.finish()
        // Another order in each run, because the first programs find a warm cache or a busy disk.
        let order = run.isMultiple(of: 2) ? programs.reversed() : programs
        var costs: [String: RecordingProgram.Cost] = [:]
        for program in order { costs[program.name] = try await program.run(stream.messages.count) }
        try compare(programs)
        return programs.compactMap { program in costs[program.name].map { (program.name, $0) } }
    }

    private func programs(
        _ folder: TemporaryFolder, _ server: PostgreSQLServer, port: UInt16, run: Int
    ) throws -> [RecordingProgram] {
        func file(_ name: String) -> WatchedDatabase { .file(folder.file(name)) }
        let administration = WatchedDatabase.server(server.address())
        let postmaster = try administration.rows("SELECT pg_read_file('postmaster.pid')").first?.first?
            .split(separator: "\n").first.flatMap { pid_t($0) }
        func database(_ name: String) throws -> WatchedDatabase {
            try administration.execute("CREATE DATABASE \(name)\(run)")
            return .server(server.address(of: "\(name)\(run)"))
        }
        func program(
            _ kind: RecordingProgram.Kind, _ database: WatchedDatabase?
        ) throws -> RecordingProgram {
            var serverProcess: pid_t?
            if case .server = database { serverProcess = postmaster }
            return try RecordingProgram(kind, database, serverProcess: serverProcess, port: port, options: options)
        }
        var programs = [
            try program(.recorder, file("recorder.db")), try program(.inC, file("c.db")),
            try program(.recorder, database("recorder")), try program(.inC, database("copy")),
            try program(.receiving, nil),
        ]
        if !options.isWithoutPython { programs.append(try program(.inPython, file("python.db"))) }
        return programs
    }

    /// Makes the tables for a program that does not make them.
    private func prepare(_ program: RecordingProgram) throws {
        guard let database = program.database else { return }
        try database.makeTables()
        guard case .server = database else { return }
        // The month of the simulated days, and the next one.
        for (name, from, to) in [
            ("records_2026_11", "2026-11-01", "2026-12-01"), ("records_2026_12", "2026-12-01", "2027-01-01"),
        ] {
            try database.execute(
                "CREATE TABLE \(name) PARTITION OF records FOR VALUES FROM ('\(from)') TO ('\(to)')")
        }
    }

    /// Checks that all programs have stored the same.
    private func compare(_ programs: [RecordingProgram]) throws {
        let summaries = try programs.compactMap { program in
            try program.database.map { (program.name, try $0.summary()) }
        }
        for (name, summary) in summaries where summary != summaries.first?.1 {
            throw HarnessError("\(name) has stored \(summary), and \(summaries[0].0) \(summaries[0].1)")
        }
    }

    private func report(_ count: Int, _ costs: [(name: String, costs: [RecordingProgram.Cost])]) {
        func median(_ name: String, _ value: (RecordingProgram.Cost) -> Double) -> Double {
            Samples((costs.first { $0.name == name }?.costs ?? []).map(value)).median
        }
        print("program: records/s; processor time of the program, and of the database server, µs a record")
        for (name, _) in costs {
            let rate = Double(count) / median(name) { $0.seconds }
            let own = median(name) { $0.processorSeconds } / Double(count) * 1e6
            let server = median(name) { $0.serverSeconds } / Double(count) * 1e6
            print("  \(name): \(text(rate, 0)); \(text(own, 1)), \(text(server, 1))")
        }
        for (name, other, bar) in [
            ("odograph-recorder, SQLite", "C, SQLite", 0.7), ("odograph-recorder, PostgreSQL", "C, PostgreSQL", 0.7),
            ("odograph-recorder, SQLite", "Python, SQLite", 5),
        ] where costs.contains(where: { $0.name == other }) {
            let ratio = median(other) { $0.seconds } / median(name) { $0.seconds }
            print("\(name) / \(other): \(text(ratio)) (bar \(text(bar, 1)): \(ratio >= bar ? "met" : "NOT met"))")
        }
    }
}
