import Glibc
import Odograph
import OdographCivilTime
import OdographHarness
import OdographRecorder

/// 10,000 simulated vehicles with a record each ten seconds over a real broker: the recorder's processor time, and the
/// time from the arrival of a record to its commit.
struct VehiclesBenchmark {
    private static let secondsPerRecord = 10

    let options: Options

    func run() async throws {
        let vehicles = options.vehicles ?? 10_000
        note("making \(vehicles * options.seconds / Self.secondsPerRecord) messages")
        let stream = try FleetStream(count: vehicles * options.seconds / Self.secondsPerRecord, vehicles: vehicles)
        print("\(vehicles) vehicles, a record each \(Self.secondsPerRecord) s, for \(options.seconds) s:")
        let folder = try TemporaryFolder()
        try await measure(stream, .file(folder.file("recorder.db")), server: nil)
        let server = try await PostgreSQLServer(settings: ["fsync=on", "track_commit_timestamp=on"])
        let database = WatchedDatabase.server(server.address())
        let postmaster = try database.rows("SELECT pg_read_file('postmaster.pid')").first?.first?
            .split(separator: "\n").first.flatMap { pid_t($0) }
        try await measure(stream, database, server: postmaster)
    }

    private func measure(_ stream: FleetStream, _ database: WatchedDatabase, server: pid_t?) async throws {
        let broker = try await MosquittoBroker(configuration: "max_inflight_messages 1000")
        let folder = try TemporaryFolder()
        let configuration = try folder.write(
            """
            { fleets: ["acme"], database: { \(database.configuration) },
              broker: { url: "mqtt://127.0.0.1:\(broker.port)", client_id: "recorder" } }
            """, to: "recorder.json5", mode: 0o600)
        let recorder = try ChildProcess(options.recorder, ["run", "--config", configuration])
        guard try await eventually(within: 60, { recorder.errors.contains("connected to") ? true : nil }) != nil else {
            throw HarnessError("the recorder does not connect: \(recorder.errors)")
        }
        usleep(500_000)
        let count = stream.messages.count
        async let watch = onThread { try CommitWatch(database).run(count: count) }
        let publisher = try await Publisher(port: broker.port)
        let before = ProcessUse.seconds(of: recorder.identifier)
        let serverBefore = server.map(ProcessUse.childSeconds) ?? 0
        let start = ContinuousClock.now
        // The vehicles of a tenth of a second together.
        let step = max(1, stream.messages.count / (options.seconds * 10))
        var next = 0
        while next < stream.messages.count {
            let end = min(next + step, stream.messages.count)
            try await publisher.publish(stream.messages[next..<end])
            next = end
            try await Task.sleep(until: start + .seconds(Double(next) / Double(step) / 10), clock: .continuous)
        }
        try await publisher.finish()
        let delays = try await watch
        let elapsed = start.seconds
        let use = (ProcessUse.seconds(of: recorder.identifier) - before) / elapsed
        let serverUse = ((server.map(ProcessUse.childSeconds) ?? 0) - serverBefore) / elapsed
        recorder.send(SIGTERM)
        try await recorder.wait()
        print(
            """
              \(database.name): \(text(Double(stream.messages.count) / elapsed, 0)) records/s; processor \(text(use)) \
            of a core (bar 1), of the server \(text(serverUse)); from arrival to commit p50 \
            \(text(delays.quantile(0.5))) s, p99 \(text(delays.quantile(0.99))) s (bar 1)
            """)
    }
}

/// Notes the time from the arrival of each record to its commit.
private struct CommitWatch {
    private static let pauseMicroseconds: UInt32 = 10_000

    private let database: WatchedDatabase

    init(_ database: WatchedDatabase) { self.database = database }

    /// Waits until a number of records is committed.
    /// - Returns: The delays of the records, seconds.
    func run(count: Int) throws -> Samples {
        switch database {
        case .file: try lookForRecords(count)
        case .server: try readCommitTimes(count)
        }
    }

    /// Looks for new records again and again, and takes the time of the look. So a delay is up to one look too long.
    private func lookForRecords(_ count: Int) throws -> Samples {
        var delays: [Double] = []
        var last = 0
        while delays.count < count {
            let rows = try database.rows("SELECT id, received FROM records WHERE id > \(last) ORDER BY id")
            let now = Timestamp.now
            for row in rows {
                last = max(last, Int(row[0]) ?? 0)
                guard let received = Timestamp(iso8601: row[1]) else { continue }
                delays.append(now.seconds(since: received))
            }
            usleep(Self.pauseMicroseconds)
        }
        return Samples(delays)
    }

    /// The server notes the time of each commit.
    private func readCommitTimes(_ count: Int) throws -> Samples {
        let watch = NumberWatch(database)
        while watch.count < count { usleep(1_000_000) }
        let rows = try database.rows(
            "SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin) - received) FROM records")
        return Samples(rows.compactMap { $0.first.flatMap { Double($0) } })
    }
}
