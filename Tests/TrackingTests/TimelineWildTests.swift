import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The timeline on days with all kinds of faults")
struct TimelineWildTests {
    @Test(
        "The timeline has no gap and no overlap, revises no final event, and is the same after a kill",
        .timeLimit(.minutes(5)), arguments: Array(1...24 as ClosedRange<UInt64>) + [298])
    func wellFormed(seed: UInt64) throws {
        let day = WildDay(seed: seed)
        var whole = WildRun()
        var parted = WildRun()
        for (index, event) in day.events.enumerated() {
            whole.take(event)
            if index % (37 + Int(seed)) == 0 {
                let loaded = try JSONDecoder().decode(Tracker.self, from: JSONEncoder().encode(parted.tracker))
                #expect(loaded == parted.tracker)
                parted.tracker = loaded
            }
            parted.take(event)
        }
        whole.end()
        parted.end()
        #expect(parted.outputs == whole.outputs)
        whole.events.expectWellFormed()
    }

    /// Returns the published events of tracks in the given order, independent of their dates.
    private func events(_ tracks: [Track]) -> [TimelineEvent] {
        var run = WildRun()
        for fix in tracks.flatMap(\.fixes) { run.take(.position(ReceivedFix(fix, hasReceiverDate: true))) }
        run.end()
        run.events.expectWellFormed()
        return run.events.latest.inTime
    }

    private func drive(from start: String, seconds: Double = 600, from place: Double = 40) -> Track {
        var track = Track(latitudeDegrees: place, start: start)
        track.go(seconds: seconds, metersPerSecond: 12)
        return track
    }

    @Test("After a date steps back into published time, that time stays, and no event is published until it is over")
    func steppedBack() {
        let events = events([
            drive(from: "2026-11-21T10:00:00Z"), drive(from: "2026-11-21T14:00:00Z", from: 40.1),
            drive(from: "2026-11-21T12:00:00Z", seconds: 8000, from: 40.2),
        ])
        #expect(events.map(\.letter) == ["D", "-", "D", "-", "D"])
        #expect(events[2].end == Timestamp(iso8601: "2026-11-21T14:09:59.000Z"))
        #expect(events[3].kind == .offTheGrid(.clockUntrusted) && events[3].durationSeconds == 1)
    }

    @Test("After a date steps back behind all events, an event there ends where the others begin")
    func behindEverything() {
        let events = events([
            drive(from: "2026-11-21T10:00:00Z"), drive(from: "2026-11-20T10:00:00Z", from: 40.1),
            drive(from: "2026-11-19T10:00:00Z", from: 40.2),
            drive(from: "2026-11-18T10:00:00Z", seconds: 90_000, from: 40.3),
        ])
        #expect(events.map(\.letter) == ["D", "D", "-", "D", "-", "D"])
        // The earlier date was accepted after nine fixes.
        #expect(events[0].end == Timestamp(iso8601: "2026-11-19T10:00:09Z"))
    }

    @Test(
        "The timeline continues after a week rollover and its end",
        arguments: [
            1024.0, 2048,
        ])
    func lostWeeks(weeks: Double) throws {
        let lost = try #require(Timestamp(iso8601: "2026-11-21T10:10:00Z")).advanced(bySeconds: weeks * 604_800)
        let events = events([
            drive(from: "2026-11-21T10:00:00Z"), drive(from: lost.iso8601),
            drive(from: "2026-11-21T10:20:00Z", from: 40.2), drive(from: lost.iso8601),
            drive(from: "2026-11-21T10:40:00Z", from: 40.4),
        ])
        #expect(events.map(\.letter) == ["D", "-", "D", "-", "D", "-", "D"])
        #expect(events[1].end == Timestamp(iso8601: "2026-11-21T10:20:09.000Z"))
        #expect(events[1].kind == .offTheGrid(.clockUntrusted) && events[6].start == lost)
    }

    @Test("Years between two fixes are published in a few revisions, and the drive before them keeps its end")
    func years() {
        let drive = drive(from: "2020-05-01T10:00:00Z")
        let told = (drive.fixes + self.drive(from: "2026-05-01T10:00:00Z", from: 41).fixes).timeline()
        #expect(told.count < 40)
        let first = told.filter { $0.id == told.first?.id }
        #expect(first.allSatisfy { $0.durationSeconds < 600 + TimelineRule().gapSeconds })
        #expect(first.last?.end == drive.fixes.last?.timestamp)
    }

    @Test("A single wild date in a capture is not elapsed time")
    func wildDate() {
        var track = drive(from: "2026-11-21T10:00:00Z")
        track.pause(seconds: 5e8)
        track.go(seconds: 1, metersPerSecond: 12)
        track.pause(seconds: -5e8)
        track.go(seconds: 600, metersPerSecond: 12)
        var tracker = Tracker()
        let told = track.fixes.flatMap { fix -> [TrackerOutput] in
            var fix = fix
            fix.isMock = true
            return tracker.handle(.fix(fix))
        }.compactMap(\.event)
        #expect(told.latest.map(\.letter) == ["D"])
        #expect(told.allSatisfy { $0.lastUpdate <= track.now })
    }

    @Test("After a pause that was lengthened by a backward clock step, no interval is published twice")
    func pausedAhead() {
        var track = Track()
        track.go(seconds: 300, metersPerSecond: 12)
        var tracker = Tracker()
        var events = tracker.timeline(from: track.fixes)
        let pause = track.moment(after: 4.5)
        events += tracker.handle(.configuration(.off, at: pause)).compactMap(\.event)
        events += tracker.handle(.configuration(TrackingConfiguration(), at: pause)).compactMap(\.event)
        // The next report had a longer delay than the previous ones.
        track.pause(seconds: 4)
        let parted = track.fixes.count
        track.go(seconds: 60, metersPerSecond: 12)
        events += tracker.timeline(from: Array(track.fixes[parted...]))
        events += tracker.finish(at: track.moment()).compactMap(\.event)
        events.expectWellFormed()
    }
}

extension [TimelineEvent] {
    /// Checks the invariants of all revisions in their order, up to the end.
    func expectWellFormed() {
        var known: [TimelineEventID: TimelineEvent] = [:]
        for (index, event) in enumerated() {
            #expect(index == 0 || self[index - 1].lastUpdate < event.lastUpdate)
            #expect(event.revision == (known[event.id]?.revision ?? 0) + 1)
            #expect(known[event.id].map { $0.isProvisional && $0.start == event.start } ?? true, "\(event)")
            #expect(event.end.map { $0 >= event.start } ?? event.isProvisional)
            known[event.id] = event
        }
        #expect(latest.allSatisfy { !$0.isProvisional })
        expectInvariants()
    }

    /// Checks the rules that the last revisions keep, whatever the positions were. Two final events of one kind can
    /// touch where the date went back, where the schedule closed and opened between two positions, and where the state
    /// was lost.
    func expectInvariants() {
        for violation in TimelineInvariants.violations(in: latest)
        where violation.rule != .modeChange && violation.rule != .reasonChange {
            Issue.record("\(violation)")
        }
    }
}
