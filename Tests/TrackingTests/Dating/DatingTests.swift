import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Positions from before the time was known")
struct DatingTests {
    /// Returns a stop, a drive, a stop, a walk and a stop, at one fix a second.
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

    /// Returns the outputs for a receiver that always reports the date.
    private static func told(_ fixes: [Fix]) -> [DatingScene.StoryItem] {
        var scene = scene(fixes)
        scene.take(fixes, isDated: true)
        return scene.story
    }

    @Test("Positions that the receiver's date completes later give the same outputs as dated ones", arguments: 1...6)
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

    @Test("Positions that the machine's clock dates later do too, also if its time server is lost again")
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

    @Test("A restarted agent on the same boot still dates the positions", arguments: [1, 2, 250, 700])
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

    @Test("A restart on the same boot does not lose the known time")
    func knownOverRestart() {
        let fixes = Self.day()
        var scene = Self.scene(fixes)
        scene.take(fixes[..<300], isDated: true)
        scene.restart(at: fixes[300].timestamp, isNewBoot: false)
        scene.take(fixes[300...], isDated: false)
        #expect(scene.story == Self.told(fixes))
    }

    @Test("After a reboot, positions without a date are published as undated")
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
        // Not before the last known time, not after the latest possible one, in order and with their intervals.
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

    @Test("A distance that is never dated is counted: there and back, from one boot to the next")
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

    @Test("A date that comes once or is stuck is rejected, and no output has its century")
    func wildDates() throws {
        let fixes = Self.day()
        let wild = try #require(Timestamp(iso8601: "2046-07-08T09:10:11Z"))
        var scene = Self.scene(fixes)
        for (index, fix) in fixes[..<600].enumerated() {
            guard index % 50 > 40 else {
                scene.take(fix, isDated: false)
                continue
            }
            // A cached report many times, and alternating centuries.
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

    @Test("Days without the time need a bounded state, and the oldest positions are published as undated first")
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
        // From the first to the last: only detail is lost.
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

    @Test("While nothing is recorded no position waits, and in private time none is kept")
    func schedule() {
        let fixes = Self.day()
        for mode in [OffScheduleRule.Mode.stop, .private] {
            var scene = Self.scene(fixes)
            _ = scene.tracker.handle(
                .schedule(.closed(OffScheduleRule(mode: mode)), at: scene.moment(fixes[0].timestamp)))
            scene.take(fixes[..<100], isDated: false)
            // In private time the queue serves the odometer only, and is not in a saved state.
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
        "A machine clock that is set wrong later, by an hour or by years, changes nothing",
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
            told.compactMap(\.location).map(\.ageMilliseconds)
                == truth.compactMap(\.location).map(\.ageMilliseconds))
    }

    @Test("A receiver that is an hour wrong is rejected once the machine knows the time")
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
