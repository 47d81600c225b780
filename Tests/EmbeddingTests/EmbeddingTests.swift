import Glibc
import OdographHarness
import Logging
import Odograph
import OdographOperator
import Testing

/// Uses the library like another program, only with `import Odograph`.
@Suite("An agent in another program")
struct EmbeddingTests {
    private func text() throws -> String {
        """
        { fleet: "acme", device: "van-7", broker: { url: "mqtt://127.0.0.1:\(try FreePort.next())" },
          source: { simulator: { parked: 0, speed: 20, rate: 5 } }, store: { path: "agent.db" },
          tracking: { sampling: { minimum_interval: 0, distance: 10 } } }
        """
    }

    private func configuration(in folder: TemporaryFolder) throws -> String {
        try folder.write(text(), to: "agent.json5")
    }

    @Test("The article's first program follows a vehicle", .timeLimit(.minutes(5)))
    func program() async throws {
        let folder = try TemporaryFolder()
        try await follow(configuration(in: folder), forMeters: 50)
        #expect(access(folder.file("agent.db"), F_OK) == 0)
    }

    @Test("The article's copy of the timeline fills, and the agent answers its queries", .timeLimit(.minutes(5)))
    func copy() async throws {
        let folder = try TemporaryFolder()
        let silent = Logger(label: "box") { _ in SwiftLogNoOpLogHandler() }
        let agent = Agent(configuration: try ConfigurationFile.load(configuration(in: folder)), logger: silent)
        try await agent.start()
        try await ask(agent) { true }
        #expect(await agent.lastLocation?.extras == ["driver": .string("42")])
        #expect(await agent.odometer.meters >= 120_345)
        try await timeline(of: agent) { events in !events.values.contains { $0.type == .inTransport } }
        await agent.stop()
    }

    @Test("A stopped agent releases its database, and a running one keeps it", .timeLimit(.minutes(5)))
    func again() async throws {
        let folder = try TemporaryFolder()
        var text = try text()
        for _ in 1...3 {
            let (agent, obstacles) = await begin(text, in: folder.path)
            #expect(obstacles == [])
            await agent?.stop()
        }
        let (first, _) = await begin(text, in: folder.path)
        let agent = try #require(first)
        await agent.stop()
        try await agent.start()
        let (_, obstacles) = await begin(text, in: folder.path)
        #expect(obstacles == ["\(folder.file("agent.db")) is another agent's"])
        await agent.stop()
        text.replace("van-7", with: "van/7")
        #expect(await begin(text, in: folder.path).obstacles.map { $0.hasPrefix("device: ") } == [true])
    }

    @Test("A listener that subscribes before the start receives the first position", .timeLimit(.minutes(5)))
    func listening() async throws {
        let folder = try TemporaryFolder()
        let agent = Agent(configuration: try ConfigurationFile.parse(text(), folder: folder.path))
        let (locations, updates) = (await agent.locations, await agent.timelineUpdates)
        try await agent.start()
        var heard: [Int64] = []
        for await event in locations {
            heard += event.seq.map { [$0] } ?? []
            if heard.count == 3 { break }
        }
        let local = LocalAgent(configuration: agent.configuration, socketPath: nil)
        let recorded = try await local.locations(from: nil, to: nil, limit: 10_000).compactMap(\.seq)
        #expect(recorded.starts(with: heard))
        for await event in updates where event.type == .inTransport { break }
        #expect(try await lastDay(of: agent).contains { $0.hasPrefix("IN_TRANSPORT from ") })
        await agent.stop()
        for await _ in await agent.timelineUpdates { Issue.record("it has stopped") }
        for await _ in await agent.locations { Issue.record("it has stopped") }
        #expect(try await lastDay(of: agent) == [])
    }

    @Test("The program's own source gives the positions, also after a second start", .timeLimit(.minutes(5)))
    func ownSource() async throws {
        let folder = try TemporaryFolder()
        // The configured simulator would be in Spain.
        let configuration = try ConfigurationFile.parse(text(), folder: folder.path)
        let modem = ModemSource()
        let agent = try await track(configuration, with: modem)
        for run in 0..<2 {
            if run == 1 { try await agent.start() }
            let locations = await agent.locations
            let driving = Task {
                var step = 0
                while !Task.isCancelled {
                    let now = SystemAgentClock().now().systemTime.millisecondsSinceEpoch
                    modem.report(
                        latitudeDegrees: -33 + Double(step) * 0.0002, longitudeDegrees: 151, errorMeters: 4,
                        speedMetersPerSecond: nil, headingDegrees: 0, millisecondsSince1970: now)
                    step += 1
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            var count = 0
            for await event in locations {
                #expect(event.coords.longitude == 151)
                count += 1
                if count == 3 { break }
            }
            driving.cancel()
            modem.lose()
            await agent.stop()
        }
        #expect(modem.counters.fixes > 2)
    }

    @Test("A recorded drive is analyzed without an agent")
    func recorded() throws {
        let folder = try TemporaryFolder()
        let drive = (0..<600).map { second in
            let time = Timestamp(millisecondsSinceEpoch: 1_795_252_502_000 + Int64(second) * 1000).iso8601
            let latitude = 40 + Double(second * 10) / 111_000
            return #"{"class":"TPV","mode":3,"time":"\#(time)","lat":\#(latitude),"lon":-3.7,"speed":10.0,"track":0.0}"#
        }
        let trips = try trips(of: try folder.write(drive.joined(separator: "\n") + "\n", to: "drive.jsonl"))
        #expect(trips.count == 1)
        #expect(trips.values.allSatisfy { abs($0 - 5990) < 60 }, "\(trips)")
    }

    @Test("Tracking can be turned off and on, also for the next start", .timeLimit(.minutes(5)))
    func tracking() async throws {
        let folder = try TemporaryFolder()
        let (started, _) = await begin(try text(), in: folder.path)
        let agent = try #require(started)
        #expect(await agent.isTrackingEnabled)
        try await agent.setTrackingEnabled(false)
        #expect(await !agent.isTrackingEnabled)
        try await agent.setTrackingEnabled(true)
        #expect(await agent.isTrackingEnabled)
        try await agent.setTrackingEnabled(false)
        await agent.stop()
        #expect(await !agent.isTrackingEnabled)
        try await agent.start()
        #expect(await !agent.isTrackingEnabled)
        try await agent.resetTrackingSettings()
        #expect(await agent.isTrackingEnabled)
        await agent.stop()
    }

    @Test("The article's settings and geofences are in force at once", .timeLimit(.minutes(5)))
    func settings() async throws {
        let folder = try TemporaryFolder()
        let (started, _) = await begin(try text(), in: folder.path)
        let agent = try #require(started)
        try await setWorkingHours(of: agent)
        let settings = await agent.trackingSettings
        #expect(settings.schedule.expression?.expressions == ["* 8-17 * * 1-5"])
        #expect(settings.schedule.offSchedule.tag == "after work" && settings.core.sampling.distanceMeters == 10)
        try await watchDepot(with: agent)
        #expect(await agent.programGeofences.map(\.identifier) == ["depot"])
        try await forgetDepot(of: agent)
        #expect(await agent.geofences == [])
        await agent.stop()
    }

    @Test(
        "In private time a program gets no position, and cannot change that", .timeLimit(.minutes(5)),
        arguments: ["private", "tag"])
    func privateTime(mode: String) async throws {
        let folder = try TemporaryFolder()
        var text = try text()
        text.replace(
            "tracking: {",
            with: "tracking: { schedule: '0 0 1 1 *', time_zone: 'UTC', off_schedule: { mode: '\(mode)' },")
        let (started, _) = await begin(text, in: folder.path)
        let agent = try #require(started)
        let (isPrivate, center) = (mode == "private", try #require(Coordinate(latitudeDegrees: 0, longitudeDegrees: 0)))
        try await agent.addGeofences([
            Geofence(identifier: "earth", shape: .circle(try Circle(center: center, radiusMeters: 20_003_931)))
        ])
        _ = try await eventually { await agent.odometer.meters > 200 ? true : nil }
        do {
            try await agent.updateTrackingSettings { $0.schedule.expression = nil }
            #expect(!isPrivate)
        } catch let error as ConfigurationError {
            #expect(isPrivate && error.issues.map(\.path) == ["tracking.schedule"])
        }
        _ = try await eventually { await agent.odometer.meters > 400 ? true : nil }
        // The simulated vehicle may be in a tunnel now.
        #expect(try await eventually { await agent.isPositionAvailable ? true : nil } == true)
        #expect((await agent.lastLocation == nil) == isPrivate)
        #expect(await agent.recentLocations.isEmpty == isPrivate)
        // Outside private time the vehicle may have stopped, because 20 of its seconds pass in one.
        if isPrivate { #expect(await agent.stationaryLocation() == nil) }
        let position = await agent.currentPosition(samples: 1, timeoutSeconds: 20, isPersisted: false)
        #expect((position == nil) == isPrivate)
        #expect(await agent.geofences.map(\.isInside) == [!isPrivate])
        await agent.stop()
    }

    @Test("No number from a caller ends the program")
    func wrongFigures() async throws {
        let folder = try TemporaryFolder()
        let (started, _) = await begin(try text(), in: folder.path)
        let agent = try #require(started)
        await agent.setOdometer(toMeters: 120_345)
        for meters in [-1, .nan, .infinity, 1e11] {
            await agent.setOdometer(toMeters: meters)
            #expect(await agent.odometer.meters >= 120_345)
            #expect(await agent.odometer.meters < 1e7)
        }
        for seconds in [-1, 0, .nan, .infinity] {
            _ = await agent.currentPosition(samples: 0, timeoutSeconds: seconds, isPersisted: false)
        }
        await agent.stop()
    }

    @Test("The code in the article and in the README is code that is compiled here")
    func article() throws {
        let compiled = try Self.lines("Tests/EmbeddingTests/Embedding.swift")
        let blocks = try ["README.md", "Sources/Odograph/Odograph.docc/Embedding.md"].flatMap { path in
            try Self.codeBlocks(Self.lines(path)).map { (path, $0) }
        }
        #expect(!blocks.isEmpty)
        for (path, block) in blocks {
            let isThere = compiled.indices.contains { compiled[$0...].starts(with: block) }
            #expect(isThere, "\(path): \(block.joined(separator: "\n"))")
        }
    }

    /// Returns the Swift code blocks of a text without their import lines.
    private static func codeBlocks(_ lines: [Substring]) -> [[Substring]] {
        var blocks: [[Substring]] = []
        var block: [Substring]?
        for line in lines {
            if line == "```swift" {
                block = []
            } else if line == "```" {
                if let block, !block.isEmpty { blocks.append(block) }
                block = nil
            } else if !line.hasPrefix("import "), !(block?.isEmpty ?? true && line.isEmpty) {
                block?.append(line)
            }
        }
        return blocks
    }

    private static func lines(_ path: String) throws -> [Substring] {
        try FileContents.text(Corpora.projectRoot + "/" + path)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }
}
