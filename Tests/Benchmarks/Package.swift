// swift-tools-version: 6.2
// Costs of the agent and its parts, each compared with another implementation in the same run:
//
//     swift run -c release --package-path Tests/Benchmarks CrontabBenchmarks
//     swift run -c release --package-path Tests/Benchmarks GeodesyBenchmarks     (needs libgeos-dev)
//     swift run -c release --package-path Tests/Benchmarks GeoJSONBenchmarks
//
// The whole agent against its requirements: builds the executable as it is released, then prints one table.
//
//     Tests/Benchmarks/run [drain] [latency] [disk] [idle] [analyze] [start] [--runs 5] [--records 100000] …
//
// The recorder against its requirements:
//
//     Tests/Benchmarks/run record | vehicles | history [--records 100000] [--runs 3] …
//
// The measuring programs of both, Tests/PositionBenchmarks and Tests/RecorderBenchmarks, are in the package of the
// agent, because they use modules that are no products; so is Tests/TimelineQueries.
//
// Needs mosquitto, strace, python3-paho-mqtt; for the recorder also postgresql and libpq-dev. Files are made in
// ODOGRAPH_BENCHMARK_FOLDER (/var/tmp), which must be on a real disk. Processor times are valid on a busy machine;
// rates and latencies are not: compare them within one run.
import PackageDescription

let agent: [Target.Dependency] = [.product(name: "Odograph", package: "odograph")]

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "odograph", path: "../..")],
    targets: [
        .executableTarget(name: "CrontabBenchmarks", dependencies: agent + ["CAllocations"]),
        .systemLibrary(name: "CGEOS", providers: [.apt(["libgeos-dev"])]),
        .target(name: "CAllocations"),
        // The shared measurements; the random number generator is that of the tests.
        .target(name: "Measuring", dependencies: agent),
        .executableTarget(name: "GeodesyBenchmarks", dependencies: agent + ["CAllocations", "CGEOS", "Measuring"]),
        .executableTarget(name: "GeoJSONBenchmarks", dependencies: agent + ["Measuring"]),
        .executableTarget(name: "ReportBenchmarks", dependencies: agent + ["Measuring"]),
        .executableTarget(
            name: "DrainInC", linkerSettings: [.linkedLibrary("mosquitto"), .linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "RecordInC",
            linkerSettings: [.linkedLibrary("mosquitto"), .linkedLibrary("sqlite3"), .linkedLibrary("pq")]),
    ],
    swiftLanguageModes: [.v6]
)
