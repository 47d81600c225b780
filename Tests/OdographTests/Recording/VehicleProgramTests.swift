import Glibc
import OdographHarness
import OdographJSON
import OdographModel
import OdographStore
import OdographTracking
import OdographWire
import Testing

@testable import Odograph

@Suite("What programs on the vehicle set")
struct VehicleProgramTests {
    private static let begin = ClockReading(
        systemTime: StateScene.start, uptimeMilliseconds: 60_000, isSystemTimeTrusted: true)
    private static let everyFix = "{ sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } }"

    private static func locations(_ fixture: PipelineFixture) async throws -> [LocationEvent] {
        try LocationEvent.decodeStored(
            try await fixture.store.locations(from: .earliest, to: .latest, limit: 10_000))
    }

    @Test("A driver is in the locations from the time at which it is set")
    func driver() async throws {
        let fixture = try await PipelineFixture(Self.everyFix, at: Self.begin)
        try await fixture.drive(seconds: 20, from: 0, at: "2026-11-20T08:00:00Z")
        try await fixture.pipeline.setDriver("anna", isPersistent: false)
        try await fixture.drive(seconds: 20, from: 20, at: "2026-11-20T08:00:00Z")
        try await fixture.pipeline.setDriver(nil, isPersistent: false)
        try await fixture.drive(seconds: 20, from: 40, at: "2026-11-20T08:00:00Z")
        let drivers = try await Self.locations(fixture).map(\.driver)
        let runs = drivers.reduce(into: [String?]()) { runs, driver in if runs.last != driver { runs.append(driver) } }
        #expect(runs == [nil, "anna", nil] && drivers.count > 30)
        #expect(await fixture.pipeline.driver == nil)
    }

    @Test("Signals of a program are in the locations with their source, and a silent program is no problem")
    func signals() async throws {
        let fixture = try await PipelineFixture(Self.everyFix, at: Self.begin)
        try await fixture.pipeline.receive(
            fromProgram: VehicleSignals(
                source: .program, received: fixture.clock.now(), isIgnitionOn: true, fuelLevel: 0.5),
            isPersistent: true)
        try await fixture.drive(seconds: 700, from: 0, at: "2026-11-20T08:00:00Z")
        let vehicles = try await Self.locations(fixture).compactMap(\.vehicle)
        #expect(vehicles.first?.source == .program && vehicles.first?.fuelLevel == 0.5)
        // The fuel level is stale, and the ignition stays.
        #expect(vehicles.last?.ignition == true && vehicles.last?.fuelLevel == nil)
        #expect(fixture.problems.current.isEmpty)
    }

    @Test("Saved signals: the ignition is always used again, other values for 10 minutes of a boot, and no speed")
    func saved() throws {
        let now = Self.begin
        let signals = VehicleSignals(
            source: .program, received: now, wheelSpeedMetersPerSecond: 9, isIgnitionOn: true, fuelLevel: 0.5)
        let saved = try #require(SavedSignals(signals, persists: true, over: nil, boot: "b"))
        var later = now
        later.uptimeMilliseconds += 500_000
        let soon = try #require(saved.restored(at: later, boot: "b"))
        #expect(soon.isIgnitionOn == true && soon.fuelLevel == 0.5 && soon.wheelSpeedMetersPerSecond == nil)
        #expect(soon.received == later)
        let other = try #require(saved.restored(at: later, boot: "c"))
        #expect(other.isIgnitionOn == true && other.fuelLevel == nil)
        // A newer value that is not to persist replaces the saved one.
        let off = VehicleSignals(source: .program, received: later, isIgnitionOn: false)
        let rest = try #require(SavedSignals(off, persists: false, over: saved, boot: "b"))
        #expect(rest.signals.isIgnitionOn == nil && rest.signals.fuelLevel == 0.5)
    }

    @Test("The mark of private time is there after it is written, and any content but its own is private too")
    func mark() throws {
        let folder = try TemporaryFolder()
        let mark = PrivateTimeMark(besideStore: folder.file("agent.db"))
        #expect(mark.read() == nil && mark.path == folder.file("agent.db-private"))
        try mark.remove()
        try mark.write(ProgramTag(name: "lunch", isPrivate: true))
        #expect(mark.read() == ProgramTag(name: "lunch", isPrivate: true))
        for content in ["", "x", "{\"tag\":\"a\",\"private\":false}", "{\"tag\":5,\"private\":true}"] {
            try folder.write(content, to: "agent.db-private")
            #expect(mark.read() == ProgramTag(name: PrivateTimeMark.unreadableTag, isPrivate: true))
        }
        try mark.remove()
        #expect(mark.read() == nil)
    }
}
