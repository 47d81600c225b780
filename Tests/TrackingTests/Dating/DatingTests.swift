import CivilTime
import FoundationEssentials
import Geodesy
import Harness
import Testing

@testable import Tracking

@Suite("Positions from before the time was known")
struct DatingTests {
    /// A stay, a drive, a stay, a walk and a stay, at one fix a second.
    private static func day(seed: UInt64 = 3) -> [Fix] {
        var drive = SimulatedDrive(seed: seed)
        drive.stand(seconds: 200)
        drive.drive(seconds: 500)
        drive.stand(seconds: 300)
        drive.walk(seconds: 200)
        drive.stand(seconds: 200)
        return drive.fixes
    }

    private static func scene(_ fixes: [Fix]) -> DatingScene { DatingScene(bootAt: fixes[0].timestamp) }

    /// What a receiver that always said the date leads to.
    private static func told(_ fixes: [Fix]) -> [TrackerOutput] {
        var scene = scene(fixes)
        scene.take(fixes, isDated: true)
        return scene.story
    }

    @Test("Dated by the receiver afterwards, they tell the same story as if it had known all along", arguments: 1...6)
    func receiver(seed: UInt64) {
        let fixes = Self.day(seed: seed)
        var random = SplitMix64(seed: seed)
        let known = Int.random(in: 1..<fixes.count, using: &random)
        var scene = Self.scene(fixes)
        scene.take(fixes[..<known], isDated: false)
        #expect(scene.outputs.isEmpty)
        scene.take(fixes[known...], isDated: true)
        #expect(scene.story == Self.told(fixes))
    }

    @Test("Dated by the machine, once its clock is set, likewise; and it stays set when its server is lost")
    func machine() {
        let fixes = Self.day()
        var scene = Self.scene(fixes)
        scene.take(fixes[..<400], isDated: false)
        scene.isClockSet = true
        scene.tick(at: fixes[400].timestamp)
        scene.isClockSet = false
        scene.take(fixes[400...], isDated: false)
        #expect(scene.story == Self.told(fixes))
    }

    @Test("An agent that is started anew on the same machine dates them still", arguments: [1, 2, 250, 700])
    func sameBoot(parted: Int) throws {
        let fixes = Self.day()
        var scene = Self.scene(fixes)
        scene.take(fixes[..<parted], isDated: false)
        let saved = try JSONEncoder().encode(scene.tracker)
        scene.tracker = try JSONDecoder().decode(Tracker.self, from: saved)
        scene.restart(at: fixes[parted].timestamp, isNewBoot: false)
        scene.take(fixes[parted...], isDated: true)
        #expect(scene.locations.first?.fix.timestamp == fixes.first?.timestamp)
        #expect(scene.locations.allSatisfy { !$0.isClockUntrusted })
        #expect(scene.events.latest.map(\.letter) == ["S", "D", "S", "W", "S"])
    }

    @Test("Once the time is known, a start on the same machine does not lose it")
    func knownOverRestart() {
        let fixes = Self.day()
        var scene = Self.scene(fixes)
        scene.take(fixes[..<300], isDated: true)
        scene.restart(at: fixes[300].timestamp, isNewBoot: false)
        scene.take(fixes[300...], isDated: false)
        #expect(scene.story == Self.told(fixes))
    }

    @Test("Where the machine was turned off before, they are told, and say that nobody can date them")
    func turnedOff() {
        let fixes = Self.day()
        var scene = Self.scene(fixes)
        scene.take(fixes[..<300], isDated: true)
        let last = fixes[299].timestamp
        scene.restart(at: fixes[300].timestamp.advanced(bySeconds: 3600), isNewBoot: true)
        let before = scene.locations.count
        let later = fixes[300..<700].map { fix in
            var fix = fix
            fix.timestamp = fix.timestamp.advanced(bySeconds: 3600)
            return fix
        }
        scene.take(later, isDated: false)
        #expect(scene.locations.count == before)
        scene.restart(at: last.advanced(bySeconds: 90_000), isNewBoot: true)
        let given = scene.locations.filter(\.isClockUntrusted)
        #expect(given.count >= 20)
        #expect(given.first?.fix.coordinate == later.first?.coordinate)
        // No earlier than what was known, no later than it can have been, in order, as far apart as they were.
        for location in given {
            let truth = later.first { $0.coordinate == location.fix.coordinate }?.timestamp
            #expect(location.fix.timestamp >= last && location.fix.timestamp <= truth ?? last)
        }
        #expect(zip(given, given.dropFirst()).allSatisfy { $0.fix.timestamp < $1.fix.timestamp })
        let end = fixes[700...].map { fix in
            var fix = fix
            fix.timestamp = fix.timestamp.advanced(bySeconds: 93_600)
            fix.received = ClockReading(replayed: fix.timestamp)
            return fix
        }
        scene.take(end, isDated: true)
        #expect(!scene.tracker.hasUndatedFixes)
        let events = scene.events.latest
        let gap = events.first { $0.kind == .offTheGrid(.clockUntrusted) }
        #expect(gap?.start == last && gap?.end == end.first?.timestamp)
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.end == $1.start })
    }

    @Test("A way that nobody can date is counted: there and back, from one turn of the key to the next")
    func undatedWay() {
        var track = Track()
        track.stand(seconds: 100)
        let before = track.fixes.count
        track.go(seconds: 600, metersPerSecond: 15, headingDegrees: 90)
        track.stand(seconds: 60)
        track.go(seconds: 600, metersPerSecond: 15, headingDegrees: 270)
        track.stand(seconds: 60)
        let after = track.fixes.count
        track.pause(seconds: 86_400)
        track.stand(seconds: 60)
        track.go(seconds: 200, metersPerSecond: 15, headingDegrees: 0)
        let fixes = track.fixes
        var scene = Self.scene(fixes)
        scene.take(fixes[..<before], isDated: true)
        scene.restart(at: fixes[before].timestamp, isNewBoot: true)
        scene.take(fixes[before..<after], isDated: false)
        #expect(scene.tracker.odometerMeters == 0)
        scene.restart(at: fixes[after].timestamp, isNewBoot: true)
        let (meters, error) = (scene.tracker.odometerMeters, scene.tracker.odometerErrorMeters)
        #expect(abs(meters - 18_000) <= error && error < 400, "\(meters) ± \(error)")
        scene.take(fixes[after...], isDated: true)
        let (end, endError) = (scene.tracker.odometerMeters, scene.tracker.odometerErrorMeters)
        #expect(abs(end - 18_000 - 199 * 15) <= endError && endError < 450, "\(end) ± \(endError)")
        let told = scene.locations.map(\.odometerMeters)
        #expect(zip(told, told.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("A date that is said once, or that stands still, is not believed: nothing is ever told of its century")
    func wildDates() throws {
        let fixes = Self.day()
        let wild = try #require(Timestamp(iso8601: "2046-07-08T09:10:11Z"))
        var scene = Self.scene(fixes)
        for (index, fix) in fixes[..<600].enumerated() {
            guard index % 50 > 40 else {
                scene.take(fix, isDated: false)
                continue
            }
            // A cached report, again and again; and one of two centuries in turn.
            var copy = fix
            copy.timestamp = index % 100 > 50 ? wild : wild.advanced(bySeconds: Double(index % 2) * -1e9)
            copy.received = ClockReading(replayed: fix.timestamp)
            scene.take(copy, isDated: true)
        }
        #expect(scene.outputs.isEmpty)
        scene.take(fixes[600...], isDated: true)
        #expect(scene.events.latest.map(\.letter) == ["S", "D", "S", "W", "S"])
        let last = try #require(fixes.last?.timestamp)
        #expect(scene.events.allSatisfy { $0.lastUpdate <= last })
        #expect(scene.locations.allSatisfy { $0.fix.timestamp <= last })
        #expect(scene.story == Self.told(fixes))
    }

    @Test("Days without the time fit into a bounded state; what gives way is told as undated, oldest first")
    func bounded() throws {
        var track = Track()
        for _ in 0..<14 {
            track.stand(seconds: 3600, every: 5)
            track.go(seconds: 3600, metersPerSecond: 12, every: 5)
        }
        let fixes = track.fixes
        var scene = Self.scene(fixes)
        scene.take(fixes, isDated: false)
        #expect(scene.locations.isEmpty)
        #expect(scene.undatedCount <= UndatedFixQueue.capacity)
        let count = scene.undatedCount
        #expect(try JSONEncoder().encode(scene.tracker).count < 500_000)
        // From the first to the last: nothing is lost but detail.
        let dated = scene.tracker.takeDatedFixes(
            at: ClockReading(
                systemTime: track.now, uptimeMilliseconds: scene.moment(track.now).uptimeMilliseconds,
                isSystemTimeTrusted: true))
        #expect(dated.count == count)
        #expect(dated.first?.timestamp == fixes.first?.timestamp)
        #expect(track.now.seconds(since: try #require(dated.last).timestamp) <= 60)
        #expect(zip(dated, dated.dropFirst()).allSatisfy { $1.timestamp.seconds(since: $0.timestamp) <= 120 })

        var longer = Self.scene(fixes)
        for day in 0..<3 {
            longer.take(
                fixes.map { fix in
                    var fix = fix
                    fix.timestamp = fix.timestamp.advanced(bySeconds: Double(day) * 14 * 7200)
                    return fix
                }, isDated: false)
        }
        let given = longer.locations
        #expect(!given.isEmpty && given.allSatisfy(\.isClockUntrusted))
        #expect(
            zip(given, given.dropFirst()).allSatisfy {
                $0.fix.received.uptimeMilliseconds < $1.fix.received.uptimeMilliseconds
            })
        #expect(longer.undatedCount <= UndatedFixQueue.capacity)
    }

    @Test("While nothing is to be recorded nothing waits, and where no position may be kept none is")
    func schedule() {
        let fixes = Self.day()
        for mode in [OffScheduleRule.Mode.stop, .private] {
            var scene = Self.scene(fixes)
            _ = scene.tracker.handle(
                .schedule(.closed(OffScheduleRule(mode: mode)), at: scene.moment(fixes[0].timestamp)))
            scene.take(fixes[..<100], isDated: false)
            // What waits in private time counts for the odometer only, and is in no state that is saved.
            #expect(scene.tracker.hasUndatedFixes == (mode == .private))
            #expect(!scene.tracker.withoutPositions().hasUndatedFixes)
            scene.take(fixes[100..<110], isDated: true)
            #expect(scene.tracker.agent.clock.isTimeKnown(at: scene.moment(fixes[110].timestamp)))
        }
        var scene = Self.scene(fixes)
        scene.take(fixes[..<100], isDated: false)
        #expect(scene.tracker.hasUndatedFixes && !scene.tracker.withoutPositions().hasUndatedFixes)
    }

    @Test(
        "A machine whose clock is set wrong afterwards, by an hour or by years, changes nothing",
        arguments: [-3600.0, 3600, 1e9, -1e9])
    func machineJumps(seconds: Double) {
        let fixes = Self.day()
        func story(jumping: Bool) -> (Tracker, [TrackerOutput]) {
            var tracker = Tracker(seed: (1, 2))
            var outputs: [TrackerOutput] = []
            for (index, fix) in fixes.enumerated() {
                var fix = fix
                if jumping, index >= 300 { fix.received.systemTime = fix.timestamp.advanced(bySeconds: seconds) }
                outputs += tracker.handle(.fix(fix))
                outputs += tracker.handle(.tick(fix.received))
            }
            return (tracker, outputs)
        }
        let (right, truth) = story(jumping: false)
        let (wrong, told) = story(jumping: true)
        #expect(wrong.counters == right.counters)
        #expect(told.compactMap(\.event) == truth.compactMap(\.event))
        #expect(
            told.compactMap(\.recordedLocation).map(\.ageMilliseconds)
                == truth.compactMap(\.recordedLocation).map(\.ageMilliseconds))
    }

    @Test("A receiver that was an hour wrong before the machine knew the time is not believed once it does")
    func receiverWrong() {
        let fixes = Self.day()[..<200].map { fix in
            var fix = fix
            fix.timestamp = fix.timestamp.advanced(bySeconds: -3600)
            return fix
        }
        var scene = DatingScene(bootAt: Self.day()[0].timestamp)
        scene.take(fixes[..<100], isDated: true)
        scene.isClockSet = true
        scene.take(fixes[100...], isDated: true)
        #expect(scene.tracker.counters.rejected == ["stale": 100])
    }
}
