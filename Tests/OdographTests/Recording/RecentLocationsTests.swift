import OdographCivilTime
import OdographHarness
import OdographModel
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

@Suite("The locations of the last stationary interval")
struct RecentLocationsTests {
    private static let start = "2026-11-20T08:00:00Z"

    private static func fixture(_ tracking: String) async throws -> PipelineFixture {
        let moment = ClockReading(
            systemTime: try ScheduleFixture.time(start), uptimeMilliseconds: 5000, isSystemTimeTrusted: true)
        return try await PipelineFixture(tracking, at: moment)
    }

    @Test("They are the accepted fixes of the interval, and one before it", arguments: [60, 120])
    func interval(seconds: Int) async throws {
        let fixture = try await Self.fixture("{ stationary: { interval: \(seconds) }, extras: { driver: 42 } }")
        #expect(await fixture.pipeline.recentLocations == [])
        try await fixture.drive(seconds: 300, from: 0, at: Self.start)
        let locations = await fixture.pipeline.recentLocations
        let newest = try #require(locations.last), oldest = try #require(locations.first)
        #expect(newest.timestamp == fixture.clock.now().systemTime)
        #expect(newest.timestamp.seconds(since: oldest.timestamp) == Double(seconds))
        #expect(locations.count == seconds + 1)
        #expect(locations.map(\.timestamp) == locations.map(\.timestamp).sorted())
        #expect(locations.allSatisfy { $0.uuid == nil && $0.extras == ["driver": .integer(42)] && $0.isMoving })
        #expect(Agent.stationaryLocation(among: locations, intervalSeconds: Double(seconds)) == nil)
        try await fixture.stand(seconds: seconds + 1, at: 300)
        let parked = await fixture.pipeline.recentLocations
        #expect(Agent.stationaryLocation(among: parked, intervalSeconds: Double(seconds)) != nil)
        #expect(
            Agent.stationaryLocation(among: parked, intervalSeconds: Double(seconds), after: parked[1].timestamp) == nil
        )
        await fixture.pipeline.stop()
    }

    @Test(
        "Private time and suspended tracking erase them, and they begin again after it",
        arguments: [("private", true), ("stop", true), ("tag", false)])
    func closed(mode: String, isErased: Bool) async throws {
        let fixture = try await Self.fixture(
            "{ schedule: '0-4,10-19 * * * *', time_zone: 'UTC', off_schedule: { mode: '\(mode)' } }")
        try await fixture.drive(seconds: 240, from: 0, at: Self.start)
        #expect(await fixture.pipeline.recentLocations.count == 121)
        // The schedule closes at 08:05.
        try await fixture.drive(seconds: 120, from: 240, at: Self.start)
        #expect(await fixture.pipeline.recentLocations.isEmpty == isErased)
        #expect((await fixture.pipeline.lastLocation == nil) == (mode == "private"))
        // The schedule opens at 08:10. Private time ends only on a date that is certain.
        try await fixture.drive(seconds: 300, from: 360, at: Self.start)
        let locations = await fixture.pipeline.recentLocations
        let opening = try ScheduleFixture.time("2026-11-20T08:10:00Z")
        #expect(!locations.isEmpty)
        if isErased { #expect(locations.allSatisfy { $0.timestamp >= opening }) }
        await fixture.pipeline.stop()
    }

    @Test("They are erased when tracking is turned off, and when a schedule makes the time private")
    func settings() async throws {
        let fixture = try await Self.fixture("{}")
        for tracking in [
            "{ enabled: false }",
            "{ schedule: '0 0 1 1 *', time_zone: 'UTC', off_schedule: { mode: 'private' } }",
        ] {
            await fixture.pipeline.apply(TrackingSettings())
            try await fixture.drive(seconds: 60, from: 0, at: Self.start)
            #expect(await !fixture.pipeline.recentLocations.isEmpty)
            await fixture.pipeline.apply(try ScheduleFixture.settings(tracking))
            #expect(await fixture.pipeline.recentLocations == [])
            try await fixture.drive(seconds: 60, from: 60, at: Self.start)
            #expect(await fixture.pipeline.recentLocations == [])
        }
        await fixture.pipeline.stop()
    }

    @Test("A receiver with many fixes a second does not fill the memory")
    func rate() throws {
        var recent = RecentLocations()
        var tracker = Tracker()
        let drive = try ScheduleFixture.drive(from: Self.start, seconds: 1)[0]
        for step in 0..<3000 {
            var fix = drive
            fix.timestamp = drive.timestamp.advanced(byMilliseconds: Int64(step) * 100)
            fix.received = ClockReading(replayed: fix.timestamp)
            fix.coordinate = drive.coordinate.destination(headingDegrees: 90, distanceMeters: Double(step))
            let input = TrackerInput.fix(fix)
            _ = tracker.handle(input)
            recent.update(from: tracker, after: input)
        }
        #expect((120...140).contains(recent.locations.count))
    }
}
