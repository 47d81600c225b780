import OdographCivilTime
import OdographHarness
import OdographModel
import OdographPositioning
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

@Suite("A lost receiver")
struct LostReceiverTests {
    private static func fixture() async throws -> PipelineFixture {
        let time = try ScheduleFixture.time("2026-11-20T08:00:00Z")
        return try await PipelineFixture(
            "{}", at: ClockReading(systemTime: time, uptimeMilliseconds: 5000, isSystemTimeTrusted: true))
    }

    private static func say(_ state: SourceState, _ detail: String, to fixture: PipelineFixture) async {
        let event = SourceEvent(.state(state, at: fixture.clock.now(), detail: detail), ordinal: 0)
        await fixture.pipeline.receive(event)
    }

    /// Waits until there are problems, or none.
    private static func problems(of fixture: PipelineFixture, areSome: Bool) async throws -> [Problem]? {
        try await eventually {
            let current = fixture.problems.current
            return current.isEmpty == areSome ? nil : current
        }
    }

    @Test("A lost receiver is a problem with its reason after a minute, until it is back")
    func lost() async throws {
        let fixture = try await Self.fixture()
        await Self.say(.lost, "gpsd at box:2947 cannot be reached: connection refused", to: fixture)
        fixture.clock.advance(bySeconds: 61)
        let problem = try #require(try await Self.problems(of: fixture, areSome: true)?.first)
        #expect(problem.code == .sourceLost)
        #expect(problem.text.contains("connection refused") && problem.text.contains("doctor"))
        await Self.say(.noFix, "the receiver has no position", to: fixture)
        #expect(try await Self.problems(of: fixture, areSome: false) == [])
    }

    @Test("A receiver that restarts is no problem: the minute begins with the last loss")
    func bridge() async throws {
        let fixture = try await Self.fixture()
        await Self.say(.lost, "the first", to: fixture)
        fixture.clock.advance(bySeconds: 40)
        await Self.say(.available, "there", to: fixture)
        await Self.say(.lost, "the second", to: fixture)
        fixture.clock.advance(bySeconds: 40)
        await Self.say(.available, "there", to: fixture)
        await Self.say(.lost, "the third", to: fixture)
        fixture.clock.advance(bySeconds: 61)
        let problem = try #require(try await Self.problems(of: fixture, areSome: true)?.first)
        #expect(problem.text.contains("the third"))
    }
}
