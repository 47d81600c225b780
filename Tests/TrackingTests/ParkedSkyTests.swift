import OdographCivilTime
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

/// A vehicle under a changing sky: it is stationary while its position jumps, and then departs.
@Suite("Poor reception")
struct ParkedSkyTests {
    /// The kinds of poor reception.
    enum Badness: CaseIterable {
        case hops, farHops, hopsEachMinute, longHops, errsTwice, noisySpeeds, heldSpeeds, glides, noSpeed

        var sky: ChangingSky {
            var sky = ChangingSky.canyon
            switch self {
            case .hops: break
            case .farHops: sky.hopMeters = 80
            case .hopsEachMinute: sky.hopSeconds = 60
            case .longHops: sky.hopLasts = 60...300
            case .errsTwice: sky.dishonesty = 2
            case .noisySpeeds: sky.speedNoise = 2
            case .heldSpeeds: sky.holdMetersPerSecond = 0.3
            case .glides: sky.glideSeconds = 5
            case .noSpeed: sky.tellsSpeed = false
            }
            return sky
        }
    }

    private static let seeds = 101...103 as ClosedRange<UInt64>

    @Test("A stationary vehicle has nearly no distance and no trip", arguments: Badness.allCases)
    func stands(badness: Badness) {
        let hours = 2
        var meters: [Double] = []
        for seed in Self.seeds {
            var track = StayTrack(seed: seed)
            var sky = badness.sky
            track.stay(under: &sky, seconds: hours * 3600)
            var tracker = Tracker()
            let events = tracker.timeline(from: track.fixes).latest
            #expect(events.allSatisfy { $0.letter == "S" }, "seed \(seed)")
            meters.append(tracker.odometerMeters)
        }
        #expect(meters.sorted()[Self.seeds.count / 2] <= 2 * Double(hours), "\(meters) m")
    }

    @Test(
        "A departure is found as soon as with good reception, and is dated to its beginning",
        arguments: [StayTrack.Leaving.atOnce, .creeping], [Badness.hops, .farHops, .hopsEachMinute, .noSpeed])
    func leaves(leaving: StayTrack.Leaving, badness: Badness) throws {
        for seed in Self.seeds {
            var track = StayTrack(seed: seed)
            track.arrive(onFoot: false)
            var sky = badness.sky
            track.stay(under: &sky, seconds: 1800)
            let out = track.time
            let before = track.trueMeters
            track.leave(leaving, under: &sky)
            var tracker = Tracker()
            let events = tracker.timeline(from: track.fixes)
            let ways = events.latest.filter { $0.letter != "S" && $0.start >= out.advanced(bySeconds: -1800) }
            let way = try #require(ways.first, "seed \(seed)")
            #expect(abs(way.start.seconds(since: out)) <= 45, "seed \(seed)")
            let told = try #require(events.first { $0.id == way.id && $0.letter != "S" })
            #expect(told.lastUpdate.seconds(since: out) <= 60, "seed \(seed)")
            // The arrival is not wrong, and jumps during the trip add little.
            #expect(abs(tracker.odometerMeters / track.trueMeters - 1) < 0.1, "seed \(seed)")
            #expect(track.trueMeters - before > 1000)
        }
    }

    @Test("A parked vehicle whose reception improves has not left a building")
    func clears() throws {
        for seed in 1...6 as ClosedRange<UInt64> {
            var drive = SimulatedDrive(seed: seed)
            drive.stand(seconds: 300)
            drive.drive(seconds: 300)
            drive.accuracyMeters = 25
            drive.stand(seconds: 1200)
            drive.accuracyMeters = 4
            drive.stand(seconds: 100)
            let out = drive.now
            drive.drive(seconds: 300)
            let way = try #require(drive.fixes.timeline().latest.last)
            #expect(way.letter == "D")
            #expect(abs(way.start.seconds(since: out)) <= 30, "seed \(seed): \(way.start.seconds(since: out))")
        }
    }

    @Test("A receiver with a stuck speed still gives a trip", arguments: [0.0, 0.1])
    func hangs(metersPerSecond speed: Double) throws {
        var drive = SimulatedDrive(seed: 5)
        drive.stand(seconds: 600)
        let out = drive.now
        drive.drive(seconds: 400, mean: 8)
        var tracker = Tracker()
        let fixes = drive.fixes.map { fix in
            var fix = fix
            fix.speedMetersPerSecond = speed
            return fix
        }
        let way = try #require(tracker.timeline(from: fixes).latest.last)
        #expect(way.letter != "S")
        #expect(abs(way.start.seconds(since: out)) <= 60)
        #expect(tracker.odometerMeters > 0.8 * drive.trueMeters)
    }

    @Test(
        "A speed that a parked receiver only repeats makes no trip, also before the first one",
        arguments: [2.0, 5, 13, 25])
    func repeats(metersPerSecond speed: Double) {
        for seed in Self.seeds {
            var drive = SimulatedDrive(seed: seed)
            drive.stand(seconds: 600)
            let out = drive.now
            drive.drive(seconds: 400, mean: 14)
            let fixes = drive.fixes.map { fix in
                var fix = fix
                if fix.timestamp < out { fix.speedMetersPerSecond = speed }
                return fix
            }
            let events = fixes.timeline().latest
            #expect(events.map(\.letter) == ["S", "D"], "seed \(seed)")
        }
    }
}
