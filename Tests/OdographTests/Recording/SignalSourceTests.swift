import OdographHarness
import OdographModel
import OdographPositioning
import OdographTracking
import OdographWire
import Testing

@testable import Odograph

@Suite("Sources of the vehicle's signals")
struct SignalSourceTests {
    private static let begin = ClockReading(
        systemTime: StateScene.start, uptimeMilliseconds: 60_000, isSystemTimeTrusted: true)

    private static func signals(_ fixture: PipelineFixture) -> VehicleSignalEvent {
        .signals(
            VehicleSignals(
                source: .obd, received: fixture.clock.now(), wheelSpeedMetersPerSecond: 12, fuelLevel: 0.5))
    }

    @Test("A source that is silent for a minute on a drive is the problem signals_lost, until it is heard again")
    func silence() async throws {
        let fixture = try await PipelineFixture("{}", at: Self.begin)
        await fixture.pipeline.receive(Self.signals(fixture), from: "OBD-II on can0")
        try await fixture.drive(seconds: 50, from: 0, at: "2026-11-20T08:00:00Z")
        #expect(fixture.problems.current.isEmpty)
        await fixture.pipeline.receive(.unavailable(detail: "can0 is down"), from: "OBD-II on can0")
        #expect(fixture.problems.current.isEmpty)
        try await fixture.drive(seconds: 60, from: 50, at: "2026-11-20T08:00:00Z")
        let problem = try #require(fixture.problems.current.first)
        #expect(problem.code == .signalsLost)
        #expect(problem.text.contains("OBD-II on can0: can0 is down"), "\(problem.text)")
        #expect(await fixture.pipeline.tracker.isMoving)
        await fixture.pipeline.receive(Self.signals(fixture), from: "OBD-II on can0")
        #expect(fixture.problems.current.isEmpty)
    }

    @Test("A silent source is no problem while the vehicle is parked, or in private time", arguments: [true, false])
    func noProblem(isPrivate: Bool) async throws {
        let tracking =
            isPrivate ? "{ schedule: '* 3 * * *', time_zone: 'UTC', off_schedule: { mode: 'private' } }" : "{}"
        let fixture = try await PipelineFixture(tracking, at: Self.begin)
        await fixture.pipeline.receive(Self.signals(fixture), from: "OBD-II on can0")
        if isPrivate {
            try await fixture.drive(seconds: 200, from: 0, at: "2026-11-20T08:00:00Z")
            #expect(await fixture.pipeline.isPrivate)
        } else {
            try await fixture.stand(seconds: 300, at: 0)
        }
        #expect(fixture.problems.current.isEmpty)
    }

    @Test("Signals that a source sends are in the locations", .timeLimit(.minutes(1)))
    func consumed() async throws {
        let fixture = try await PipelineFixture("{}", at: Self.begin)
        let (events, input) = AsyncStream<VehicleSignalEvent>.makeStream()
        let reading = Task { await fixture.pipeline.consume(ScriptedSignals(events: { events })) }
        try await fixture.drive(seconds: 5, from: 0, at: "2026-11-20T08:00:00Z")
        input.yield(Self.signals(fixture))
        input.finish()
        await reading.value
        let location = try #require(await fixture.pipeline.tracker.currentLocation(at: fixture.clock.now()))
        #expect(location.vehicle?.fuelLevel == 0.5)
        let event = LocationEvent(location, identity: nil, annotations: RecordAnnotations())
        #expect(event.vehicle?.fuelLevel == 0.5 && event.vehicle?.source == .obd)
        // It has not agreed with the satellites yet.
        #expect(event.vehicle?.speed == nil)
    }
}

/// A source with the events of a test.
private struct ScriptedSignals: VehicleSignalSource {
    let name = "script"
    let makeEvents: @Sendable () -> AsyncStream<VehicleSignalEvent>

    init(events: @escaping @Sendable () -> AsyncStream<VehicleSignalEvent>) { makeEvents = events }

    func events() -> AsyncStream<VehicleSignalEvent> { makeEvents() }
}
