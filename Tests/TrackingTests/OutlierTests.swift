import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Fixes at wrong places")
struct OutlierTests {
    /// A drive or a stop of ten minutes, with some fixes of it elsewhere.
    private struct Scene {
        var fixes: [Fix] = []
        var truths: [Double] = []

        init(isParked: Bool, tellsSpeed: Bool, every seconds: Double, seed: UInt64) {
            let drive = RoadDrive(on: .countryRoad, seed: seed, seconds: 700 + 80 * seconds, from: RoadDrive.town)
            fixes = drive.fixes(everySeconds: seconds)
            truths = drive.sights(everySeconds: seconds).map { isParked ? 0 : $0.trueMeters }
            let place = fixes[0].coordinate
            for index in fixes.indices {
                if isParked {
                    fixes[index].coordinate = place
                    fixes[index].speedMetersPerSecond = 0.05
                }
                if !tellsSpeed { fixes[index].speedMetersPerSecond = nil }
                if !tellsSpeed || isParked { fixes[index].headingDegrees = nil }
            }
        }

        mutating func move(_ range: Range<Int>, meters: Double, jitterMeters: Double, seed: UInt64) {
            var random = SplitMix64(seed: seed)
            let place = fixes[range.lowerBound].coordinate.destination(headingDegrees: 40, distanceMeters: meters)
            for index in range where index < fixes.count {
                fixes[index].coordinate = LocalPlane(origin: place).coordinate(of: random.scatter(jitterMeters))
            }
        }

        /// Returns the share of fixes with the truth inside the bound, and the largest distance outside it.
        func watched() -> (share: Double, worst: Double, end: Tracker) {
            var tracker = Tracker()
            var (inside, worst) = (0, 0.0)
            for (fix, truth) in zip(fixes, truths) {
                _ = tracker.handle(.fix(fix))
                let off = abs(tracker.odometerMeters - truth + truths[0]) - tracker.odometerErrorMeters
                if off <= 1 { inside += 1 }
                worst = max(worst, off)
            }
            return (Double(inside) / Double(fixes.count), worst, tracker)
        }
    }

    @Test(
        "A parked vehicle gains nothing by outliers", arguments: [1, 3, 5, 30, 60], [200.0, 2000, 300_000])
    func parked(count: Int, meters: Double) {
        for (seconds, tellsSpeed) in [(1.0, true), (1, false), (5, true), (5, false)] {
            var scene = Scene(isParked: true, tellsSpeed: tellsSpeed, every: seconds, seed: 3)
            scene.move(70..<(70 + count), meters: meters, jitterMeters: 2, seed: UInt64(count))
            let result = scene.watched()
            #expect(result.end.odometerMeters < 20, "every \(seconds) s: \(result.end.odometerMeters)")
            #expect(result.share > 0.95 && result.worst < 200)
        }
    }

    @Test(
        "Outliers that jitter are no walk around the parked vehicle", arguments: [20, 40, 60],
        [200.0, 500, 20_000] as [Double])
    func jittering(count: Int, meters: Double) {
        for seed in 1...6 as ClosedRange<UInt64> {
            var scene = Scene(isParked: true, tellsSpeed: false, every: 1, seed: seed)
            scene.move(70..<(70 + count), meters: meters, jitterMeters: 8, seed: seed)
            let result = scene.watched()
            #expect(result.end.odometerMeters < 20, "seed \(seed): \(result.end.odometerMeters)")
        }
    }

    @Test(
        "The truth stays within the error while a driving vehicle seems to be elsewhere, and afterwards",
        arguments: [1, 3, 4, 20, 60], [2000.0, 20_000, 300_000])
    func driving(count: Int, meters: Double) {
        for tellsSpeed in [true, false] {
            var scene = Scene(isParked: false, tellsSpeed: tellsSpeed, every: 1, seed: 5)
            scene.move(200..<(200 + count), meters: meters, jitterMeters: 2, seed: UInt64(count))
            let result = scene.watched()
            #expect(result.share > 0.9 && result.worst < 200, "\(result.share), \(result.worst) m")
            let error = result.end.odometerMeters / scene.truths[scene.truths.count - 1] - 1
            #expect(abs(error) < 0.05, "\(error)")
        }
    }

    @Test("A wrong first fix neither counts nor keeps the rest from counting", arguments: [true, false], [1.0, 5])
    func wrongFirst(tellsSpeed: Bool, seconds: Double) {
        var scene = Scene(isParked: false, tellsSpeed: tellsSpeed, every: seconds, seed: 7)
        scene.move(0..<1, meters: 300_000, jitterMeters: 0, seed: 1)
        let result = scene.watched()
        #expect(result.share > 0.95 && result.worst < 200)
        #expect(abs(result.end.odometerMeters / scene.truths[scene.truths.count - 1] - 1) < 0.05)
    }

    @Test("The bound is wide in doubt and narrow again when the vehicle is back")
    func wideInDoubt() {
        var scene = Scene(isParked: true, tellsSpeed: false, every: 1, seed: 9)
        scene.move(300..<340, meters: 20_000, jitterMeters: 1, seed: 2)
        var odometer = Odometer()
        for fix in scene.fixes.prefix(330) { odometer.advance(to: fix) }
        #expect(odometer.errorMeters > 100 && odometer.meters == 0)
        for fix in scene.fixes.dropFirst(330).prefix(20) { odometer.advance(to: fix) }
        #expect(odometer.errorMeters < 20 && odometer.meters == 0)
    }

    @Test("A reading that is set while the place is in doubt is kept")
    func setInDoubt() {
        var scene = Scene(isParked: true, tellsSpeed: false, every: 1, seed: 9)
        scene.move(300..<700, meters: 20_000, jitterMeters: 1, seed: 2)
        var odometer = Odometer()
        for fix in scene.fixes.prefix(330) { odometer.advance(to: fix) }
        odometer.set(toMeters: 5000)
        for fix in scene.fixes.dropFirst(330).prefix(400) { odometer.advance(to: fix) }
        #expect(odometer.meters == 5000)
    }

    @Test("Withheld distance counts late, in the interval in which it was driven")
    func late() throws {
        // A wrong first track of 20 s, then a drive without speeds elsewhere.
        var track = Track()
        track.stand(seconds: 20)
        for _ in 0..<20 { track.pause(seconds: 1) }
        let place = track.end.destination(headingDegrees: 0, distanceMeters: 50_000)
        for second in 0..<400 {
            track.add(place.destination(headingDegrees: 90, distanceMeters: 15 * Double(second)))
            track.pause(seconds: 1)
        }
        var odometer = Odometer()
        var late: [LateDistance] = []
        for fix in track.fixes {
            var silent = fix
            silent.speedMetersPerSecond = nil
            if let one = odometer.advance(to: silent) { late.append(one) }
        }
        let one = try #require(late.first)
        #expect(late.count == 1 && one.meters > 1000 && one.before > one.after)
        #expect(abs(odometer.meters - 15 * 399) < odometer.errorMeters)
    }
}
