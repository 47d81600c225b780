import Glibc
import Odograph
import OdographCivilTime
import OdographHarness
import OdographRecorder

/// The queries about the past in a large database: a day of a vehicle, the report of a month, and the newest positions
/// of 10,000 vehicles, by the functions that the recorder uses.
struct HistoryBenchmark {
    private static let recordsPerDay = 1000
    private static let days = 40
    /// The size of a record with its part of the indexes, bytes.
    private static let bytesPerRecord = 1100
    private static let begin = Timestamp(millisecondsSinceEpoch: 1_790_812_800_000)
    private static let queries = 20

    let options: Options

    func run() async throws {
        let folder = try TemporaryFolder()
        let free = Self.freeBytes(folder.path)
        let records = options.records ?? min(100_000_000, free / 3 / Self.bytesPerRecord)
        let vehicles = max(1, records / (Self.days * Self.recordsPerDay))
        print(
            "\(vehicles) vehicles with \(Self.days) days of \(Self.recordsPerDay) records, and 10,000 vehicles with one; "
                + "\(free >> 30) GiB free")
        let file = folder.file("recorder.db")
        try await measure(.file(file), at: .file(path: file), vehicles: vehicles, script: "sqlite.sql")
        unlink(file)
        let server = try await PostgreSQLServer(settings: ["fsync=off", "max_wal_size=8GB", "shared_buffers=1GB"])
        guard let location = DatabaseLocation(server.address()) else { throw HarnessError("not an address") }
        try await measure(
            .server(server.address()), at: location, vehicles: vehicles, script: "postgresql.sql")
    }

    private func measure(
        _ database: WatchedDatabase, at location: DatabaseLocation, vehicles: Int, script: String
    ) async throws {
        try database.makeTables()
        let sql = try FileContents.text("\(options.scripts)/\(script)")
            .replacing("{vehicles}", with: "\(vehicles)").replacing("{days}", with: "\(Self.days)")
            .replacing("{records_per_day}", with: "\(Self.recordsPerDay)")
        let filling = try seconds { try database.execute(sql) }
        let count = try database.rows("SELECT count(*) FROM records").first?.first ?? ""
        print("\(database.name): \(count) records, filled in \(text(filling, 0)) s")
        let history = try HistoryDatabase(location)
        var random = SplitMix64(seed: 1)
        var rows = 0
        let day = try (0..<Self.queries).map { _ in
            let vehicle = try history.vehicle(
                named: "van-\(Int.random(in: 0..<vehicles, using: &random))", fleet: "acme")
            let index = Int.random(in: 0..<Self.days, using: &random)
            let start = Self.begin.advanced(bySeconds: Double(index) * 86_400)
            return try seconds {
                rows = try history.records(
                    of: vehicle, in: start..<start.advanced(bySeconds: 86_400), after: nil, isTrack: true,
                    hasPayload: false, limit: 10_000
                ).count
            }
        }
        report("a day of a vehicle, \(rows) records", day, bar: 0.05)
        let month = try await monthReports(location, vehicles: vehicles)
        report("the report of a month, with the start of the program", month, bar: 1)
        let latest = try (0..<Self.queries).map { _ in
            try seconds { rows = try history.latestPositions(fleet: "large", hasPayload: false).count }
        }
        report("the newest positions of \(rows) vehicles", latest, bar: 0.05)
        print("  plan of the day:")
        for line in try database.plan(
            HistorySQL.records(database.isServer ? .postgreSQL : .sqlite, hasPayload: false),
            values: [
                "1", "'\(Self.begin.iso8601)'", "0", "0", "'\(Self.begin.advanced(bySeconds: 86_400).iso8601)'",
                database.isServer ? "true" : "1", "10000",
            ])
        { print("    \(line)") }
    }

    /// Returns the seconds of reports of a month.
    private func monthReports(_ location: DatabaseLocation, vehicles: Int) async throws -> [Double] {
        var times: [Double] = []
        for index in 0..<Self.queries {
            let start = ContinuousClock.now
            let (ending, output, errors) = try await ChildProcess.run(
                options.recorder,
                [
                    "report", "month", "--database", location.description, "--fleet", "acme", "--device",
                    "van-\(index % vehicles)", "--month", "2026-10", "--time-zone", "UTC",
                ])
            times.append(start.seconds)
            guard ending == .exited(0) else { throw HarnessError("report month: \(output) \(errors)") }
        }
        return times
    }

    /// Prints the times of a query. The first one reads from the disk what the others find in memory.
    private func report(_ name: String, _ times: [Double], bar: Double) {
        let rest = Samples(Array(times.dropFirst()))
        func milliseconds(_ time: Double) -> String { text(time * 1000, 1) }
        print(
            "  \(name): first \(milliseconds(times[0])) ms, median \(milliseconds(rest.median)) ms, slowest "
                + "\(milliseconds(rest.quantile(1))) ms (bar \(text(bar * 1000, 0)) ms: "
                + "\(rest.median <= bar ? "met" : "NOT met") by the median)")
    }

    private static func freeBytes(_ path: String) -> Int {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else { return 0 }
        return Int(information.f_bavail) * Int(information.f_frsize)
    }
}
