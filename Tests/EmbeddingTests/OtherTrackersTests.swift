import OdographHarness
import Logging
import Odograph
import Testing

@Suite("The article on other trackers")
struct OtherTrackersTests {
    private static func lines(_ path: String) throws -> [Substring] {
        try FileContents.text(Corpora.projectRoot + "/" + path).split(separator: "\n")
    }

    /// Returns the member names in the last column of the article's tables: `Agent.timelineEvents(from:to:)`.
    private static func articleNames() throws -> Set<String> {
        var names: Set<String> = []
        for line in try lines("Sources/Odograph/Odograph.docc/OtherTrackers.md") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: true)
            try #require(cells.count == 2, "\(line)")
            for (index, span) in cells[1].split(separator: "`").enumerated() where index % 2 == 1 {
                names.insert(span.split(separator: "/").joined(separator: "."))
            }
        }
        return names
    }

    /// Returns the names in the comments of the compiled lines.
    private static func compiledNames() throws -> [String] {
        try lines("Tests/EmbeddingTests/OtherTrackers.swift").compactMap { line in
            let parts = line.split(separator: "  // ", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            let member = parts[1].split(separator: ".").last.map { $0.prefix { $0 != "(" } } ?? ""
            let use = member == "init" ? String(parts[1].prefix { $0 != "." }) + "(" : ".\(member)"
            #expect(parts[0].contains(use), "the line does not use \(parts[1]): \(line)")
            return String(parts[1])
        }
    }

    @Test("The compiled code has each member that the tables name, and each once")
    func names() throws {
        let compiled = try Self.compiledNames()
        let article = try Self.articleNames()
        #expect(compiled.count == Set(compiled).count)
        #expect(article.subtracting(compiled) == [])
        #expect(article.count > 25)
    }

    @Test("Each member of the tables works with an agent", .timeLimit(.minutes(5)))
    func members() async throws {
        let folder = try TemporaryFolder()
        let text = """
            { fleet: "acme", device: "van-7", broker: { url: "mqtt://127.0.0.1:\(try FreePort.next())" },
              source: { simulator: { parked: 600, speed: 100, rate: 5 } }, store: { path: "agent.db" },
              tracking: { schedule: "0 0 1 1 *", time_zone: "UTC" } }
            """
        let configuration = try ConfigurationFile.parse(text, folder: folder.path)
        let (agent, locations, updates) = await tracker(
            configuration, logger: Logger(label: "box") { _ in SwiftLogNoOpLogHandler() })
        try await agent.start()
        #expect(await agent.recentLocations.isEmpty)
        try await control(agent)
        let settings = await agent.trackingSettings
        #expect(settings.core.desiredAccuracyMeters == 100)
        #expect(settings.core.stationary.intervalSeconds == 60)
        #expect(settings.schedule.offSchedule == OffScheduleRule(mode: .tag, tag: "after work"))
        let position = try #require(await positions(of: agent, track: []).first ?? nil)
        #expect(position.extras == ["driver": .string("42")])
        for await location in locations where location.event == .motionChange && !location.isMoving {
            #expect(parts(of: location).count == 27)
            break
        }
        let values = try await currentValues(of: agent)
        #expect(values["trackingEnabled"] as? Bool == true && values["isWithinSchedule"] as? Bool == true)
        #expect(values["locationServicesEnabled"] as? Bool == true)
        let track = try #require(values["locations"] as? [LocationEvent])
        #expect(!track.isEmpty && track.last?.odometer != nil)
        for await event in updates where event.type == .inTransport { break }
        let start = try #require(track.first?.timestamp)
        let events = try await descriptions(of: agent, from: start, to: start.advanced(bySeconds: 86_400))
        #expect(events.contains { $0.contains(": stop at ") } && events.contains { $0.contains(" waypoints") })
        await agent.stop()
    }
}
