// swift-tools-version: 6.2
// Costs of the agent and its parts, each compared with another implementation in the same run:
//
//     swift run -c release --package-path Tests/Benchmarks CrontabBenchmarks
//     swift run -c release --package-path Tests/Benchmarks GeodesyBenchmarks     (needs libgeos-dev)
//     swift run -c release --package-path Tests/Benchmarks GeoJSONBenchmarks
//     swift run -c release --package-path Tests/Benchmarks TimelineQueries       (a year of events on the disk)
//
// The whole agent against its requirements: builds the executable as it is released, then prints one table.
//
//     Tests/Benchmarks/run [drain] [latency] [disk] [idle] [analyze] [start] [--runs 5] [--records 100000] …
//
// The recorder against its requirements (the measuring program is Tests/RecorderBenchmarks, in the package of the
// agent):
//
//     Tests/Benchmarks/run record | vehicles | history [--records 100000] [--runs 3] …
//
// Needs mosquitto, strace, python3-paho-mqtt; for the recorder also postgresql and libpq-dev. Files are made in
// ODOGRAPH_BENCHMARK_FOLDER (/var/tmp), which must be on a real disk. Processor times are valid on a busy machine;
// rates and latencies are not: compare them within one run.
import PackageDescription

let agent: [Target.Dependency] = [.product(name: "Odograph", package: "odograph")]

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "odograph", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .executableTarget(name: "CrontabBenchmarks", dependencies: agent + ["CAllocations"]),
        .systemLibrary(name: "CGEOS", providers: [.apt(["libgeos-dev"])]),
        .target(name: "CAllocations"),
        // The shared measurements; the random number generator is that of the tests.
        .target(name: "Measuring", dependencies: agent),
        .executableTarget(name: "GeodesyBenchmarks", dependencies: agent + ["CAllocations", "CGEOS", "Measuring"]),
        .executableTarget(name: "GeoJSONBenchmarks", dependencies: agent + ["Measuring"]),
        .executableTarget(name: "ReportBenchmarks", dependencies: agent + ["Measuring"]),
        .executableTarget(name: "TimelineQueries", dependencies: agent),
        .executableTarget(
            name: "DrainInC", linkerSettings: [.linkedLibrary("mosquitto"), .linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "RecordInC",
            linkerSettings: [.linkedLibrary("mosquitto"), .linkedLibrary("sqlite3"), .linkedLibrary("pq")]),
        .executableTarget(
            name: "PositionBenchmarks", dependencies: agent + [.product(name: "Logging", package: "swift-log")]),
    ],
    swiftLanguageModes: [.v6]
)
