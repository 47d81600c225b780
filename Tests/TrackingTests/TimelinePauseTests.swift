import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

/// A vehicle drives, the agent is turned off and started again, the first fix takes a while, and then the vehicle
/// drives on from another place.
@Suite("The timeline over an agent's downtime")
struct TimelinePauseTests {
    private static let gapSeconds = TimelineRule().gapSeconds

    private struct Scene {
        var events: [TimelineEvent] = []
        var lost: Timestamp
        var started: Timestamp
        var found: Timestamp
        /// The published reasons while the gap lasted.
        var provisional: [OffTheGridReason]
    }

    /// - Parameters:
    ///   - off: The duration of the downtime, seconds.
    ///   - silent: The time from the start to the first fix, seconds.
    ///   - state: The state of the position source meanwhile.
    ///   - awayMeters: The distance to the new place.
    private func scene(
        off: Double, silent: Double, state: SourceState? = nil, awayMeters: Double = 5000, isKnown: Bool = true,
        isStanding: Bool = false
    ) -> Scene {
        var track = Track()
        track.go(seconds: 600, metersPerSecond: isStanding ? 0 : 12)
        let parted = track.fixes.count
        let lost = track.fixes[parted - 1].timestamp
        track.pause(seconds: off)
        let started = track.now
        let boot = isKnown ? nil : started
        track.pause(seconds: silent)
        let found = track.now
        track.go(seconds: 600, metersPerSecond: 12)
        var tracker = Tracker()
        var outputs = track.fixes[..<parted].flatMap { tracker.handle(.fix($0)) }
        outputs += tracker.handle(.started(at: moment(started, bootAt: boot)))
        if let state { outputs += tracker.handle(.source(state, at: moment(started, bootAt: boot))) }
        for second in stride(from: 1.0, to: silent, by: 10) {
            outputs += tracker.handle(.tick(moment(started.advanced(bySeconds: second), bootAt: boot)))
        }
        let provisional = outputs.compactMap(\.event).compactMap(\.absence)
        for var fix in track.fixes[parted...] {
            fix.coordinate = fix.coordinate.destination(headingDegrees: 0, distanceMeters: awayMeters)
            fix.received = moment(fix.timestamp, bootAt: boot)
            outputs += tracker.handle(.fix(fix))
        }
        return Scene(
            events: outputs.compactMap(\.event), lost: lost, started: started, found: found,
            provisional: provisional)
    }

    private func moment(_ time: Timestamp, bootAt boot: Timestamp?) -> ClockReading {
        guard let boot else { return ClockReading(replayed: time) }
        let uptime = time.millisecondsSinceEpoch - boot.millisecondsSinceEpoch + 20_000
        return ClockReading(
            systemTime: Timestamp(millisecondsSinceEpoch: uptime), uptimeMilliseconds: uptime,
            isSystemTimeTrusted: false)
    }

    private func absences(_ scene: Scene) -> [TimelineEvent] { scene.events.latest.filter { $0.absence != nil } }

    @Test(
        "A short downtime is not the reason of a long gap",
        arguments: [(SourceState.lost, OffTheGridReason.sourceLost), (.noFix, .noFix), (.available, .noFix)])
    func moment(state: SourceState, reason: OffTheGridReason) {
        let scene = scene(off: 5, silent: 3600, state: state)
        #expect(absences(scene).map(\.absence) == [reason])
        #expect(absences(scene).map(\.start) == [scene.lost])
        #expect(absences(scene).map(\.end) == [scene.found])
        #expect(Set(scene.provisional) == [reason])
    }

    @Test(
        "A long downtime and a lost receiver are both published, separated at the agent's start",
        arguments: [false, true])
    func both(isStanding: Bool) {
        let scene = scene(off: 7200, silent: 3600, state: .lost, isStanding: isStanding)
        #expect(absences(scene).map(\.absence) == [.powerOff, .sourceLost])
        #expect(absences(scene).map(\.start) == [scene.lost, scene.started])
        #expect(absences(scene).map(\.end) == [scene.started, scene.found])
        // While the gap lasts, its reason is no longer the downtime.
        #expect(isStanding || Set(scene.provisional) == [.powerOff, .sourceLost])
        #expect(isStanding || scene.provisional.last == .sourceLost)
        #expect(scene.events.latest.allSatisfy { !$0.isProvisional || $0 == scene.events.latest.last })
    }

    @Test("A receiver that needs a moment after the start causes no gap")
    func shortSilence() {
        let scene = scene(off: 7200, silent: Self.gapSeconds - 10, state: .noFix)
        #expect(absences(scene).map(\.absence) == [.powerOff])
        #expect(absences(scene).map(\.end) == [scene.found])
    }

    @Test("If the vehicle is at the same place after the gap, the gap is a stop")
    func garage() {
        let scene = scene(off: 7200, silent: 3600, state: .noFix, awayMeters: 0)
        #expect(absences(scene) == [])
        #expect(scene.events.latest.map(\.letter) == ["D", "S", "D"])
    }

    @Test("If the time was unknown at the start, the downtime lasts until the first fix")
    func unknownTime() {
        let scene = scene(off: 7200, silent: 3600, state: .noFix, isKnown: false)
        #expect(absences(scene).map(\.absence) == [.powerOff])
        #expect(absences(scene).map(\.end) == [scene.found])
    }

    @Test(
        "A heartbeat never publishes a deleted last position, after any time without a new one",
        .timeLimit(.minutes(5)))
    func forgotten() {
        var track = Track()
        track.stand(seconds: 600)
        var tracker = Tracker()
        for fix in track.fixes { _ = tracker.handle(.fix(fix)) }
        let rule = OffScheduleRule(mode: .private, tag: "private")
        _ = tracker.handle(.schedule(.closed(rule), at: track.moment()))
        _ = tracker.handle(.schedule(.open, at: track.moment()))
        track.pause(seconds: 86_400)
        let outputs = tracker.handle(.tick(track.moment()))
        #expect(outputs.compactMap(\.location) == [])
        let before = track.fixes.count
        track.stand(seconds: 10)
        #expect(tracker.locations(from: Array(track.fixes[before...])).count == 1)
        let heartbeat = tracker.handle(.tick(track.moment(after: 3700)))
        #expect(heartbeat.compactMap(\.location).map(\.cause) == [.heartbeat])
    }

    @Test("A trip in private time does not continue over a downtime", .timeLimit(.minutes(5)))
    func privateTime() throws {
        var track = Track()
        track.go(seconds: 600, metersPerSecond: 12)
        let parted = track.fixes.count
        let lost = track.fixes[parted - 1].timestamp
        track.pause(seconds: 36_000)
        let started = track.now
        track.go(seconds: 600, metersPerSecond: 12)
        var tracker = Tracker()
        let rule = OffScheduleRule(mode: .private, tag: "private")
        var outputs = tracker.handle(.schedule(.closed(rule), at: track.fixes[0].received))
        outputs += track.fixes[..<parted].flatMap { tracker.handle(.fix($0)) }
        tracker = tracker.withoutPositions()
        outputs += tracker.handle(.started(at: ClockReading(replayed: started)))
        outputs += track.fixes[parted...].flatMap { tracker.handle(.fix($0)) }
        let events = outputs.compactMap(\.event).latest
        #expect(events.map(\.letter) == ["D", "-", "D"])
        #expect(events.compactMap(\.absence) == [.powerOff])
        #expect(events[1].start == lost && events[1].end == track.fixes[parted].timestamp)
    }
}

extension TimelineEvent {
    /// The reason of a gap; nil for other events.
    fileprivate var absence: OffTheGridReason? {
        if case .offTheGrid(let reason) = kind { reason } else { nil }
    }
}
