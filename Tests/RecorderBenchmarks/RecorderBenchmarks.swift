import Glibc
import OdographHarness

/// The recorder against its requirements; `Tests/Benchmarks/run record|vehicles|history|crowd|roll` builds and runs it.
@main
struct RecorderBenchmarks {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            switch options.part {
            case .record: try await RecordBenchmark(options: options).run()
            case .vehicles: try await VehiclesBenchmark(options: options).run()
            case .history: try await HistoryBenchmark(options: options).run()
            case .crowd: try await CrowdBenchmark(options: options).run()
            case .roll: try await RollBenchmark(options: options).run()
            }
        } catch {
            note("\(error)")
            exit(EX_SOFTWARE)
        }
    }
}

/// Prints a progress message to the standard error; the results go to the standard output.
func note(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// Returns a number with a fixed count of decimals.
func text(_ value: Double, _ decimals: Int = 2) -> String {
    guard value.isFinite else { return "-" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int((value.magnitude * scale).rounded())
    let sign = value < 0 ? "-" : ""
    guard decimals > 0 else { return sign + "\(scaled)" }
    let fraction = "\(scaled % Int(scale))"
    return sign + "\(scaled / Int(scale))." + String(repeating: "0", count: decimals - fraction.count) + fraction
}

/// Returns the seconds of a function.
func seconds(of body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return start.seconds
}

extension ContinuousClock.Instant {
    /// The seconds since this instant.
    var seconds: Double { duration(to: .now) / .seconds(1) }
}

/// The results of several runs.
struct Samples {
    private let sorted: [Double]

    init(_ values: [Double]) { sorted = values.sorted() }

    var median: Double { quantile(0.5) }

    /// Returns the value that a part of the values do not exceed.
    func quantile(_ part: Double) -> Double {
        sorted.isEmpty ? .nan : sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)]
    }
}
