import Testing

/// The dependencies between the modules.
@Suite("Import rules")
struct ImportRuleTests {
    /// The modules that each folder of Sources may import.
    static let allowed: [String: Set<String>] = [
        "CivilTime": ["COdographTimex", "Glibc"],
        "Threads": ["Glibc", "Synchronization"],
        "Geodesy": ["Glibc"],
        "Crontab": ["OdographCivilTime"],
        "JSON": ["FoundationEssentials"],
        "Model": ["OdographCivilTime", "OdographGeodesy", "OdographCrontab"],
        "Tracking": ["OdographModel", "OdographCivilTime", "OdographGeodesy", "OdographCrontab", "Glibc"],
        "GeoJSON": ["OdographJSON", "OdographModel", "OdographCivilTime", "OdographGeodesy", "OdographCrontab"],
        "Wire": ["OdographCivilTime", "OdographJSON"],
        "VehicleBus": ["OdographModel", "OdographCivilTime"],
        "Beacons": ["OdographModel"],
        "Positioning": [
            "OdographModel", "OdographVehicleBus", "OdographBeacons", "OdographJSON", "OdographCivilTime",
            "OdographGeodesy",
            "OdographThreads", "OdographGPX",
            "COdographCAN", "COdographSystemdBus", "Logging", "Glibc",
            "Synchronization",
        ],
        "SQLite": ["COdographSQLite", "Glibc"],
        "PostgreSQL": ["COdographPostgreSQL"],
        "HTTP": ["COdographCurl"],
        "GPX": ["OdographCivilTime", "COdographExpat"],
        "Compression": ["COdographZlib"],
        "Store": [
            "OdographSQLite", "OdographCompression", "OdographWire", "OdographCivilTime", "OdographThreads", "Glibc",
        ],
        "Batches": ["OdographCompression", "OdographWire", "OdographJSON", "OdographCivilTime"],
        "Link": [
            "OdographThreads", "COdographMosquitto", "COdographMosquittoGuard", "COdographTCPInfo", "COdographTLS",
            "Logging",
            "Glibc",
            "Synchronization",
        ],
        "Settings": ["OdographJSON", "OdographCivilTime", "OdographCrontab", "OdographLink", "Glibc"],
        "Terminal": [
            "OdographSettings", "OdographJSON", "OdographCivilTime", "OdographWire", "OdographLink", "OdographThreads",
            "Logging", "Glibc",
        ],
        "Odograph": [
            "OdographSettings", "OdographModel", "OdographJSON", "OdographCivilTime", "OdographGeodesy",
            "OdographCrontab", "OdographTracking", "OdographGeoJSON", "OdographWire", "OdographBeacons",
            "OdographPositioning", "OdographStore", "OdographBatches",
            "OdographLink", "OdographThreads",
            "Logging", "FoundationEssentials", "Glibc", "Synchronization",
        ],
        "Lifecycle": ["Odograph", "ServiceLifecycle"],
        "Operator": [
            "Odograph", "OdographTerminal", "OdographModel", "OdographJSON", "OdographCivilTime", "OdographGeodesy",
            "OdographCrontab", "OdographTracking", "OdographGeoJSON",
            "OdographWire",
            "OdographPositioning", "OdographStore",
            "OdographLink",
            "OdographThreads", "Logging", "FoundationEssentials", "Glibc", "Synchronization",
        ],
        "CLI": [
            "Odograph", "OdographOperator", "OdographConsole", "OdographModel", "OdographJSON", "OdographCivilTime",
            "OdographWire", "OdographPositioning",
            "OdographThreads",
            "ArgumentParser", "Logging", "UnixSignals",
            "Glibc", "Synchronization",
        ],
        "Console": [
            "OdographSettings", "OdographTerminal", "OdographCivilTime", "OdographThreads", "ArgumentParser", "Logging",
            "Glibc",
        ],
        "Recorder": [
            "OdographSettings", "OdographTerminal", "OdographSQLite", "OdographJSON", "OdographWire", "OdographLink",
            "OdographPostgreSQL", "OdographHTTP", "OdographBatches", "OdographCompression", "OdographCrontab",
            "OdographGPX", "OdographCivilTime", "OdographThreads", "COdographSpawn", "Logging", "Glibc",
        ],
        "RecorderCLI": [
            "OdographSettings", "OdographTerminal", "OdographConsole", "OdographRecorder", "OdographWire",
            "OdographCivilTime", "OdographThreads", "ArgumentParser", "Logging", "UnixSignals",
        ],
    ]
    /// The modules of system libraries, each with its only importer.
    static let soleImporters = [
        "COdographMosquitto": "Link", "COdographMosquittoGuard": "Link", "COdographSQLite": "SQLite",
        "COdographZlib": "Compression", "COdographExpat": "GPX",
        "COdographTimex": "CivilTime", "COdographCAN": "Positioning", "COdographPostgreSQL": "PostgreSQL",
        "COdographCurl": "HTTP", "COdographTCPInfo": "Link", "COdographSpawn": "Recorder",
        "COdographSystemdBus": "Positioning", "COdographTLS": "Link",
    ]
    /// The modules of the toolchain, which are not in the manifest.
    private static let toolchain: Set<String> = ["Glibc", "Synchronization", "Dispatch", "FoundationEssentials"]

    /// Returns the modules that a file imports, with any access modifier and any kind of declaration.
    private func imports(of file: ProjectTree.File) throws -> [String] {
        try file.lines(with: "import ").compactMap { line in
            let before: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
            let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
            let words = line.split(separator: " ").drop { $0.hasPrefix("@") || before.contains($0) }
            guard words.first == "import" else { return nil }
            // The import of a single declaration has the module before the dot.
            return words.dropFirst().first { !kinds.contains($0) }?.split(separator: ".").first.map(String.init)
        }
    }

    @Test("Every folder of Sources is a module or a module map")
    func folders() {
        let modules = Self.soleImporters.keys.map { "C\($0.dropFirst("COdograph".count))" }
        #expect(Set(ProjectTree.entries(of: "Sources")) == Set(Self.allowed.keys).union(modules))
    }

    @Test("A module imports only allowed modules that the manifest lists", arguments: allowed.keys.sorted())
    func imports(of folder: String) throws {
        let allowed = try #require(Self.allowed[folder])
        let declared = try #require(try Manifest.read().dependencies[folder]).union(Self.toolchain)
        for file in ProjectTree.swiftFiles(below: "Sources/\(folder)") {
            for module in try imports(of: file) {
                #expect(allowed.contains(module), "\(file) imports \(module)")
                #expect(declared.contains(module), "\(file) imports \(module), which the manifest does not say")
            }
        }
    }

    @Test("The manifest lists no dependency that a module must not import", arguments: allowed.keys.sorted())
    func manifest(of folder: String) throws {
        let declared = try #require(try Manifest.read().dependencies[folder])
        #expect(declared.subtracting(Self.allowed[folder] ?? []) == [])
    }

    @Test("A system library has one importer", arguments: soleImporters.keys.sorted())
    func importer(of module: String) throws {
        let importers = try Self.allowed.keys.filter { folder in
            try ProjectTree.swiftFiles(below: "Sources/\(folder)").contains { try imports(of: $0).contains(module) }
        }
        #expect(importers == [Self.soleImporters[module]])
    }

    @Test("Only the programs parse arguments")
    func argumentParser() throws {
        let importers = try Self.allowed.keys.filter { folder in
            try ProjectTree.swiftFiles(below: "Sources/\(folder)").contains {
                try imports(of: $0).contains("ArgumentParser")
            }
        }
        #expect(Set(importers) == ["CLI", "Console", "RecorderCLI"])
    }

    @Test("The folder of a module map contains only the map and the shim", arguments: soleImporters.keys.sorted())
    func moduleMap(of module: String) {
        // The guard defines a function that the library finds before the system's, and four others open a library; a
        // header can do neither. The counters of TCP need a header that cannot be imported.
        let withCode = [
            "COdographMosquittoGuard", "COdographPostgreSQL", "COdographCurl", "COdographTCPInfo",
            "COdographSystemdBus", "COdographTLS",
        ]
        guard !withCode.contains(module) else { return }
        #expect(
            ProjectTree.entries(of: "Sources/C\(module.dropFirst("COdograph".count))") == [
                "module.modulemap", "shim.h",
            ])
    }

    /// The same inputs must give the same records, in an analysis and after a restart.
    @Test(
        "The core reads no clock: the time is in its inputs",
        arguments: ["Beacons", "Crontab", "GeoJSON", "Geodesy", "Model", "Tracking", "VehicleBus"])
    func clock(folder: String) throws {
        let reading = #/\bTimestamp\.now\b|\bSystemClock\b|(?:[(=,]|\w:) ?\.now\b/#
        for file in ProjectTree.swiftFiles(below: "Sources/\(folder)") {
            #expect(try file.lines().filter { $0.contains(reading) } == [], "\(file)")
        }
    }

    /// Foundation contains ICU, which is larger than the rest of the agent.
    @Test("No file imports the full Foundation")
    func foundation() throws {
        for file in ProjectTree.swiftFiles(below: "Sources") + ProjectTree.swiftFiles(below: "Tests") {
            let isFull = try imports(of: file).contains { $0 == "Foundation" || $0 == "FoundationNetworking" }
            #expect(!isFull, "\(file)")
        }
    }
}
