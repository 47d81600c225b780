// swift-tools-version: 6.2
// Fuzzers for what comes from outside: libFuzzer, with its options. The flag instruments the agent's modules too
// and brings the `main`; without it nothing here links.
//
//     swift run -c release --sanitize fuzzer --package-path Tests/Fuzz CrontabFuzz -runs=1000000 -max_len=256
//     swift run -c release --sanitize fuzzer --package-path Tests/Fuzz GeoJSONFuzz -runs=1000000 -max_len=1024 /tmp/new config
//     swift run -c release --sanitize fuzzer -Xswiftc -enable-testing --package-path Tests/Fuzz JSONFuzz \
//         -runs=10000000 -max_len=256 -dict=Tests/Fuzz/document.dict /tmp/new Tests/Fuzz/seeds/document
//     swift run -c release --sanitize fuzzer --package-path Tests/Fuzz ZoneFuzz -runs=1000000 /tmp/new /usr/share/zoneinfo/Europe
//     swift run -c release --sanitize fuzzer -Xswiftc -enable-testing --package-path Tests/Fuzz DocumentFuzz \
//         -runs=1000000 -max_len=1024 -dict=Tests/Fuzz/document.dict /tmp/new Tests/Fuzz/seeds/document
//
// Two fuzzers look inside of the rooms Odograph and OdographJSON, as their tests do: hence -enable-testing. Short forms of three,
// seeded, are among the tests: MutationTests, ZoneMutationTests, DocumentMutationTests.
//
// Folders after the options are corpora: what is new goes into the first, so make an empty one (mkdir /tmp/new) and name
// it before the seeds.
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
    ],
    swiftLanguageModes: [.v6]
)
