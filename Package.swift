// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// A module in a folder of Sources. It may import what it depends on here; a test compares the sources with it.
func module(_ folder: String, name: String? = nil, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name ?? folder, dependencies: dependencies, path: "Sources/\(folder)", swiftSettings: strict)
}

func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: dependencies + ["Harness"], swiftSettings: strict)
}

let package = Package(
    name: "odograph",
    products: [
        .executable(name: "odograph", targets: ["CLI"]),
        // The agent, and the modules whose types its settings contain.
        .library(
            name: "Odograph",
            targets: [
                "Odograph", "OdographJSON", "OdographModel", "Wire", "CivilTime", "Geodesy", "Crontab", "Tracking",
                "Positioning",
                "Store",
                "Link",
            ]),
        // What a program of an operator uses beside the agent: analysis of captures, control of agents, fleet, reports.
        .library(name: "OdographOperator", targets: ["OdographOperator"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CMosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CTimex"),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),

        .target(name: "CMosquittoGuard", linkerSettings: [.linkedLibrary("mosquitto")]),
        module("CivilTime"),
        module("Threads"),
        module("Geodesy"),
        module("Crontab", ["CivilTime"]),
        module("JSON", name: "OdographJSON"),
        module("Model", name: "OdographModel", ["CivilTime", "Geodesy", "Crontab"]),
        module("Tracking", ["OdographModel", "CivilTime", "Geodesy", "Crontab"]),
        module("GeoJSON", ["OdographJSON", "OdographModel", "CivilTime", "Geodesy", "Crontab"]),
        module("Wire", ["CivilTime", "OdographJSON"]),
        module(
            "Positioning",
            ["OdographJSON", "OdographModel", "CivilTime", "Geodesy", "CExpat", "CTimex", "Threads", logging]),
        module("Store", ["CivilTime", "CSQLite", "CZlib", "Threads"]),
        module("Link", ["CMosquitto", "CMosquittoGuard", "Threads", logging]),
        module(
            "Odograph",
            [
                "OdographJSON", "OdographModel", "CivilTime", "Geodesy", "Crontab", "Tracking", "GeoJSON", "Wire",
                "Positioning",
                "Store",
                "Link",
                "Threads", logging, lifecycle,
            ]),
        module(
            "Operator", name: "OdographOperator",
            [
                "Odograph", "OdographJSON", "OdographModel", "CivilTime", "Geodesy", "Crontab", "Tracking", "GeoJSON",
                "Wire", "Positioning", "Store",
                "Link",
                "Threads", logging,
            ]),
        .executableTarget(
            name: "CLI",
            dependencies: [
                "Odograph", "OdographOperator", "OdographModel", "Positioning", "Wire", "CivilTime", "Threads",
                argumentParser, logging,
                lifecycle, signals,
            ],
            swiftSettings: strict),

        .target(
            name: "Harness", dependencies: ["CivilTime", "Crontab", "Geodesy", "Threads", "Tracking"],
            path: "Tests/Harness", swiftSettings: strict),
        tests(of: "CivilTime", ["CivilTime"]),
        tests(of: "Geodesy", ["Geodesy"]),
        tests(of: "Crontab", ["Crontab", "CivilTime"]),
        tests(of: "JSON", ["OdographJSON", "Wire", "CivilTime"]),
        tests(
            of: "GeoJSON", ["GeoJSON", "OdographJSON", "OdographModel", "Tracking", "CivilTime", "Geodesy", "Crontab"]),
        tests(of: "Tracking", ["Tracking", "CivilTime", "Geodesy", "Crontab"]),
        tests(of: "Wire", ["Wire", "OdographJSON", "CivilTime"]),
        tests(
            of: "Positioning",
            ["Positioning", "OdographJSON", "OdographModel", "Tracking", "CivilTime", "Geodesy", "Threads"]),
        tests(of: "Store", ["Store", "CivilTime", "CSQLite", "CSimulatedDisk", "StoreCrashProbe", "Threads"]),
        .target(name: "CSimulatedDisk", dependencies: ["CSQLite"], path: "Tests/CSimulatedDisk"),
        .executableTarget(
            name: "StoreCrashProbe", dependencies: ["Store", "CivilTime"], path: "Tests/StoreCrashProbe",
            swiftSettings: strict),
        tests(of: "Link", ["Link", "Threads", logging]),
        tests(of: "CLI", ["CLI"]),
        tests(
            of: "Odograph",
            [
                "Odograph", "OdographOperator", "OdographJSON", "OdographModel", "Store", "Wire", "Tracking",
                "CivilTime", "Geodesy", "GeoJSON", "Link",
                "Positioning", "Threads", logging,
            ]),
        tests(
            of: "Integration",
            [
                "Odograph", "OdographOperator", "OdographJSON", "OdographModel", "Link", "Positioning", "Store",
                "Tracking", "Wire", "CivilTime",
                "Threads", logging,
            ]),
        // Depends on what a program that embeds the agent depends on, and on nothing else of the package.
        tests(of: "Embedding", ["Odograph", "OdographOperator", logging, lifecycle, signals]),
        tests(of: "Structure", ["Wire", "OdographJSON"]),
    ],
    swiftLanguageModes: [.v6]
)
