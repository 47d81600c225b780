// swift-tools-version: 6.2
import PackageDescription

// The scripts of this repository set this for the tests; a build for use does not. A warning is an error then: another
// compiler or another library of the system has other warnings, and they must not stop the build of a user. The header
// of a library can deprecate a function at any time, so that is never an error.
let isForTests = Context.environment["ODOGRAPH_BUILD"] == "tests"

let strict: [SwiftSetting] =
    (isForTests ? [.treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning)] : [])
    + [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility")]

// The folders whose tests compute for long. For the tests they are optimized also in a debug build, with its
// assertions.
let computing: Set = [
    "Batches", "CivilTime", "Compression", "Crontab", "GeoJSON", "Geodesy", "Harness", "JSON", "Model", "Tracking",
    "Wire",
]

func settings(of folder: String) -> [SwiftSetting] {
    guard isForTests, computing.contains(folder) else { return strict }
    return strict + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]
}

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
// A program that embeds the agent with `traits: []` resolves only what the agent itself needs. Only one trait is a default:
// SwiftPM gives the names of the traits to the compiler in a random order, and another order builds everything again.
let lifecycle: Target.Dependency = .product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Commands", "Lifecycle"]))
let signals: Target.Dependency = .product(
    name: "UnixSignals", package: "swift-service-lifecycle", condition: .when(traits: ["Commands", "Lifecycle"]))
let argumentParser: Target.Dependency = .product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Commands"]))

/// A module in a folder of Sources. It may import what it depends on here; a test compares the sources with it.
/// The name has a prefix, because the names of all targets in the package graph of an embedding program must be unique.
func module(_ folder: String, uses folders: [String] = [], _ others: [Target.Dependency] = []) -> Target {
    .target(
        name: name(of: folder), dependencies: modules(folders) + others, path: "Sources/\(folder)",
        swiftSettings: settings(of: folder))
}

func name(of folder: String) -> String { folder == "Odograph" ? folder : "Odograph\(folder)" }

func modules(_ folders: [String]) -> [Target.Dependency] { folders.map { .target(name: name(of: $0)) } }

/// The module map of a C library in a folder of Sources.
func library(_ folder: String, _ package: String, pkgConfig: String? = nil) -> Target {
    .systemLibrary(
        name: "COdograph\(folder.dropFirst())", path: "Sources/\(folder)", pkgConfig: pkgConfig,
        providers: [.apt([package])])
}

/// - Parameter scripts: Files of the folder that are not built.
func tests(
    of folder: String, uses folders: [String] = [], _ others: [Target.Dependency] = [], scripts: [String] = []
) -> Target {
    .testTarget(
        name: "\(folder)Tests", dependencies: modules(folders + ["Harness"]) + others, exclude: scripts,
        swiftSettings: strict)
}

let package = Package(
    name: "odograph",
    products: [
        .executable(name: "odograph", targets: [name(of: "CLI")]),
        .executable(name: "odograph-recorder", targets: [name(of: "RecorderCLI")]),
        // The agent, and the modules that a program may import beside it. It exports all public types of Store and
        // Link.
        .library(
            name: "Odograph",
            targets: [
                "Odograph", "JSON", "Model", "Wire", "CivilTime", "Geodesy", "Crontab", "Tracking", "Beacons",
                "Positioning", "Settings",
            ].map(name(of:))),
        // The agent as a service of swift-service-lifecycle.
        .library(name: "OdographLifecycle", targets: ["OdographLifecycle"]),
        // What a program of an operator uses beside the agent: analysis of captures, control of agents, fleet, reports.
        .library(name: "OdographOperator", targets: ["Operator", "Terminal"].map(name(of:))),
    ],
    traits: [
        .trait(name: "Commands", description: "The programs odograph and odograph-recorder, and OdographLifecycle."),
        .trait(name: "Lifecycle", description: "The product OdographLifecycle: the agent as a service."),
        .default(enabledTraits: ["Commands"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        library("CMosquitto", "libmosquitto-dev"),
        library("CSQLite", "libsqlite3-dev", pkgConfig: "sqlite3"),
        library("CZlib", "zlib1g-dev", pkgConfig: "zlib"),
        library("CExpat", "libexpat1-dev", pkgConfig: "expat"),
        .systemLibrary(name: "COdographTimex", path: "Sources/CTimex"),
        .systemLibrary(name: "COdographCAN", path: "Sources/CCAN"),
        .systemLibrary(name: "COdographSpawn", path: "Sources/CSpawn"),
        .target(name: "COdographTCPInfo", path: "Sources/CTCPInfo"),
        .target(name: "COdographTLS", path: "Sources/CTLS"),
        .target(
            name: "COdographMosquittoGuard", path: "Sources/CMosquittoGuard",
            linkerSettings: [.linkedLibrary("mosquitto")]),
        module("CivilTime", ["COdographTimex"]),
        module("Threads"),
        module("Geodesy"),
        module("Crontab", uses: ["CivilTime"]),
        module("JSON"),
        module("Model", uses: ["CivilTime", "Geodesy", "Crontab"]),
        module("Tracking", uses: ["Model", "CivilTime", "Geodesy", "Crontab"]),
        module("GeoJSON", uses: ["JSON", "Model", "CivilTime", "Geodesy", "Crontab"]),
        module("Wire", uses: ["CivilTime", "JSON"]),
        module("VehicleBus", uses: ["Model", "CivilTime"]),
        module("Beacons", uses: ["Model"]),
        .target(name: "COdographSystemdBus", path: "Sources/CSystemdBus"),
        module("GPX", uses: ["CivilTime"], ["COdographExpat"]),
        module(
            "Positioning", uses: ["JSON", "Model", "VehicleBus", "Beacons", "GPX", "CivilTime", "Geodesy", "Threads"],
            ["COdographCAN", "COdographSystemdBus", logging]),
        module("SQLite", ["COdographSQLite"]),
        .target(name: "COdographPostgreSQL", path: "Sources/CPostgreSQL"),
        module("PostgreSQL", ["COdographPostgreSQL"]),
        .target(name: "COdographCurl", path: "Sources/CCurl"),
        module("HTTP", ["COdographCurl"]),
        module("Compression", ["COdographZlib"]),
        module("Store", uses: ["SQLite", "Compression", "Wire", "CivilTime", "Threads"]),
        module("Batches", uses: ["Compression", "Wire", "JSON", "CivilTime"]),
        module(
            "Link", uses: ["Threads"],
            ["COdographMosquitto", "COdographMosquittoGuard", "COdographTCPInfo", "COdographTLS", logging]),
        module("Settings", uses: ["JSON", "CivilTime", "Crontab", "Link"]),
        module("Terminal", uses: ["Settings", "JSON", "CivilTime", "Wire", "Link", "Threads"], [logging]),
        module(
            "Odograph",
            uses: [
                "Settings", "JSON", "Model", "CivilTime", "Geodesy", "Crontab", "Tracking", "GeoJSON", "Wire",
                "Beacons", "Positioning", "Store", "Batches", "Link", "Threads",
            ], [logging]),
        module("Lifecycle", uses: ["Odograph"], [lifecycle]),
        module(
            "Operator",
            uses: [
                "Odograph", "Terminal", "JSON", "Model", "CivilTime", "Geodesy", "Crontab", "Tracking", "GeoJSON",
                "Wire", "Positioning", "Store", "Link", "Threads",
            ], [logging]),
        module("Console", uses: ["Settings", "Terminal", "CivilTime", "Threads"], [argumentParser, logging]),
        .executableTarget(
            name: name(of: "CLI"),
            dependencies: modules([
                "Odograph", "Operator", "Console", "Model", "Positioning", "Wire", "CivilTime", "Threads",
            ]) + [argumentParser, logging, signals],
            path: "Sources/CLI",
            swiftSettings: strict),
        module(
            "Recorder",
            uses: [
                "Settings", "Terminal", "SQLite", "PostgreSQL", "HTTP", "Batches", "Compression", "GPX", "JSON",
                "Wire", "Link", "Crontab", "CivilTime", "Threads",
            ],
            ["COdographSpawn", logging]),
        .executableTarget(
            name: name(of: "RecorderCLI"),
            dependencies: modules([
                "Settings", "Terminal", "Console", "Recorder", "Wire", "CivilTime", "Threads",
            ]) + [argumentParser, logging, signals],
            path: "Sources/RecorderCLI",
            swiftSettings: strict),

        .target(
            name: name(of: "Harness"),
            dependencies: modules([
                "CivilTime", "Crontab", "Geodesy", "JSON", "SQLite", "Store", "Threads", "Tracking", "Wire",
            ]) + [logging],
            path: "Tests/Harness", swiftSettings: settings(of: "Harness")),
        tests(of: "CivilTime", uses: ["CivilTime"]),
        tests(of: "Geodesy", uses: ["Geodesy"]),
        tests(of: "Crontab", uses: ["Crontab", "CivilTime"]),
        tests(of: "JSON", uses: ["JSON", "Wire", "CivilTime"]),
        tests(
            of: "GeoJSON", uses: ["GeoJSON", "JSON", "Model", "Tracking", "CivilTime", "Geodesy", "Crontab"]),
        tests(of: "Tracking", uses: ["Tracking", "CivilTime", "Geodesy", "Crontab"]),
        tests(of: "VehicleBus", uses: ["VehicleBus", "Model", "CivilTime"]),
        tests(of: "Beacons", uses: ["Beacons", "Model"]),
        .executableTarget(
            name: "VehicleBusProbe", dependencies: modules(["VehicleBus", "Positioning", "Model", "CivilTime"]),
            path: "Tests/VehicleBusProbe", swiftSettings: strict),
        tests(of: "Wire", uses: ["Wire", "JSON", "CivilTime"]),
        tests(of: "Compression", uses: ["Compression"]),
        tests(of: "Batches", uses: ["Batches", "Compression", "Wire", "JSON", "CivilTime", "Tracking"]),
        tests(
            of: "Positioning",
            uses: [
                "Positioning", "VehicleBus", "Beacons", "JSON", "Model", "Tracking", "CivilTime", "Geodesy", "Threads",
            ]),
        tests(
            of: "Store", uses: ["Store", "SQLite", "Wire", "CivilTime", "Threads"],
            ["COdographSQLite", "CSimulatedDisk", "StoreCrashProbe"]),
        .target(name: "CSimulatedDisk", dependencies: ["COdographSQLite"], path: "Tests/CSimulatedDisk"),
        .executableTarget(
            name: "StoreCrashProbe", dependencies: modules(["Store", "Wire", "CivilTime"]),
            path: "Tests/StoreCrashProbe", swiftSettings: strict),
        // `Tests/Benchmarks/run` runs these two, and `swift run -c release` the third. They are here because they use
        // modules that are no products.
        .executableTarget(
            name: "PositionBenchmarks",
            dependencies: modules([
                "Store", "Link", "Positioning", "Tracking", "Model", "Wire", "CivilTime", "Geodesy", "Harness",
            ]) + [logging],
            path: "Tests/PositionBenchmarks", swiftSettings: strict),
        .executableTarget(
            name: "RecorderBenchmarks",
            dependencies: modules([
                "Recorder", "Odograph", "Operator", "SQLite", "PostgreSQL", "JSON", "Model", "Wire", "Link",
                "CivilTime", "Geodesy", "Harness",
            ]) + [logging],
            path: "Tests/RecorderBenchmarks", swiftSettings: strict),
        .executableTarget(
            name: "TimelineQueries", dependencies: modules(["Store", "Wire", "CivilTime"]),
            path: "Tests/TimelineQueries", swiftSettings: strict),
        // Measures the accuracy on recorded and simulated drives. It is here so that it shares the build of the
        // packages.
        .executableTarget(
            name: "TimelineEvaluation",
            dependencies: modules(["Tracking", "Positioning", "Model", "CivilTime", "Geodesy", "Harness"])
                + [argumentParser],
            path: "Tests/TimelineEvaluation", swiftSettings: strict),
        tests(of: "Link", uses: ["Link", "Threads"], [logging]),
        tests(of: "Settings", uses: ["Settings", "Link"]),
        tests(of: "Terminal", uses: ["Terminal", "Settings", "JSON", "Link", "Wire", "CivilTime"], [logging]),
        tests(of: "CLI", uses: ["CLI"]),
        tests(
            of: "Recorder",
            uses: [
                "Recorder", "Odograph", "Operator", "Positioning", "Model", "Geodesy", "SQLite", "PostgreSQL", "HTTP",
                "Compression", "Store", "Batches", "JSON", "Wire", "Link", "Crontab", "CivilTime", "Threads",
                "Tracking",
            ], [logging]),
        tests(
            of: "Odograph",
            uses: [
                "Odograph", "Operator", "Settings", "JSON", "Model", "SQLite", "Store", "Batches", "Wire", "Tracking",
                "CivilTime", "Geodesy", "GeoJSON", "Link", "Beacons", "Positioning", "Threads",
            ], [logging]),
        tests(
            of: "Integration",
            uses: [
                "Odograph", "Operator", "JSON", "Model", "Link", "Positioning", "PostgreSQL", "SQLite", "Store",
                "Batches", "Tracking", "Wire", "CivilTime", "Threads",
            ], [logging]),
        // Depends on what a program that embeds the agent depends on, and on nothing else of the package.
        tests(
            of: "Embedding", uses: ["Odograph", "Lifecycle", "Operator"], [logging, lifecycle, signals],
            scripts: ["resolve"]),
        tests(of: "Structure", uses: ["Wire", "JSON"]),
    ],
    swiftLanguageModes: [.v6]
)
