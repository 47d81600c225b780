// swift-tools-version: 6.2
// What the agent's parts cost, each measured beside the naive way to do the same, in one run:
//
//     swift run -c release --package-path Tests/Benchmarks GeodesyBenchmarks
import PackageDescription

let agent: [Target.Dependency] = [.product(name: "Odograph", package: "odograph")]

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "odograph", path: "../..")],
    targets: [
        .systemLibrary(name: "CGEOS", providers: [.apt(["libgeos-dev"])]),
        .executableTarget(name: "GeodesyBenchmarks", dependencies: agent + ["CGEOS"]),
    ],
    swiftLanguageModes: [.v6]
)
