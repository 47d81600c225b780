import Testing

/// The order of the folders within a module. Swift has no imports between folders, so this test reads the names.
@Suite("Folder order")
struct FolderOrderTests {
    /// The folders of a module, the lowest first. A file uses only types of its own folder and of lower ones.
    static let orders: [String: [String]] = [
        "Odograph": [
            "Support", "Problems", "Configuration", "Geofences", "Messages", "Saving", "Watching", "Taking", "Publishing",
            "Remote", "Commands", "Control", "Connection", "Upkeep", "Agent", "Supervision",
        ],
        "Tracking": [
            "Vehicle", "Driving", "Filtering", "Motion", "Configuration", "Odometer", "Schedule", "Privacy", "Timeline",
            "Pedestrian",
            "Trips",
            "Geofencing", "Locations", "Inputs", "Dating", "State", "Tracker",
        ],
        "Terminal": ["Text", "Timeline", "Documents", "Checks"],
        "Operator": ["Text", "Agents", "Analysis", "Fleet", "Doctor"],
    ]

    private static func folder(of file: ProjectTree.File) -> String {
        let parts = file.path.split(separator: "/")
        return parts.count > 3 ? String(parts[2]) : ""
    }

    /// Returns the code of a file without comments and strings.
    private static func code(of file: ProjectTree.File) throws -> String {
        try file.lines().joined(separator: "\n").replacing(#/\/\/.*/#, with: "")
            .replacing(#/"(?:[^"\\\n]|\\.)*"/#, with: "")
    }

    @Test("No folder uses a type of a higher folder", arguments: orders.keys.sorted())
    func order(of module: String) throws {
        let order = try #require(Self.orders[module])
        let files = ProjectTree.swiftFiles(below: "Sources/\(module)").filter { !Self.folder(of: $0).isEmpty }
        #expect(Set(files.map(Self.folder)) == Set(order))
        let declaration =
            #/(?m)^(?:@\w+(?:\([^)]*\))? )*(?:(?:public|package|private|fileprivate|final|indirect) )*(?:struct|class|enum|actor|protocol|typealias) (\w+)/#
        var ranks: [String: Int] = [:]
        for file in files {
            for match in try Self.code(of: file).matches(of: declaration) {
                ranks[String(match.1)] = order.firstIndex(of: Self.folder(of: file))
            }
        }
        #expect(ranks.count > 20)
        for file in files {
            let own = try #require(order.firstIndex(of: Self.folder(of: file)))
            for name in try Set(Self.code(of: file).matches(of: #/\b[A-Z]\w*\b/#).map { String($0.0) }) {
                if let rank = ranks[name], rank > own {
                    Issue.record("\(file.path) uses \(name) of the higher folder \(order[rank])")
                }
            }
        }
    }
}
