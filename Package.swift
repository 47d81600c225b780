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

/// A room whose folder has a shorter name. Target names must be unique in the packages that embed this one.
func room(_ name: String, in folder: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(folder)", swiftSettings: strict)
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
                "Odograph", "OdographJSON", "Wire", "CivilTime", "Geodesy", "Crontab", "Tracking", "Positioning",
                "Store",
                "Link",
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
        room("OdographJSON", in: "JSON"),
        room("GeoJSON", ["CivilTime", "Geodesy", "Crontab", "Tracking", "OdographJSON"]),
        room("Wire", ["CivilTime", "OdographJSON"]),
        room(
            "Positioning", ["CivilTime", "Geodesy", "Tracking", "OdographJSON", "CExpat", "CTimex", "Threads", logging]),
        room("Store", ["CivilTime", "CSQLite", "CZlib", "Threads"]),
        room("Link", ["CMosquitto", "CMosquittoGuard", "Threads", logging]),
        room(
            "Odograph",
            [
                "CivilTime", "Geodesy", "Crontab", "Tracking", "OdographJSON", "GeoJSON", "Wire", "Positioning",
                "Store",
                "Link", "Threads", logging, lifecycle,
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
        tests(of: "JSON", ["OdographJSON", "Wire", "CivilTime"]),
        tests(of: "GeoJSON", ["GeoJSON", "OdographJSON", "Tracking", "CivilTime", "Geodesy", "Crontab"]),
        tests(of: "Tracking", ["Tracking", "CivilTime", "Geodesy", "Crontab"]),
        tests(of: "Wire", ["Wire", "OdographJSON", "CivilTime"]),
        tests(of: "Positioning", ["Positioning", "OdographJSON", "Tracking", "CivilTime", "Geodesy", "Threads"]),
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
                "Odograph", "OdographJSON", "Store", "Wire", "Tracking", "CivilTime", "Geodesy", "GeoJSON", "Link",
                "Positioning", "Threads", logging,
            ]),
        tests(
            of: "Integration",
            [
                "Odograph", "OdographJSON", "Link", "Positioning", "Store", "Tracking", "Wire", "CivilTime", "Threads",
                logging,
            ]),
        // Depends on what a program that embeds the agent depends on, and on nothing else of the package.
        tests(of: "Embedding", ["Odograph", logging, lifecycle, signals]),
        tests(of: "Structure", ["Wire", "OdographJSON"]),
    ],
    swiftLanguageModes: [.v6]
)
