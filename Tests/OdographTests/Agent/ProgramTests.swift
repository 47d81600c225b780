import OdographCrontab
import OdographGeodesy
import OdographHarness
import Logging
import OdographJSON
import OdographModel
import OdographStore
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

@Suite("An agent and the program that embeds it")
struct ProgramTests {
    private static func fence(_ identifier: String, at coordinate: Coordinate, radius: Double = 100) throws -> Geofence
    {
        Geofence(identifier: identifier, shape: .circle(try Circle(center: coordinate, radiusMeters: radius)))
    }

    private static func depot() throws -> Coordinate {
        try #require(Coordinate(latitudeDegrees: 40.4, longitudeDegrees: -3.7))
    }

    @Test("Settings and geofences of the program survive a restart", .timeLimit(.minutes(5)))
    func restart() async throws {
        let vehicle = try ClockedAgent(broker: FreePort.next(), tracking: "{ heartbeat_interval: 100 }")
        try await vehicle.agent.start()
        #expect(await vehicle.agent.trackingSettings.core.heartbeatIntervalSeconds == 100)
        try await vehicle.agent.updateTrackingSettings {
            $0.core.heartbeatIntervalSeconds = 200
            $0.schedule.expression = try Schedule("* 10-20 * * 1-5")
            $0.schedule.offSchedule = OffScheduleRule(mode: .tag, tag: "after work")
        }
        try await vehicle.agent.setTrackingEnabled(false)
        try await vehicle.agent.addGeofences([
            Self.fence("depot", at: Self.depot()), Self.fence("a/b #+", at: Self.depot()),
        ])
        try await vehicle.agent.removeGeofences(withIdentifiers: ["a/b #+", "unknown"])
        let settings = await vehicle.agent.trackingSettings
        let geofences = await vehicle.agent.geofences
        #expect(geofences.map(\.identifier) == ["depot"])
        #expect(geofences.map(\.kind) == [.circle] && geofences.map(\.level) == ["van-7/program"])
        #expect(await vehicle.agent.currentProblems.allSatisfy { $0.code == .brokerUnreachable })
        await vehicle.agent.stop()
        #expect(await vehicle.agent.geofences == [])
        let next = try ClockedAgent(
            broker: FreePort.next(), tracking: "{ heartbeat_interval: 300 }", in: vehicle.folder)
        try await next.agent.start()
        #expect(await next.agent.trackingSettings == settings)
        #expect(await !next.agent.isTrackingEnabled)
        #expect(await next.agent.programGeofences == geofences)
        try await next.agent.resetTrackingSettings()
        #expect(await next.agent.trackingSettings.core.heartbeatIntervalSeconds == 300)
        #expect(await next.agent.isTrackingEnabled)
        await next.agent.stop()
        let last = try ClockedAgent(broker: FreePort.next(), in: vehicle.folder)
        try await last.agent.start()
        #expect(await last.agent.trackingSettings == TrackingSettings())
        await last.agent.stop()
    }

    @Test("Lost settings of the program make all time private until it resets them", .timeLimit(.minutes(5)))
    func lost() async throws {
        let vehicle = try ClockedAgent(broker: FreePort.next())
        try await vehicle.agent.start()
        try await vehicle.agent.updateTrackingSettings { $0.core.desiredAccuracyMeters = 50 }
        await vehicle.agent.stop()
        let path = vehicle.agent.configuration.store.path
        let store = try await AgentStore.open(at: path, now: vehicle.clock.now().systemTime).store
        try await store.removeDocument(DocumentName.configuration(of: .program))
        try await store.close()
        let next = try ClockedAgent(broker: FreePort.next(), in: vehicle.folder)
        try await next.agent.start()
        #expect(await next.agent.currentProblems.contains { $0.code == .configurationUnreadable })
        #expect(await !next.agent.isWithinSchedule)
        await #expect(throws: ConfigurationError.self) { try await next.agent.setTrackingEnabled(true) }
        try await next.agent.resetTrackingSettings()
        #expect(await !next.agent.currentProblems.contains { $0.code == .configurationUnreadable })
        #expect(await next.agent.isWithinSchedule)
        try await next.agent.setTrackingEnabled(true)
        await next.agent.stop()
    }

    @Test("A wrong geofence is refused with the reason, and none of its call is added", .timeLimit(.minutes(5)))
    func wrongGeofence() async throws {
        let vehicle = try ClockedAgent(broker: FreePort.next())
        try await vehicle.agent.start()
        let right = try Self.fence("depot", at: Self.depot())
        var wrong = try Self.fence("yard", at: Self.depot())
        wrong.rule.speedLimitMetersPerSecond = 1000
        let narrow = try Self.fence("door", at: Self.depot(), radius: 1)
        var infinite = right
        infinite.rule.loiteringDelaySeconds = .infinity
        for fence in [wrong, narrow, infinite, Geofence(identifier: "", shape: right.shape)] {
            let error = await #expect(throws: ConfigurationError.self) {
                try await vehicle.agent.addGeofences([right, fence])
            }
            #expect(error?.issues.isEmpty == false && error?.origin == "geofence \(fence.identifier)")
        }
        let many = try (0...10_000).map { try Self.fence("\($0)", at: Self.depot()) }
        await #expect(throws: ConfigurationError.self) { try await vehicle.agent.addGeofences(many) }
        #expect(await vehicle.agent.geofences == [])
        let ring = try [(0.0, 0.0), (0.1, 0), (0.1, 0.1)].map {
            try #require(Coordinate(latitudeDegrees: $0.0, longitudeDegrees: $0.1))
        }
        try await vehicle.agent.addGeofences([
            Geofence(identifier: "sea", shape: .polygon(try Polygon(rings: [ring])))
        ])
        #expect(await vehicle.agent.geofences.map(\.kind) == [.polygon])
        await vehicle.agent.stop()
    }

    @Test("A geofence of the program replaces one of the broker until it is removed")
    func precedence() throws {
        var catalog = GeofenceCatalog(address: try DeviceAddress(fleet: "acme", device: "van-7"), groups: ["vans"])
        let remote = try Self.fence("depot", at: Self.depot(), radius: 50)
        let own = try Self.fence("depot", at: Self.depot(), radius: 60)
        let identity = (GeofenceSet([remote]).identity, GeofenceSet([own]).identity)
        _ = catalog.apply(.fence(own), toFence: "depot", of: .program)
        _ = catalog.apply(.fence(remote), toFence: "depot", of: .device)
        #expect(catalog.activeSet.identity == identity.1)
        #expect(catalog.report.levels.map(\.level) == ["van-7", "van-7/program"])
        let level = try #require(catalog.report.levels.last)
        let errors = try ContractValidator.running().errors(
            schema: "reported-message#/definitions/geofence_level", payload: JSONCoder.string(of: level))
        #expect(errors == [])
        _ = catalog.apply(.withdrawn, toFence: "depot", of: .program)
        #expect(catalog.activeSet.identity == identity.0)
    }

    @Test("An agent that does not run refuses changes", .timeLimit(.minutes(5)))
    func notRunning() async throws {
        let vehicle = try ClockedAgent(broker: FreePort.next(), tracking: "{ heartbeat_interval: 100 }")
        let agent = vehicle.agent
        #expect(await agent.trackingSettings.core.heartbeatIntervalSeconds == 100)
        #expect(await agent.recentLocations == [])
        #expect(await !agent.isPositionAvailable)
        await #expect(throws: AgentError.notRunning) { try await agent.updateTrackingSettings { _ in } }
        await #expect(throws: AgentError.notRunning) { try await agent.resetTrackingSettings() }
        await #expect(throws: AgentError.notRunning) { try await agent.setTrackingEnabled(true) }
        await #expect(throws: AgentError.notRunning) { try await agent.setExtras([:]) }
        await #expect(throws: AgentError.notRunning) { try await agent.addGeofences([]) }
        await #expect(throws: AgentError.notRunning) { try await agent.removeGeofences(withIdentifiers: []) }
    }

    @Test(
        "With a locked file the program is not asked whether to track outside the schedule, also after a reload",
        .timeLimit(.minutes(5)))
    func lockedSchedule() async throws {
        let folder = try TemporaryFolder()
        let broker = "mqtt://127.0.0.1:\(try FreePort.next())"
        func configuration(isLocked: Bool) throws -> AgentConfiguration {
            try ConfigurationFile.parse(
                """
                { fleet: "acme", device: "van-7", broker: { url: "\(broker)" }, source: { simulator: {} },
                  store: { path: "agent.db" }, privacy: { locked: \(isLocked) },
                  tracking: { schedule: "0 0 1 1 *", time_zone: "UTC" } }
                """, folder: folder.path)
        }
        let agent = Agent(
            configuration: try configuration(isLocked: true),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        await agent.setShouldTrackOutsideSchedule { true }
        try await agent.start()
        #expect(await agent.parts?.pipeline.shouldTrackOutsideSchedule == nil)
        _ = await agent.reload(try configuration(isLocked: false))
        #expect(await agent.parts?.pipeline.shouldTrackOutsideSchedule?() == true)
        _ = await agent.reload(try configuration(isLocked: true))
        #expect(await agent.parts?.pipeline.shouldTrackOutsideSchedule == nil)
        await agent.stop()
    }
}
