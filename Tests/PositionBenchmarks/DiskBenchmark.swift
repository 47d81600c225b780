import Glibc

/// The bytes that the device must write for each location at 1 Hz, with immediate acknowledgements: the agent itself,
/// with its journal and snapshots, on a drive without stops.
struct DiskBenchmark {
    /// The factor of the drive and of the commit intervals against real time: a commit each tenth of a second at most,
    /// so that the broker has acknowledged the previous one, as it has at 1 Hz. A record that is still pending at the
    /// next commit would cost additional pages.
    private static func speedFactor(_ fixesPerCommit: Int) -> Int { min(10 * fixesPerCommit, 100) }
    /// More locations than between two snapshots of the tracker's state.
    private static let warmUpLocations = 1200

    let options: Options
    private var database: String { Files.path("disk.db") }

    func run(into report: inout Report) throws {
        // The requirement for delivery with receipts is about a record a commit.
        let cases = options.recorder == nil ? [(1, 5.5), (10, 1.3), (60, 0.7)] : [(1, 5.5)]
        for (fixesPerCommit, bar) in cases {
            let name =
                (fixesPerCommit == 1 ? "at once" : "\(fixesPerCommit) a commit")
                + (options.recorder == nil ? "" : ", with receipts")
            do {
                try measure(fixesPerCommit, name: name, bar: bar, into: &report)
            } catch {
                report.fail("bytes to the device per location, \(name)", error)
            }
        }
    }

    private func measure(_ fixesPerCommit: Int, name: String, bar: Double, into report: inout Report) throws {
        let (locations, counts, kernelBytes) = try drive(fixesPerCommit)
        let perLocation = Double(counts.bytesToDevice) / Double(locations) / 1000
        report.add(
            "bytes to the device per location, \(name) (kB)", ours: text(perLocation),
            others: "write_bytes \(text(Double(kernelBytes) / Double(locations) / 1000))",
            bar: "≤ \(text(bar, 1))", isMet: perLocation <= bar)
        // A checkpoint adds three fsyncs each few hundred commits: of the log before it is copied, of the database, and
        // of the new log.
        let own = counts.fsyncs - 3 * counts.checkpoints
        // One fsync or commit may be at the beginning or the end of the measured time.
        report.add(
            "  fsyncs a commit, checkpoints apart", ours: text(Double(own) / Double(counts.commits), 3),
            others: "\(counts.fsyncs) fsyncs, \(counts.checkpoints) checkpoints, \(counts.commits) commits, "
                + "\(locations) locations", bar: "1", isMet: counts.commits > 1 && abs(own - counts.commits) <= 1)
    }

    /// The times of delivery with receipts in a real drive, seconds: between two receipts, and until a record that a
    /// database has is deleted. The agent's default for the latter is a day, after which a benchmark would begin.
    private static let (receiptSeconds, keepSeconds) = (600, 600)

    /// Starts the recorder whose receipts are measured; nil if there is none.
    private func startedRecorder(port: UInt16, speed: Int) throws -> ChildProcess? {
        guard let recorder = options.recorder else { return nil }
        let (file, configuration) = (Files.path("recorder.db"), Files.path("recorder.json5"))
        Files.removeDatabase(file)
        try Files.write(
            """
            { fleets: ["acme"], database: { path: "\(file)" }, broker: { url: "mqtt://127.0.0.1:\(port)" },
              receipt_interval: \(max(Self.receiptSeconds / speed, 1)) }
            """, to: configuration)
        return try ChildProcess([recorder, "run", "--config", configuration], output: Files.path("recorder.log"))
    }

    private func drive(_ fixesPerCommit: Int) throws -> (Int, WriteTrace.Counts, Int) {
        Files.removeDatabase(database)
        let broker = try Broker()
        defer { broker.stop() }
        let trace = Files.path("strace.txt")
        let speed = Self.speedFactor(fixesPerCommit)
        let interval = fixesPerCommit == 1 ? 0 : (Double(fixesPerCommit) - 0.5) / Double(speed)
        let capture = Files.path("drive.jsonl")
        try Capture.writeMotion(to: capture, seconds: (options.diskSeconds + 60) * speed + Self.warmUpLocations)
        let recorder = try startedRecorder(port: broker.port, speed: speed)
        defer { recorder?.stop() }
        let delivery =
            recorder == nil
            ? "" : ", delivery: \"receipt\", delivery_recorders: [\"main\"], delivery_keep: \(Self.keepSeconds / speed)"
        let agent = try RunningAgent(
            configuration: RunningAgent.configuration(
                port: broker.port, database: database,
                source: "{ replay: { file: \"\(capture)\", speed: \(speed) } }",
                tracking: "{ \(RunningAgent.everyFix), commit_interval: \(interval)\(delivery) }"))
        // The file grows until the first snapshot. The measurement begins after that.
        try waitFor("the steady state", seconds: 300, everyMilliseconds: 200) {
            try agent.status("seq").flatMap { $0[0] >= Self.warmUpLocations ? true : nil }
        }
        let strace = try ChildProcess(
            [
                "strace", "-f", "-y", "-s", "\(WriteTrace.frameHeaderBytes)", "-e", "trace=pwrite64,fsync,fdatasync",
                "-o", trace, "-p",
                "\(agent.process.identifier)",
            ], output: Files.path("strace.log"))
        usleep(500_000)
        let before = (try waitFor("the agent", seconds: 5) { try agent.status("seq") })[0]
        let bytesBefore = agent.process.number("write_bytes", in: "io")
        usleep(UInt32(options.diskSeconds) * 1_000_000)
        let after = (try waitFor("the agent", seconds: 5) { try agent.status("seq") })[0]
        let bytes = agent.process.number("write_bytes", in: "io") - bytesBefore
        strace.stop(SIGINT)
        agent.process.stop()
        guard after > before else { throw Failure("no location was recorded: \(agent.process.output)") }
        return (after - before, WriteTrace(try Files.text(trace), database: database).counts, bytes)
    }
}
