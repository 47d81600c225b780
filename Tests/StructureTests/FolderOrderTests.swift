import Testing

/// The order of the folders within a module, and of the files. ``TypeUses`` says what these tests cannot see.
@Suite("Folder order")
struct FolderOrderTests {
    /// The folders of a module or of one of its folders, the lowest first. A file uses only types of its own folder and
    /// of lower ones.
    static let orders: [String: [String]] = [
        "Odograph": [
            "Support", "Problems", "Configuration", "Geofences", "Messages", "Saving", "Watching", "Taking",
            "Publishing", "Certificates", "Remote", "Commands", "Control", "Connection", "Upkeep", "Agent",
            "Supervision",
        ],
        "Tracking": [
            "Vehicle", "Driving", "Filtering", "Motion", "Configuration", "Odometer", "Schedule", "Privacy", "Timeline",
            "Pedestrian", "Trips", "Geofencing", "Locations", "Inputs", "Dating", "Tracker", "Saving",
        ],
        "Positioning": ["Clock", "Socket", "GPSD", "Vehicle", "Bluetooth", "Replay", "Simulator"],
        "VehicleBus": ["CAN", "Sampling", "J1939", "OBD", "ELM327"],
        "Store": ["Files", "Delivery", "SequenceNumbers", "Database"],
        "Terminal": ["Text", "Timeline", "Documents", "Checks", "Broker"],
        "Operator": ["Text", "Agents", "Analysis", "Fleet", "Doctor"],
        "Recorder": ["Database", "Recording", "Reading", "Services", "Program"],
        "Recorder/Database": ["Connections", "Schema", "Messages", "Tables", "Outlets"],
        "Recorder/Recording": ["Settings", "Intake", "Storing", "Receipts", "Counters", "Session", "Backup", "Import"],
        "Recorder/Reading": ["Queries", "Exports", "Reports", "History", "Erasure"],
        "Recorder/Services": ["Web", "Rules", "Alerts", "Notifications", "Evaluation", "Relay", "Metrics"],
        "Recorder/Program": ["Configuration", "Running", "Doctor"],
    ]
    /// The modules that have Swift files. The others are module maps of C libraries.
    static let modules = ProjectTree.entries(of: "Sources").filter { module in
        !ProjectTree.swiftFiles(below: "Sources/\(module)").isEmpty
    }
    /// The greatest number of files that use each other.
    static let longestCycle = 3

    private static func folder(of file: String) -> String? {
        let parts = file.split(separator: "/")
        return parts.count > 1 ? String(parts[0]) : nil
    }

    @Test("No folder uses a type of a higher folder", arguments: orders.keys.sorted())
    func order(of place: String) throws {
        let order = try #require(Self.orders[place])
        let uses = try TypeUses(of: "Sources/\(place)")
        #expect(Set(uses.files.compactMap(Self.folder)) == Set(order))
        #expect(uses.typeCount > 10)
        func rank(_ file: String) -> Int? { Self.folder(of: file).flatMap { order.firstIndex(of: $0) } }
        for file in uses.files {
            for (name, other) in uses.uses[file] ?? [:] {
                guard let own = rank(file), let rank = rank(other), rank > own else { continue }
                Issue.record("\(file) uses \(name) of \(other)")
            }
        }
    }

    /// The files beside the folders of a module. They may not be used to leave the order: a new one needs a reason.
    private static let loose = [
        // What all kinds of sources have in common.
        "Positioning": [
            "LineBuffer.swift", "PositionSource.swift", "Settings.swift", "SourceCounters.swift", "SourceEvent.swift",
            "StandardInput.swift", "VehicleSignalEvent.swift", "VehicleSignalSource.swift",
        ],
        "VehicleBus": ["VehicleBusEvent.swift"],
        // Only imports.
        "Odograph": ["Exports.swift"], "Operator": ["Exports.swift"],
    ]

    @Test("All files of a module with an order are in its folders", arguments: orders.keys.sorted())
    func files(of place: String) throws {
        let loose = try TypeUses(of: "Sources/\(place)").files.filter { Self.folder(of: $0) == nil }
        #expect(loose.sorted() == Self.loose[place] ?? [])
    }

    @Test("At most three files of a module use each other", arguments: modules)
    func cycles(of module: String) throws {
        let long = try TypeUses(of: "Sources/\(module)").cycles.filter { $0.count > Self.longestCycle }
        #expect(long == [], "\(long.map(\.count))")
    }

    @Test("The names of types are read from code only")
    func names() {
        let source = ##"""
            // Comment
            private struct Hidden {}
            package final class Shown { enum Inside {} }
            let text = "Text \(Used.value("a\"Text2", Other())) Text3"
            let lines = """
                Text4 \(Third.sum) "Text5"
                """
            let match = #/"Text6/#; let place: Outer.Nested
            let raw = #"Text7 " \#(Fourth()) Text8"#.utf8
            """##
        let code = String(decoding: SwiftCode(Array(source.utf8)).bytes, as: UTF8.self)
        let words = code.matches(of: #/[A-Z]\w*/#).map { String($0.0) }
        #expect(words == ["Hidden", "Shown", "Inside", "Used", "Other", "Third", "Outer", "Nested", "Fourth"])
    }
}
