import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographModel
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

@Suite("Off-schedule time in messages and in the saved state")
struct OffScheduleOutputTests {
    @Test("Neither timeline messages nor the saved state contain a position of private time")
    func hidden() throws {
        let closing = try ScheduleFixture.time("2026-11-20T08:10:00Z")
        let opening = try ScheduleFixture.time("2026-11-20T08:30:00Z")
        var gated = GatedTracker(try ScheduleFixture.schedule("0-9,30-59 * * * *", off: .private))
        var (before, messages, kept) = ("", "", "")
        for fix in try ScheduleFixture.drive(from: "2026-11-20T08:00:00Z", seconds: 2400) {
            let text = try gated.handle(.fix(fix)).compactMap(wire).joined()
            guard fix.timestamp > closing, fix.timestamp < opening else {
                // The trip before is published with its waypoints when the schedule closes.
                if fix.timestamp <= closing { before += text }
                continue
            }
            messages += text
            guard fix.timestamp.secondsSinceEpoch % 60 == 7 else { continue }
            let saved = try StateSnapshot.encode(gated.tracker.disclose(gated.tracker), sourceOrdinal: 7)
            kept += String(decoding: saved, as: UTF8.self)
        }
        #expect(before.contains("latitude"))
        #expect(!messages.isEmpty && !messages.contains("oordinate") && !messages.contains("latitude"))
        #expect(!kept.isEmpty && !kept.contains("latitude") && !kept.contains("oordinate"), "\(kept.prefix(2000))")
    }

    private func wire(_ output: TrackerOutput) throws -> String? {
        guard case .record(.timeline(let event)) = output else { return nil }
        return try JSONCoder.string(
            of: TimelineMessage(deviceID: "van-7", timelineEvent: TimelineEventRevision(event, identity: nil)))
    }

    @Test(
        "Off schedule, whether the vehicle moves is shown in mode `tag` only",
        arguments: [("stop", nil), ("private", nil), ("tag", true)])
    func isMoving(mode: String, shown: Bool?) async throws {
        let run = try await PipelineFixture(
            "{ schedule: '0-9 * * * *', time_zone: 'UTC', off_schedule: { mode: '\(mode)' } }",
            at: try ScheduleFixture.moment("2026-11-20T08:08:00Z"))
        try await run.drive(seconds: 100, from: 0, at: "2026-11-20T08:08:00Z")
        #expect(await run.pipeline.isMoving == true)
        try await run.drive(seconds: 60, from: 100, at: "2026-11-20T08:10:00Z")
        #expect(await run.pipeline.isMoving == shown)
        await run.pipeline.stop()
    }
}
