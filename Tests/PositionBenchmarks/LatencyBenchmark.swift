import Glibc
import OdographLink
import Logging

/// The latency from the publish call to the acknowledgement event, with at most 20 messages in flight.
struct LatencyBenchmark {
    static let maximumInFlight = 20
    let options: Options

    private struct Run {
        var median: Double
        var p99: Double
        var longest: Double
        var gap: Double
    }

    func run(into report: inout Report) async throws {
        try await PreparedDatabase.make(at: Files.path("latency.db"), count: options.messages)
        var (ours, c): ([Run], [Run]) = ([], [])
        for index in 0..<options.runs {
            ours.append(try await client())
            c.append(try other())
            note("latency, run \(index + 1): ours \(line(ours)); C \(line(c))")
        }
        func median(_ runs: [Run], _ part: KeyPath<Run, Double>) -> Double {
            Samples(runs.map { $0[keyPath: part] * 1000 }).median
        }
        let p99 = median(ours, \.p99)
        report.add(
            "publish to acknowledgement, maximumInFlight 20, p99 (ms)", ours: text(p99, 3),
            others: text(median(c, \.p99), 3),
            ratio: text(p99 / median(c, \.p99)), bar: "≤ 1", isMet: p99 <= 1)
        report.add(
            "  p50 (ms)", ours: text(median(ours, \.median), 3), others: text(median(c, \.median), 3),
            ratio: text(median(ours, \.median) / median(c, \.median)))
        // The worst of all runs, not the median: no gap is allowed.
        let gap = (ours.map(\.gap).max() ?? .nan) * 1000
        report.add(
            "  longest gap between acknowledgements (ms)", ours: text(gap, 1),
            others: text((c.map(\.gap).max() ?? .nan) * 1000, 1), bar: "< 40", isMet: gap < 40)
    }

    private func line(_ runs: [Run]) -> String {
        runs.last.map {
            "p50 \(text($0.median * 1000, 3)), p99 \(text($0.p99 * 1000, 3)), longest \(text($0.longest * 1000, 1)), "
                + "gap \(text($0.gap * 1000, 1)) ms"
        } ?? "-"
    }

    private func client() async throws -> Run {
        let broker = try Broker()
        defer { broker.stop() }
        var configuration = LinkConfiguration(
            host: "127.0.0.1", port: broker.port, transport: .plain, clientID: "latency")
        configuration.maximumInFlight = Self.maximumInFlight
        let client = MQTTClient(
            configuration: configuration, logger: Logger(label: "latency") { _ in SwiftLogNoOpLogHandler() })
        client.start()
        var handed = [Double](repeating: 0, count: options.messages)
        var latencies: [Double] = []
        var (next, gap, last) = (0, 0.0, Double.nan)
        let payload = [UInt8](repeating: UInt8(ascii: "x"), count: 350)
        func feed(_ room: Int) {
            let batch = (0..<min(room, options.messages - next)).map { offset in
                OutgoingMessage(token: UInt64(next + offset), topic: "fleet/acme/van-7/location", payload: payload)
            }
            let now = monotonicSeconds()
            for offset in batch.indices { handed[next + offset] = now }
            next += batch.count
            client.publish(batch)
        }
        events: for await event in client.events {
            switch event {
            case .connected: feed(Self.maximumInFlight)
            case .acknowledged(let tokens):
                let now = monotonicSeconds()
                if !last.isNaN { gap = max(gap, now - last) }
                last = now
                for token in tokens { latencies.append(now - handed[Int(token)]) }
                if latencies.count == options.messages { break events }
                feed(tokens.count)
            case .disconnected(let failure, _): throw Failure("\(failure)")
            default: break
            }
        }
        await client.stop()
        let samples = Samples(latencies)
        return Run(median: samples.median, p99: samples.quantile(0.99), longest: samples.largest, gap: gap)
    }

    private func other() throws -> Run {
        let database = Files.path("latency-c.db")
        try Files.copyDatabase(Files.path("latency.db"), to: database)
        let broker = try Broker()
        defer { broker.stop() }
        // No deletes in between, because the disk is not measured here.
        let child = try ChildProcess(
            [options.drainInC, database, "\(broker.port)", "\(Self.maximumInFlight)", "\(options.messages)", "t"],
            output: Files.path("other.log"))
        guard child.wait() == 0 else { throw Failure(child.output) }
        let numbers = child.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count == 7 else { throw Failure(child.output) }
        return Run(median: numbers[3], p99: numbers[4], longest: numbers[5], gap: numbers[6])
    }
}
