// swift-tools-version: 6.2
// What the agent and its parts cost, each measured beside another way to do the same, in one run:
//
//     swift run -c release --package-path Tests/Benchmarks CrontabBenchmarks
//     swift run -c release --package-path Tests/Benchmarks GeodesyBenchmarks     (needs libgeos-dev)
//     swift run -c release --package-path Tests/Benchmarks TimelineEvaluation    (needs the corpora)
import PackageDescription

let agent: [Target.Dependency] = [.product(name: "Odograph", package: "odograph")]

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "odograph", path: "../..")],
    targets: [
        .executableTarget(name: "CrontabBenchmarks", dependencies: agent),
        .systemLibrary(name: "CGEOS", providers: [.apt(["libgeos-dev"])]),
        .executableTarget(name: "GeodesyBenchmarks", dependencies: agent + ["CGEOS"]),
        .executableTarget(name: "TimelineEvaluation", dependencies: agent),
    ],
    swiftLanguageModes: [.v6]
)
