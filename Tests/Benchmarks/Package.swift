// swift-tools-version: 6.2
// What the agent and its parts cost, each measured beside another way to do the same, in one run:
//
//     swift run -c release --package-path Tests/Benchmarks CrontabBenchmarks
//     swift run -c release --package-path Tests/Benchmarks GeodesyBenchmarks     (needs libgeos-dev)
//     swift run -c release --package-path Tests/Benchmarks GeoJSONBenchmarks
//     swift run -c release --package-path Tests/Benchmarks ReportBenchmarks      (gpsd's reports)
//     swift run -c release --package-path Tests/Benchmarks TimelineEvaluation    (needs the corpora; --geofences: those alone;
//                                                                       --sensitivity: what hangs on each figure;
//                                                                       --perturbed: the same from worse receivers)
//     swift run -c release --package-path Tests/Benchmarks TimelineQueries       (a year of events on the disk)
//
// The whole agent, against what it must reach: builds the executable as it ships, then prints one table.
//
//     Tests/Benchmarks/run [drain] [latency] [disk] [idle] [analyze] [start] [--runs 5] [--records 100000] …
//
// needs mosquitto, strace, python3-paho-mqtt. Files are made in ODOGRAPH_BENCHMARK_FOLDER (/var/tmp), which must be on a
// real disk. Processor times bear a busy machine; rates and latencies do not: they are read beside each other.
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
        // What several of them measure and draw lots with; the generator is the tests' own.
        .target(name: "Measuring", dependencies: agent),
        .executableTarget(name: "GeodesyBenchmarks", dependencies: agent + ["CAllocations", "CGEOS", "Measuring"]),
        .executableTarget(name: "GeoJSONBenchmarks", dependencies: agent + ["Measuring"]),
        .executableTarget(name: "ReportBenchmarks", dependencies: agent + ["Measuring"]),
        .executableTarget(name: "TimelineEvaluation", dependencies: agent + ["Measuring"]),
        .executableTarget(name: "TimelineQueries", dependencies: agent),
        .executableTarget(
            name: "DrainInC", linkerSettings: [.linkedLibrary("mosquitto"), .linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "PositionBenchmarks", dependencies: agent + [.product(name: "Logging", package: "swift-log")]),
    ],
    swiftLanguageModes: [.v6]
)
