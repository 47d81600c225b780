import Testing

/// The borders between the rooms. A room that has to reach over one is the wrong place for what it is about to do.
@Suite("Import rules")
struct ImportRuleTests {
    /// Rooms, and what each may import at the most.
    static let allowed: [String: Set<String>] = [
        "CivilTime": ["Glibc"],
        "Threads": ["Glibc", "Synchronization"],
        "Geodesy": ["Glibc"],
        "Crontab": ["CivilTime"],
        "Tracking": ["CivilTime", "Geodesy", "Crontab", "Glibc"],
        "OdographJSON": ["FoundationEssentials"],
        "GeoJSON": ["CivilTime", "Geodesy", "Crontab", "Tracking", "OdographJSON"],
        "Wire": ["CivilTime", "OdographJSON"],
        "Positioning": [
            "CivilTime", "Geodesy", "Tracking", "OdographJSON", "Threads", "CExpat", "CTimex", "Logging", "Glibc",
            "Synchronization",
        ],
        "Store": ["CivilTime", "CSQLite", "CZlib", "Threads", "Glibc"],
        "Link": ["Threads", "CMosquitto", "CMosquittoGuard", "Logging", "Glibc", "Synchronization"],
        "Odograph": [
            "CivilTime", "Geodesy", "Crontab", "Tracking", "OdographJSON", "GeoJSON", "Wire", "Positioning", "Store",
            "Link", "Threads", "Logging", "ServiceLifecycle", "Glibc", "Synchronization",
        ],
        "CLI": [
            "Odograph", "CivilTime", "Wire", "Positioning", "Threads", "ArgumentParser", "Logging", "ServiceLifecycle",
            "UnixSignals",
            "Glibc", "Synchronization",
        ],
    ]
    /// The folders of rooms that are not named as their folders, because a target's name must be unique among packages.
    private static let folders = ["OdographJSON": "JSON"]
    /// Modules of the system's libraries, and the room that alone may know each.
    static let doors = [
        "CMosquitto": "Link", "CMosquittoGuard": "Link", "CSQLite": "Store", "CZlib": "Store", "CExpat": "Positioning",
        "CTimex": "Positioning", "ArgumentParser": "CLI",
    ]
    /// What comes with the toolchain and stands in no manifest.
    private static let toolchain: Set<String> = ["Glibc", "Synchronization", "Dispatch", "FoundationEssentials"]

    private static func folder(of room: String) -> String { folders[room] ?? room }

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

    @Test("Every folder of Sources is a room or a module map")
    func rooms() {
        let modules = Self.doors.keys.filter { $0.hasPrefix("C") }
        #expect(Set(ProjectTree.entries(of: "Sources")) == Set(Self.allowed.keys.map(Self.folder(of:))).union(modules))
    }

    @Test("A room imports what it may and what the manifest says", arguments: allowed.keys.sorted())
    func imports(of room: String) throws {
        let allowed = try #require(Self.allowed[room])
        let declared = try #require(try Manifest.read().dependencies[room]).union(Self.toolchain)
        for file in ProjectTree.swiftFiles(below: "Sources/\(Self.folder(of: room))") {
            for module in try imports(of: file) {
                #expect(allowed.contains(module), "\(file) imports \(module)")
                #expect(declared.contains(module), "\(file) imports \(module), which the manifest does not say")
            }
        }
    }

    @Test("The manifest gives a room nothing that it may not import", arguments: allowed.keys.sorted())
    func manifest(of room: String) throws {
        let declared = try #require(try Manifest.read().dependencies[room])
        #expect(declared.subtracting(Self.allowed[room] ?? []) == [])
    }

    @Test("A system library has one door", arguments: doors.keys.sorted())
    func door(of module: String) throws {
        let importers = try Self.allowed.keys.filter { room in
            try ProjectTree.swiftFiles(below: "Sources/\(Self.folder(of: room))").contains {
                try imports(of: $0).contains(module)
            }
        }
        #expect(importers == [Self.doors[module]])
    }

    @Test("A module map's folder holds the map and the shim, nothing else", arguments: doors.keys.sorted())
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
