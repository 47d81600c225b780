import OdographCivilTime
import OdographGeodesy
import Glibc
import OdographModel
import OdographPositioning
import OdographTracking

/// The tracker alone over a long drive, and `odograph analyze` over its capture.
struct AnalyzeBenchmark {
    let options: Options

    func run(into report: inout Report) throws {
        let capture = Files.path("capture.jsonl")
        let fixes = try writeCapture(to: capture)
        var (core, whole, wholeProcessor): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<options.runs {
            core.append(Double(fixes.count) / processorSecondsOfCore(fixes))
            let start = monotonicSeconds()
            let child = try ChildProcess(
                [RunningAgent.executable, "analyze", capture], output: Files.path("analysis.jsonl"))
            guard child.wait() == 0 else { throw Failure("analyze: \(child.output.suffix(300))") }
            whole.append(Double(fixes.count) / (monotonicSeconds() - start))
            wholeProcessor.append(Double(fixes.count) / (child.usage?.seconds ?? .nan))
        }
        let coreMedian = Samples(core).median
        report.add(
            "analyze, the core alone (fixes/s of processor time)", ours: text(coreMedian, 0), bar: "≥ 200000",
            isMet: coreMedian >= 200_000)
        let median = Samples(wholeProcessor).median
        report.add(
            "analyze, the command (fixes/s of processor time)", ours: text(median, 0),
            others: "by the clock \(text(Samples(whole).median, 0))", bar: "≥ 50000", isMet: median >= 50_000)
    }

    private func processorSecondsOfCore(_ fixes: [Fix]) -> Double {
        var before = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before)
        var tracker = Tracker()
        var outputs = 0
        for fix in fixes { outputs += tracker.handle(.fix(fix)).count }
        var after = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after)
        precondition(outputs > 0, "a drive makes records")
        return Double(after.tv_sec - before.tv_sec) + Double(after.tv_nsec - before.tv_nsec) / 1e9
    }

    /// Writes a simulated drive as a gpsd capture.
    /// - Returns: Its fixes as a reader of the capture gets them.
    private func writeCapture(to path: String) throws -> [Fix] {
        guard let start = Coordinate(latitudeDegrees: 40.4168, longitudeDegrees: -3.7038) else { return [] }
        var settings = SimulatorSettings(seed: 1, start: start)
        settings.speedFactor = nil
        let capture = try Capture(path: path)
        defer { capture.close() }
        var simulator = DriveSimulator(settings, startTime: Timestamp(millisecondsSinceEpoch: 1_790_000_000_000))
        var fixes: [Fix] = []
        fixes.reserveCapacity(options.fixes)
        while fixes.count < options.fixes, let event = simulator.next() {
            guard case .fix(let fix) = event.content else { continue }
            fixes.append(fix)
            capture.write(fix)
        }
        return fixes
    }
}
