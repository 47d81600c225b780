import OdographGeodesy
import OdographHarness
import OdographModel
import OdographPositioning
import OdographWire
import Testing

@testable import Odograph

@Suite("Problems of positions")
struct PositionProblemTests {
    private static let begin = ClockReading(
        systemTime: StateScene.start, uptimeMilliseconds: 60_000, isSystemTimeTrusted: true)

    private static func codes(_ fixture: PipelineFixture) -> [Problem.Code] { fixture.problems.current.map(\.code) }

    private static func lose(_ fixture: PipelineFixture) async {
        let now = fixture.clock.now()
        await fixture.pipeline.receive(
            SourceEvent(.state(.noFix, at: now, detail: "no position"), ordinal: now.uptimeMilliseconds))
    }

    @Test("A vehicle that moved last has the problem position_lost after five minutes, until it has a position")
    func lost() async throws {
        let fixture = try await PipelineFixture("{}", at: Self.begin)
        try await fixture.drive(seconds: 200, from: 0, at: "2026-11-20T08:00:00Z")
        await Self.lose(fixture)
        fixture.clock.advance(bySeconds: 290)
        await Self.lose(fixture)
        let before = await fixture.pipeline.isMoving
        #expect(Self.codes(fixture).isEmpty && before == true)
        fixture.clock.advance(bySeconds: 20)
        await Self.lose(fixture)
        let after = await fixture.pipeline.isMoving
        #expect(Self.codes(fixture) == [.positionLost] && after == nil)
        try await fixture.drive(seconds: 1, from: 510, at: "2026-11-20T08:00:00Z")
        #expect(Self.codes(fixture).isEmpty)
    }

    @Test("A receiver that shows an impossible place has the problem position_implausible, until it is back")
    func implausible() async throws {
        let fixture = try await PipelineFixture("{}", at: Self.begin)
        try await fixture.drive(seconds: 200, from: 0, at: "2026-11-20T08:00:00Z")
        // 45 km farther on the road.
        try await fixture.drive(seconds: 30, from: 3950, at: "2026-11-20T08:00:00Z")
        #expect(Self.codes(fixture) == [.positionImplausible])
        try await fixture.drive(seconds: 60, from: 230, at: "2026-11-20T08:00:00Z")
        #expect(Self.codes(fixture).isEmpty)
    }
}
