import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Off schedule")
struct OffScheduleTests {
    /// Returns the outputs of a drive of 40 minutes; the schedule is closed for the 20 minutes in the middle.
    private func drive(_ mode: OffScheduleRule.Mode) throws -> (outputs: [TrackerOutput], end: GatedTracker) {
        var gated = GatedTracker(try ScheduleFixture.schedule("0-9,30-59 * * * *", off: mode, tag: "own"))
        var outputs: [TrackerOutput] = []
        for fix in try ScheduleFixture.drive(from: "2026-11-20T08:00:00Z", seconds: 2400) {
            outputs += gated.handle(.fix(fix))
        }
        return (outputs, gated)
    }

    private let closing = Timestamp(iso8601: "2026-11-20T08:10:00Z")
    private let opening = Timestamp(iso8601: "2026-11-20T08:30:00Z")

    private func isOff(_ time: Timestamp) throws -> Bool {
        let (from, to) = (try #require(closing), try #require(opening))
        return time >= from && time < to
    }

    @Test("stop: nothing is recorded, the trip ends when the schedule closes, and another begins when it opens")
    func stop() throws {
        let (outputs, end) = try drive(.stop)
        let locations = outputs.compactMap(\.location)
        #expect(try locations.filter { try isOff($0.fix.timestamp) }.isEmpty)
        #expect(locations.filter { $0.cause == .schedule }.count == 2)
        let events = outputs.compactMap(\.event).filter { !$0.isProvisional }
        #expect(events.map(\.end).contains(closing))
        let off = try #require(events.first { $0.kind == .offTheGrid(.offSchedule) })
        #expect((off.start, off.end) == (closing, opening))
        try expectNoHoles(events)
        // 20 of 40 minutes at 12 m/s.
        #expect(abs(end.tracker.odometerMeters - 1200 * 12) < 60)
    }

    @Test("tag: everything is recorded, off schedule with the tag, and the trip has three parts")
    func tag() throws {
        let (outputs, end) = try drive(.tag)
        for location in outputs.compactMap(\.location) where location.cause != .schedule {
            #expect(try location.tag == (isOff(location.fix.timestamp) ? "own" : nil))
        }
        let events = outputs.compactMap(\.event).filter { !$0.isProvisional }
        for event in events { #expect(try event.tag == (isOff(event.start) ? "own" : nil)) }
        #expect(events.compactMap(\.end).contains { $0 == closing })
        #expect(events.compactMap(\.end).contains { $0 == opening })
        try expectNoHoles(events)
        #expect(abs(end.tracker.odometerMeters - 2400 * 12) < 60)
    }

    @Test("private: no position of that time is published or saved, and the odometer continues")
    func hidden() throws {
        var gated = GatedTracker(try ScheduleFixture.schedule("0-9,30-59 * * * *", off: .private))
        var told = ""
        var kept = ""
        var meters = 0.0
        var timeline: [TimelineEvent] = []
        for fix in try ScheduleFixture.drive(from: "2026-11-20T08:00:00Z", seconds: 2400) {
            let outputs = gated.handle(.fix(fix))
            timeline += outputs.compactMap(\.event)
            if try isOff(fix.timestamp) {
                meters = gated.tracker.odometerMeters
                // The last position before the closing is published when the schedule closes.
                if fix.timestamp != closing { told += "\(outputs)" }
                guard fix.timestamp.secondsSinceEpoch % 60 == 7 else { continue }
                let saved = try JSONEncoder().encode(gated.tracker.withoutPositions())
                kept += String(decoding: saved, as: UTF8.self)
            }
        }
        #expect(!told.contains("oordinate") && !told.contains("latitude"))
        #expect(!kept.contains("latitude") && !kept.contains("oordinate"), "\(kept.prefix(2000))")
        #expect(abs(meters - 1800 * 12) < 100)
        let off = try timeline.filter { try isOff($0.start) && !$0.isProvisional }
        #expect(off.count == 1)
        if case .transport(let transport)? = off.first?.kind {
            #expect(abs(transport.distanceMeters - 1200 * 12) < 100)
            #expect(transport.waypoints.isEmpty)
        } else {
            Issue.record("\(off)")
        }
        try expectNoHoles(timeline.filter { !$0.isProvisional })
    }

    @Test("private: what is published after the opening begins after it")
    func afterPrivate() throws {
        let (outputs, _) = try drive(.private)
        let locations = outputs.compactMap(\.location)
        #expect(try locations.filter { try isOff($0.fix.timestamp) }.isEmpty)
        let opened = try #require(locations.first { $0.fix.timestamp >= (opening ?? $0.fix.timestamp) })
        #expect(opened.cause == .schedule)
        let points = outputs.compactMap(\.event).flatMap { event -> [TimelineWaypoint] in
            if case .transport(let transport) = event.kind { transport.waypoints } else { [] }
        }
        #expect(try points.filter { try isOff($0.timestamp) }.isEmpty)
    }

    @Test(
        "A position request while the schedule is closed is answered at once without a position",
        arguments: [OffScheduleRule.Mode.stop, .private])
    func requests(mode: OffScheduleRule.Mode) throws {
        var gated = GatedTracker(try ScheduleFixture.schedule("0-9 * * * *", off: mode))
        for fix in try ScheduleFixture.drive(from: "2026-11-20T08:09:50Z", seconds: 9) { _ = gated.handle(.fix(fix)) }
        let before = PositionRequest(id: 1, samples: 100, desiredAccuracyMeters: 0.1)
        _ = gated.handle(.positionRequest(before, at: try ScheduleFixture.moment("2026-11-20T08:09:59Z")))
        let closing = gated.handle(.tick(try ScheduleFixture.moment("2026-11-20T08:10:00Z")))
        #expect(closing.contains(.position(nil, request: 1)))
        let after = PositionRequest(id: 2)
        let answer = gated.handle(.positionRequest(after, at: try ScheduleFixture.moment("2026-11-20T08:10:01Z")))
        #expect(answer == [.position(nil, request: 2)])
    }

    private func expectNoHoles(_ events: [TimelineEvent]) throws {
        let sorted = events.sorted { $0.start < $1.start }
        for (event, next) in zip(sorted, sorted.dropFirst()) { #expect(event.end == next.start) }
    }

    @Test("The first location after private time has the cause `schedule`, also if undated positions were discarded")
    func openingAfterDiscardedPositions() throws {
        var gated = GatedTracker(try ScheduleFixture.schedule("0,2-59 * * * *", off: .private))
        let fixes = try ScheduleFixture.drive(from: "2026-11-20T08:00:00Z", seconds: 150)
        for fix in fixes.prefix(115) { _ = gated.handle(.fix(fix)) }
        _ = gated.handle(.tick(fixes[125].received))
        for fix in fixes[125..<130] { _ = gated.handle(.undated(ReceivedFix(fix, hasReceiverDate: false))) }
        var tracker = gated.tracker
        #expect(!tracker.isPrivate && tracker.hasUndatedFixes)
        tracker.discardUndatedFixes()
        let locations = fixes[130...].flatMap { tracker.handle(.fix($0)) }.compactMap(\.location)
        #expect(locations.first?.cause == .schedule)
        #expect(locations.dropFirst().allSatisfy { $0.cause != .schedule })
    }
}
