import Testing

/// The borders between the modules.
@Suite("Import rules")
struct ImportRuleTests {
    /// The modules that each folder of Sources may import.
    static let allowed: [String: Set<String>] = [
        "CivilTime": ["Glibc"],
        "Threads": ["Glibc", "Synchronization"],
        "Geodesy": ["Glibc"],
        "Crontab": ["CivilTime"],
        "Model": ["CivilTime", "Geodesy", "Crontab"],
        "Tracking": ["OdographModel", "CivilTime", "Geodesy", "Crontab", "Glibc"],
        "GeoJSON": ["OdographModel", "CivilTime", "Geodesy", "Crontab"],
        "Wire": ["CivilTime"],
        "Positioning": [
            "OdographModel", "CivilTime", "Geodesy", "Threads", "CExpat", "CTimex", "Logging", "Glibc",
            "Synchronization",
        ],
        "Store": ["CivilTime", "CSQLite", "CZlib", "Threads", "Glibc"],
        "Link": ["Threads", "CMosquitto", "CMosquittoGuard", "Logging", "Glibc", "Synchronization"],
        "Odograph": [
            "OdographModel", "CivilTime", "Geodesy", "Crontab", "Tracking", "GeoJSON", "Wire", "Positioning", "Store",
            "Link", "Threads",
            "Logging", "ServiceLifecycle", "FoundationEssentials", "Glibc", "Synchronization",
        ],
        "Operator": [
            "Odograph", "OdographModel", "CivilTime", "Geodesy", "Crontab", "Tracking", "GeoJSON", "Wire",
            "Positioning", "Store",
            "Link",
            "Threads", "Logging", "FoundationEssentials", "Glibc", "Synchronization",
        ],
        "CLI": [
            "Odograph", "OdographOperator", "OdographModel", "CivilTime", "Wire", "Positioning", "Threads",
            "ArgumentParser", "Logging",
            "ServiceLifecycle",
            "UnixSignals",
            "Glibc", "Synchronization",
        ],
    ]
    /// Modules of system libraries, and the only folder that imports each.
    static let soleImporters = [
        "CMosquitto": "Link", "CMosquittoGuard": "Link", "CSQLite": "Store", "CZlib": "Store", "CExpat": "Positioning",
        "CTimex": "Positioning", "ArgumentParser": "CLI",
    ]
    /// The modules of the toolchain, which no manifest lists.
    private static let toolchain: Set<String> = ["Glibc", "Synchronization", "Dispatch", "FoundationEssentials"]

    /// The modules that a file imports, whatever stands before or behind the word.
    private func imports(of file: ProjectTree.File) throws -> [String] {
        try file.lines(with: "import ").compactMap { line in
            let before: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
            let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
            let words = line.split(separator: " ").drop { $0.hasPrefix("@") || before.contains($0) }
            guard words.first == "import" else { return nil }
            // Of a single declaration the module stands before the point.
            return words.dropFirst().first { !kinds.contains($0) }?.split(separator: ".").first.map(String.init)
        }
    }

    @Test("Every folder of Sources is a module or a module map")
    func folders() {
        let modules = Self.soleImporters.keys.filter { $0.hasPrefix("C") }
        #expect(Set(ProjectTree.entries(of: "Sources")) == Set(Self.allowed.keys).union(modules))
    }

    @Test("A module imports only what it may and what the manifest lists", arguments: allowed.keys.sorted())
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

    @Test("The manifest lists no dependency that a module may not import", arguments: allowed.keys.sorted())
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

    @Test("A module map's folder holds the map and the shim, nothing else", arguments: soleImporters.keys.sorted())
    func moduleMap(of module: String) {
        // The guard is what a header cannot be: a function that a library finds before the system's.
        guard !["ArgumentParser", "CMosquittoGuard"].contains(module) else { return }
        #expect(ProjectTree.entries(of: "Sources/\(module)") == ["module.modulemap", "shim.h"])
    }

    /// It brings ICU, and with it more bytes than all the rest of the agent.
    @Test("Nothing imports the full Foundation")
    func foundation() throws {
        for file in ProjectTree.swiftFiles(below: "Sources") + ProjectTree.swiftFiles(below: "Tests") {
            let isFull = try imports(of: file).contains { $0 == "Foundation" || $0 == "FoundationNetworking" }
            #expect(!isFull, "\(file)")
        }
    }
}
