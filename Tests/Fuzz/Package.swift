// swift-tools-version: 6.2
// Fuzzers for external input, with libFuzzer and its options. The flag also instruments the agent's modules and
// provides `main`; without it these targets do not link.
//
//     swift run -c release --sanitize fuzzer --package-path Tests/Fuzz CrontabFuzz -runs=1000000 -max_len=256
//     swift run -c release --sanitize fuzzer --package-path Tests/Fuzz GeoJSONFuzz -runs=1000000 -max_len=1024 /tmp/new
//     config
//     swift run -c release --sanitize fuzzer -Xswiftc -enable-testing --package-path Tests/Fuzz JSONFuzz \
//         -runs=10000000 -max_len=256 -dict=Tests/Fuzz/document.dict /tmp/new Tests/Fuzz/seeds/document
//     swift run -c release --sanitize fuzzer --package-path Tests/Fuzz ZoneFuzz -runs=1000000 /tmp/new
//     /usr/share/zoneinfo/Europe
//     swift run -c release --sanitize fuzzer -Xswiftc -enable-testing --package-path Tests/Fuzz DocumentFuzz \
//         -runs=1000000 -max_len=1024 -dict=Tests/Fuzz/document.dict /tmp/new Tests/Fuzz/seeds/document
//     swift run -c release --sanitize fuzzer --package-path Tests/Fuzz TimelineFuzz -runs=1000000 -max_len=400 \
//         -len_control=0 /tmp/new Tests/Fuzz/seeds/timeline
//
// The document's fuzzer uses internals of the module Odograph, as its tests do, hence -enable-testing. Four tests are
// short, seeded versions: MutationTests, ZoneMutationTests, DocumentMutationTests, StepSequenceTests.
//
// Folders after the options are corpora. New inputs are written into the first one, so put an empty folder
// (mkdir /tmp/new) before the seeds.
import PackageDescription

let agent: [Target.Dependency] = [.product(name: "Odograph", package: "odograph")]

let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "odograph", path: "../..")],
    targets: [
        .executableTarget(name: "CrontabFuzz", dependencies: agent),
        .executableTarget(name: "ZoneFuzz", dependencies: agent),
        .executableTarget(name: "DocumentFuzz", dependencies: agent),
        .executableTarget(name: "GeoJSONFuzz", dependencies: agent),
        .executableTarget(name: "JSONFuzz", dependencies: agent),
        .executableTarget(name: "TimelineFuzz", dependencies: agent),
    ],
    swiftLanguageModes: [.v6]
)
