import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Positions that are missing")
struct PositionWatchTests {
    /// A drive of ten minutes, after which the receiver has no position any more.
    private struct Scene {
        var track = Track()
        var tracker = Tracker()
        var outputs: [TrackerOutput] = []

        /// - Parameters:
        ///   - isParked: whether the vehicle parks before it loses its position.
        ///   - hasWheels: whether it reports the speed of its wheels.
        init(isParked: Bool = false, hasWheels: Bool = false) {
            track.stand(seconds: 300)
            track.go(seconds: 600, metersPerSecond: 11)
            if isParked { track.stand(seconds: 600) }
            for fix in track.fixes {
                // The wheels agree with the satellites, so they are believed.
                if hasWheels {
                    let signals = VehicleSignals(
                        source: .j1939, received: fix.received, wheelSpeedMetersPerSecond: fix.speedMetersPerSecond)
                    _ = tracker.handle(.signals(signals))
                }
                _ = tracker.handle(.fix(fix))
            }
        }

        var isLost: Bool { tracker.isPositionLost }
        var isMoving: Bool? { tracker.isMovingNow }

        mutating func handle(_ input: TrackerInput) { outputs += tracker.handle(input) }

        mutating func lose() { handle(.source(.noFix, at: track.moment())) }

        /// Lets seconds pass, each with the signals.
        mutating func pass(_ seconds: Int, ignition: Bool? = nil, wheels: Double? = nil) {
            for _ in 0..<seconds {
                track.pause(seconds: 1)
                if ignition != nil || wheels != nil {
                    handle(
                        .signals(
                            VehicleSignals(
                                source: .j1939, received: track.moment(), wheelSpeedMetersPerSecond: wheels,
                                isIgnitionOn: ignition)))
                } else {
                    handle(.tick(track.moment()))
                }
            }
        }
    }

    @Test("The position of a vehicle that moved last is lost after five minutes, and the next position ends that")
    func movedLast() throws {
        var scene = Scene()
        scene.lose()
        scene.pass(298)
        #expect(!scene.isLost && scene.isMoving == true)
        scene.pass(2)
        #expect(scene.isLost && scene.isMoving == nil)
        let location = try #require(scene.tracker.currentLocation(at: scene.track.moment()))
        #expect(!location.isMoving && location.fix.speedMetersPerSecond == nil && location.fix.headingDegrees == nil)
        scene.track.go(seconds: 1, metersPerSecond: 11)
        scene.handle(.fix(try #require(scene.track.fixes.last)))
        #expect(!scene.isLost && scene.isMoving == true)
    }

    @Test("A receiver whose positions are all rejected gives no position")
    func rejected() throws {
        var scene = Scene()
        for _ in 0..<301 {
            scene.track.go(seconds: 1, metersPerSecond: 11, accuracyMeters: 5000)
            scene.handle(.fix(try #require(scene.track.fixes.last)))
        }
        #expect(scene.isLost)
    }

    @Test(
        "A parked vehicle whose receiver has other dates than a trusted clock has no position after five minutes",
        arguments: [
            // Seconds between two positions, whether the date advances, the second at which the source has none.
            (1, true, nil, true), (20, true, nil, false), (1, false, nil, false), (1, true, 395, false),
        ] as [(Int, Bool, Int?, Bool)])
    func otherDate(seconds: Int, advances: Bool, lossSecond: Int?, isLost: Bool) throws {
        var scene = Scene(isParked: true)
        let last = try #require(scene.track.fixes.last).timestamp
        for second in stride(from: 0, to: 400, by: seconds) {
            scene.track.stand(seconds: Double(seconds))
            var fix = try #require(scene.track.fixes.last)
            fix.timestamp = advances ? fix.timestamp.advanced(bySeconds: -86_400) : last
            scene.handle(.fix(fix))
            if second == lossSecond { scene.lose() }
        }
        #expect(scene.isLost == isLost && scene.tracker.areDatesRejected == isLost)
        scene.track.stand(seconds: 1)
        scene.handle(.fix(try #require(scene.track.fixes.last)))
        #expect(!scene.isLost && !scene.tracker.areDatesRejected)
    }

    @Test("A parked vehicle loses no position, until its ignition is on or its wheels turn")
    func parked() {
        for (ignition, wheels) in [(true, nil), (nil, 8.0), (false, 8)] as [(Bool?, Double?)] {
            var scene = Scene(isParked: true)
            scene.lose()
            scene.pass(7200)
            #expect(!scene.isLost && scene.isMoving == false)
            scene.pass(60, ignition: false, wheels: 0)
            #expect(!scene.isLost)
            scene.pass(1, ignition: ignition, wheels: wheels)
            #expect(scene.isLost, "ignition \(ignition as Any), wheels \(wheels as Any)")
        }
    }

    @Test("The position of a vehicle that drives is lost after ten seconds if the receiver says so")
    func driving() {
        var scene = Scene(hasWheels: true)
        scene.pass(5, ignition: true, wheels: 11)
        #expect(!scene.isLost)
        scene.lose()
        scene.pass(3, ignition: true, wheels: 11)
        #expect(!scene.isLost)
        scene.pass(3, ignition: true, wheels: 11)
        #expect(scene.isLost && scene.isMoving == true)
        scene.pass(5, ignition: true, wheels: 0)
        #expect(scene.isLost && scene.isMoving == false)
    }

    @Test("A source that gives positions at long intervals has not lost them")
    func longIntervals() {
        var scene = Scene(isParked: true)
        scene.pass(290, ignition: true)
        #expect(!scene.isLost)
    }

    @Test("The loss ends where the vehicle parks, and comes back when it is used")
    func parkedWithout() {
        var scene = Scene(hasWheels: true)
        scene.lose()
        scene.pass(60, ignition: true, wheels: 3)
        #expect(scene.isLost)
        scene.pass(60, ignition: false, wheels: 0)
        #expect(!scene.isLost && scene.isMoving == false)
        scene.pass(1, ignition: true, wheels: 0)
        #expect(scene.isLost)
    }

    @Test("A heartbeat of a lost position is not moving", arguments: [11.0, nil])
    func heartbeats(wheels: Double?) throws {
        var scene = Scene(hasWheels: wheels != nil)
        var configuration = TrackingConfiguration()
        configuration.heartbeatIntervalSeconds = 60
        scene.handle(.configuration(configuration, at: scene.track.moment()))
        scene.lose()
        scene.pass(660, wheels: wheels)
        let beats = scene.outputs.compactMap(\.location).filter { $0.cause == .heartbeat }
        let last = try #require(beats.last)
        #expect(beats.count >= 10 && last.fix.speedMetersPerSecond == nil && last.ageMilliseconds > 500_000)
        #expect(last.isMoving == (wheels != nil))
    }

    @Test("The loss survives a restart, in the same boot and in another one", arguments: ["a", "b"])
    func restart(boot: String) {
        for seconds in [200, 310] {
            var scene = Scene()
            scene.handle(.started(at: scene.track.moment(), boot: "a"))
            scene.lose()
            scene.pass(seconds)
            scene.handle(.started(at: scene.track.moment(), boot: boot))
            #expect(scene.isLost == (seconds > 300))
            scene.pass(110)
            // The time in which the machine was off does not count.
            #expect(scene.isLost == (seconds > 300 || boot == "a"))
            scene.pass(200)
            #expect(scene.isLost)
        }
    }

    @Test("The tracker asks for a tick at the time of the loss")
    func due() throws {
        var scene = Scene()
        scene.lose()
        var seconds = 0.0
        while let next = scene.tracker.secondsUntilDue(at: scene.track.moment()), !scene.tracker.isPositionLost {
            scene.track.pause(seconds: next)
            seconds += next
            scene.handle(.tick(scene.track.moment()))
        }
        #expect(abs(seconds - 299) <= 1, "\(seconds) s")
    }

    @Test("In private time and without tracking no position is missing", arguments: [true, false])
    func notWatched(isPrivate: Bool) {
        var scene = Scene()
        scene.lose()
        scene.pass(310)
        #expect(scene.isLost)
        if isPrivate {
            scene.handle(
                .schedule(.closed(OffScheduleRule(mode: .private)), at: scene.track.moment()))
        } else {
            scene.handle(.configuration(.off, at: scene.track.moment()))
        }
        scene.pass(600)
        #expect(!scene.isLost)
    }
}
