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

/// A room of the agent. What it may import is what it depends on here; a test holds the sources against it.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: dependencies + ["Harness"], swiftSettings: strict)
}

let package = Package(
    name: "odograph",
    products: [
        .executable(name: "odograph", targets: ["CLI"]),
        // Beside the agent the rooms whose types its settings are made of.
        .library(
            name: "Odograph",
            targets: [
                "Odograph", "Wire", "CivilTime", "Geodesy", "Crontab", "Tracking", "Positioning", "Store", "Link",
            ]),
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
        room("CivilTime"),
        room("Threads"),
        room("Geodesy"),
        room("Crontab", ["CivilTime"]),
        room("Tracking", ["CivilTime", "Geodesy", "Crontab"]),
        room("GeoJSON", ["CivilTime", "Geodesy", "Crontab", "Tracking"]),
        room("Wire", ["CivilTime"]),
        room("Positioning", ["CivilTime", "Geodesy", "Tracking", "CExpat", "CTimex", "Threads", logging]),
        room("Store", ["CivilTime", "CSQLite", "CZlib", "Threads"]),
        room("Link", ["CMosquitto", "CMosquittoGuard", "Threads", logging]),
        room(
            "Odograph",
            [
                "CivilTime", "Geodesy", "Crontab", "Tracking", "GeoJSON", "Wire", "Positioning", "Store", "Link",
                "Threads", logging, lifecycle,
            ]),
        .executableTarget(
            name: "CLI",
            dependencies: [
                "Odograph", "Positioning", "Wire", "CivilTime", "Threads", argumentParser, logging, lifecycle, signals,
            ],
            swiftSettings: strict),

        .target(
            name: "Harness", dependencies: ["CivilTime", "Crontab", "Geodesy", "Threads", "Tracking"],
            path: "Tests/Harness", swiftSettings: strict),
        tests(of: "CivilTime", ["CivilTime"]),
        tests(of: "Geodesy", ["Geodesy"]),
        tests(of: "Crontab", ["Crontab", "CivilTime"]),
        tests(of: "GeoJSON", ["GeoJSON", "Tracking", "CivilTime", "Geodesy", "Crontab"]),
        tests(of: "Tracking", ["Tracking", "CivilTime", "Geodesy", "Crontab"]),
        tests(of: "Wire", ["Wire", "CivilTime"]),
        tests(of: "Positioning", ["Positioning", "Tracking", "CivilTime", "Geodesy", "Threads"]),
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
                "Odograph", "Store", "Wire", "Tracking", "CivilTime", "Geodesy", "GeoJSON", "Link", "Positioning",
                "Threads", logging,
            ]),
        tests(
            of: "Integration",
            ["Odograph", "Link", "Positioning", "Store", "Tracking", "Wire", "CivilTime", "Threads", logging]),
        // Depends on what a program that embeds the agent depends on, and on nothing else of the package.
        tests(of: "Embedding", ["Odograph", logging, lifecycle, signals]),
        tests(of: "Structure", ["Wire"]),
    ],
    swiftLanguageModes: [.v6]
)
