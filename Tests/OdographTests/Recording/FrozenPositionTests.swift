import OdographHarness
import OdographModel
import OdographPositioning
import OdographWire
import Testing

@testable import Odograph

@Suite("A receiver that repeats its position")
struct FrozenPositionTests {
    @Test("It is the problem position_frozen after a minute at a speed, until the position changes")
    func frozen() async throws {
        let begin = ClockReading(systemTime: StateScene.start, uptimeMilliseconds: 60_000, isSystemTimeTrusted: true)
        let fixture = try await PipelineFixture("{}", at: begin)
        try await fixture.drive(seconds: 30, from: 0, at: "2026-11-20T08:00:00Z")
        try await fixture.stand(seconds: 50, at: 30, metersPerSecond: 12)
        #expect(fixture.problems.current.isEmpty)
        try await fixture.stand(seconds: 20, at: 30, metersPerSecond: 12)
        let problem = try #require(fixture.problems.current.first)
        #expect(problem.code == .positionFrozen && problem.text.contains("moves"), "\(problem.text)")
        try await fixture.drive(seconds: 5, from: 80, at: "2026-11-20T08:00:00Z")
        #expect(fixture.problems.current.isEmpty)
    }

    @Test(
        "A position that repeats while the vehicle stands, or in private time, is no problem", arguments: [true, false])
    func noProblem(isPrivate: Bool) async throws {
        let tracking =
            isPrivate ? "{ schedule: '* 3 * * *', time_zone: 'UTC', off_schedule: { mode: 'private' } }" : "{}"
        let begin = ClockReading(systemTime: StateScene.start, uptimeMilliseconds: 60_000, isSystemTimeTrusted: true)
        let fixture = try await PipelineFixture(tracking, at: begin)
        try await fixture.drive(seconds: 30, from: 0, at: "2026-11-20T08:00:00Z")
        try await fixture.stand(seconds: 100, at: 30, metersPerSecond: isPrivate ? 12 : 0)
        #expect(fixture.problems.current.isEmpty)
    }
}
