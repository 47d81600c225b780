import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The timeline without positions, and without a clock")
struct TimelineAbsenceTests {
    /// Returns fixes of a machine that counts uptime from a boot and knows no date.
    private func untrusted(_ fixes: [Fix], bootAt start: Timestamp) -> [Fix] {
        fixes.map { fix in
            var copy = fix
            copy.received = moment(fix.timestamp, bootAt: start)
            return copy
        }
    }

    private func moment(_ time: Timestamp, bootAt start: Timestamp) -> ClockReading {
        let uptime = time.millisecondsSinceEpoch - start.millisecondsSinceEpoch + 20_000
        return ClockReading(
            systemTime: Timestamp(millisecondsSinceEpoch: uptime), uptimeMilliseconds: uptime,
            isSystemTimeTrusted: false)
    }

    private func reasons(_ events: [TimelineEvent]) -> [OffTheGridReason] {
        events.latest.compactMap { if case .offTheGrid(let reason) = $0.kind { reason } else { nil } }
    }

    @Test("A machine that starts in 1970 dates every event by the receiver")
    func nineteenSeventy() {
        var track = Track()
        let boot = track.now
        track.stand(seconds: 300)
        track.go(seconds: 300, metersPerSecond: 12)
        track.stand(seconds: 300)
        var tracker = Tracker()
        var outputs = tracker.handle(.started(at: moment(boot, bootAt: boot)))
        outputs += tracker.handle(.tick(moment(boot, bootAt: boot)))
        for fix in untrusted(track.fixes, bootAt: boot) {
            outputs += tracker.handle(.fix(fix))
            outputs += tracker.handle(.tick(fix.received))
        }
        let events = outputs.compactMap(\.event)
        #expect(events.latest.map(\.letter) == ["S", "D", "S"])
        #expect(events.allSatisfy { $0.start >= boot && $0.lastUpdate >= boot && $0.lastUpdate <= track.now })
    }

    @Test("After a restart in 1970 the downtime is published with the first fix, not before")
    func restartedInTheDark() {
        var track = Track()
        let boot = track.now
        track.go(seconds: 600, metersPerSecond: 12)
        let parted = track.fixes.count
        track.pause(seconds: 36_000)
        let again = track.now
        track.pause(seconds: 5)
        track.go(seconds: 600, metersPerSecond: 12)
        var tracker = Tracker()
        var events = untrusted(Array(track.fixes[..<parted]), bootAt: boot)
            .flatMap { tracker.handle(.fix($0)) }.compactMap(\.event)
        events += tracker.handle(.started(at: moment(again, bootAt: again))).compactMap(\.event)
        let early = tracker.handle(.tick(moment(again, bootAt: again)))
        #expect(early.isEmpty)
        let rest = track.fixes[parted...].map { fix -> Fix in
            var copy = fix
            copy.coordinate = copy.coordinate.destination(headingDegrees: 0, distanceMeters: 5000)
            return copy
        }
        events += untrusted(rest, bootAt: again).flatMap { tracker.handle(.fix($0)) }.compactMap(\.event)
        #expect(events.latest.map(\.letter) == ["D", "-", "D"])
        #expect(reasons(events) == [.powerOff])
        #expect(events.latest[1].end == rest.first?.timestamp)
    }

    @Test("A single fix with a week rollover changes nothing")
    func rollover() {
        var track = Track()
        let boot = track.now
        track.stand(seconds: 200)
        track.go(seconds: 200, metersPerSecond: 12)
        for weeks in [-1024.0, 1024] {
            var fixes = untrusted(track.fixes, bootAt: boot)
            for index in [50, 250] {
                fixes[index].timestamp = fixes[index].timestamp.advanced(bySeconds: weeks * 604_800)
            }
            var tracker = Tracker()
            let events = fixes.flatMap { tracker.handle(.fix($0)) }.compactMap(\.event)
            #expect(events.latest.map(\.letter) == ["S", "D"])
            #expect(events.allSatisfy { $0.start >= boot && $0.lastUpdate <= track.now })
        }
    }

    @Test("A wrong date makes no event at that date, and causes a gap with an untrusted clock until it is right")
    func untrustedClock() {
        var track = Track()
        track.stand(seconds: 200)
        track.go(seconds: 200, metersPerSecond: 12)
        let parted = track.fixes.count
        let lost = track.now
        track.go(seconds: 400, metersPerSecond: 12)
        let found = track.fixes.count
        track.go(seconds: 200, metersPerSecond: 12)
        var fixes = track.fixes
        for index in parted..<found {
            fixes[index].timestamp = fixes[index].timestamp.advanced(bySeconds: -1024 * 604_800)
        }
        var tracker = Tracker()
        let events = fixes.flatMap { tracker.handle(.fix($0)) }.compactMap(\.event)
        #expect(reasons(events) == [.clockUntrusted])
        #expect(events.latest.map(\.letter) == ["S", "D", "-", "D"])
        #expect(events.allSatisfy { $0.start >= track.fixes[0].timestamp })
        #expect(abs(events.latest[2].start.seconds(since: lost)) < 2)
        #expect(events.latest[2].end == fixes[found].timestamp)
    }

    @Test("While the time is unknown, no event is dated by the machine")
    func nobodyKnowsTheTime() {
        var track = Track()
        let boot = track.now
        track.go(seconds: 600, metersPerSecond: 12)
        let last = track.fixes[track.fixes.count - 1].timestamp
        track.pause(seconds: 360_000)
        let again = track.now
        var tracker = Tracker()
        for fix in untrusted(track.fixes, bootAt: boot) { _ = tracker.handle(.fix(fix)) }
        var outputs = tracker.handle(.started(at: moment(again, bootAt: again)))
        for hour in 1...5 {
            let later = moment(again.advanced(bySeconds: Double(hour) * 3600), bootAt: again)
            outputs += tracker.handle(.source(.noFix, at: later))
            outputs += tracker.handle(.tick(later))
        }
        // The drive ended at its last known fix. There is no heartbeat, because its age is unknown.
        let records = outputs.filter { if case .record(.location) = $0 { true } else { false } }
        #expect(records.isEmpty)
        #expect(outputs.compactMap(\.event).allSatisfy { $0.start <= last && ($0.end ?? last) <= last })
        let off = tracker.handle(
            .configuration(.off, at: moment(again.advanced(bySeconds: 18_001), bootAt: again)))
        #expect(off.compactMap(\.event).allSatisfy { $0.start <= last && ($0.end ?? last) <= last })
    }

    @Test("A fix ahead of a trusted clock is rejected")
    func early() {
        var track = Track()
        track.stand(seconds: 1)
        var fix = track.fixes[0]
        fix.received.systemTime = fix.timestamp.advanced(bySeconds: -31)
        var tracker = Tracker()
        _ = tracker.handle(.fix(fix))
        #expect(tracker.counters.rejected == ["early": 1])
    }

    @Test(
        "A gap during a trip contains its reason",
        arguments: [(SourceState.lost, OffTheGridReason.sourceLost), (.noFix, .noFix), (.available, .noFix)])
    func reason(state: SourceState, expected: OffTheGridReason) {
        var track = Track()
        track.go(seconds: 300, metersPerSecond: 12)
        var tracker = Tracker()
        var events = tracker.timeline(from: track.fixes)
        events += tracker.handle(.source(state, at: track.moment())).compactMap(\.event)
        let later = track.moment(after: 400)
        events += tracker.handle(.tick(later)).compactMap(\.event)
        #expect(events.latest.map(\.letter) == ["D", "-"])
        #expect(reasons(events) == [expected])
        #expect(events.latest.first?.end == track.fixes.last?.timestamp)
    }

    @Test("While tracking is off the timeline shows it, from the moment it was turned off")
    func disabled() {
        var track = Track()
        track.stand(seconds: 300)
        var tracker = Tracker()
        var events = tracker.timeline(from: track.fixes)
        var off = TrackingConfiguration()
        off.isEnabled = false
        let turnedOff = track.now
        events += tracker.handle(.configuration(off, at: ClockReading(replayed: turnedOff))).compactMap(\.event)
        track.pause(seconds: 1000)
        let on = TrackerInput.configuration(TrackingConfiguration(), at: track.moment())
        events += tracker.handle(on).compactMap(\.event)
        let before = track.fixes.count
        track.stand(seconds: 300)
        events += tracker.timeline(from: Array(track.fixes[before...]))
        #expect(events.latest.map(\.letter) == ["S", "-", "S"])
        #expect(reasons(events) == [.disabled])
        #expect(events.latest[1].start == turnedOff)
    }

    @Test("A long drive has a bounded state and bounded waypoints, all close to the path")
    func waypoints() throws {
        var drive = SimulatedDrive(seed: 9)
        drive.stand(seconds: 200)
        drive.drive(seconds: 9000)
        drive.stand(seconds: 200)
        let events = drive.fixes.timeline().latest
        // Published with its end, though the stop is still provisional.
        #expect(events.dropFirst().first?.isProvisional == true)
        guard case .transport(let transport)? = events.dropFirst().first?.kind else {
            Issue.record("no transport among \(events.map(\.letter))")
            return
        }
        #expect(transport.mode == .car)
        #expect((2...200).contains(transport.waypoints.count))
        #expect(abs(transport.distanceMeters - drive.trueMeters) < 0.01 * drive.trueMeters)
        #expect(zip(transport.waypoints, transport.waypoints.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
    }

    @Test("The waypoints of a trip begin at the place of the stop", arguments: 1...5 as ClosedRange<UInt64>)
    func firstWaypoint(seed: UInt64) throws {
        var drive = SimulatedDrive(seed: seed)
        drive.stand(seconds: 600)
        drive.drive(seconds: 600)
        drive.stand(seconds: 600)
        let events = drive.fixes.timeline().latest
        let way = try #require(events.first { $0.letter == "D" })
        guard case .transport(let transport) = way.kind else { return }
        let (first, last) = (try #require(transport.waypoints.first), try #require(transport.waypoints.last))
        #expect(first.timestamp.seconds(since: way.start) <= MotionWindowBuilder.lengthSeconds)
        #expect((way.end ?? drive.now).seconds(since: last.timestamp) <= MotionWindowBuilder.lengthSeconds)
    }
}
