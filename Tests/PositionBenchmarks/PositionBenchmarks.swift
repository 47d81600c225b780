import Glibc

/// The agent against its requirements; `Tests/Benchmarks/run` builds and runs it.
@main
struct PositionBenchmarks {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            let report = await run(options)
            Files.removeAll()
            report.print()
        } catch {
            note("\(error)")
            exit(EX_USAGE)
        }
    }

    private static func run(_ options: Options) async -> Report {
        var report = Report()
        for name in Options.names where options.wants(name) {
            do {
                switch name {
                case "drain": try await DrainBenchmark(options: options).run(into: &report)
                case "latency": try await LatencyBenchmark(options: options).run(into: &report)
                case "disk": try DiskBenchmark(options: options).run(into: &report)
                case "idle": try IdleBenchmark(options: options).run(into: &report)
                case "analyze": try AnalyzeBenchmark(options: options).run(into: &report)
                case "start": try await StartBenchmark(options: options).run(into: &report)
                default: break
                }
            } catch {
                report.fail(name, error)
            }
        }
        return report
    }
}

/// Prints a progress message to the standard error; the table goes to the standard output.
func note(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}
