// swift-tools-version: 6.2
// What the agent's parts cost and how good they are, each measured beside the naive way to do the same, in one run:
//
//     swift run -c release --package-path Tests/Benchmarks TimelineEvaluation [CORPORA]
import PackageDescription

let agent: [Target.Dependency] = [.product(name: "Odograph", package: "odograph")]

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "odograph", path: "../..")],
    targets: [
        .executableTarget(name: "TimelineEvaluation", dependencies: agent)
    ],
    swiftLanguageModes: [.v6]
)
