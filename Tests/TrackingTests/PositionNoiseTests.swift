import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Noise of positions and speeds")
struct PositionNoiseTests {
    /// Returns a drive on a winding road with noise, one fix a second without speeds.
    private func drive(speed: Double, deviation: Double, memory: Double = 0, seed: UInt64) -> ([Fix], Double) {
        var random = SplitMix64(seed: seed)
        var track = Track()
        var (heading, error) = (90.0, random.scatter(deviation))
        var place = track.end
        for _ in 0..<600 {
            error =
                memory > 0
                ? random.wandered(from: error, seconds: 1, memorySeconds: memory, deviation: deviation)
                : random.scatter(deviation)
            track.add(LocalPlane(origin: place).coordinate(of: error), accuracyMeters: nil)
            track.pause(seconds: 1)
            heading += 1.5 * random.normal()
            place = place.destination(headingDegrees: heading, distanceMeters: speed)
        }
        return (track.fixes, speed * 599)
    }

    @Test("Independent noise is estimated from the track", arguments: [0.5, 2, 5], [1.4, 12, 30])
    func estimated(deviation: Double, speed: Double) {
        var noise = PositionNoise()
        for fix in drive(speed: speed, deviation: deviation, seed: 4).0 { noise.update(with: fix, isResting: false) }
        #expect(abs(noise.deviationMeters / deviation - 1) < 0.4, "\(noise.deviationMeters)")
    }

    @Test("Errors that last are no independent noise")
    func lasting() {
        var noise = PositionNoise()
        for fix in drive(speed: 12, deviation: 4, memory: 60, seed: 4).0 { noise.update(with: fix, isResting: false) }
        #expect(noise.deviationMeters < 1.5, "\(noise.deviationMeters)")
    }

    @Test("Seldom fixes give no estimate")
    func seldom() {
        var noise = PositionNoise()
        var track = Track()
        track.go(seconds: 600, metersPerSecond: 12, every: 10)
        for fix in track.fixes { noise.update(with: fix, isResting: false) }
        #expect(noise.deviationMeters == 0)
    }

    @Test("At rest, seldom fixes show the noise, and at least the resolution of the coordinates")
    func resting() {
        var random = SplitMix64(seed: 5)
        var noise = PositionNoise()
        var coarse = PositionNoise()
        var track = Track()
        track.stand(seconds: 600, every: 10)
        for var fix in track.fixes {
            coarse.update(with: fix, isResting: true)
            fix.coordinate = LocalPlane(origin: fix.coordinate).coordinate(of: random.scatter(4))
            noise.update(with: fix, isResting: true)
        }
        #expect(abs(noise.deviationMeters / 4 - 1) < 0.4, "\(noise.deviationMeters)")
        #expect(coarse.deviationMeters > 0)
    }

    @Test("Noise hardly lengthens a drive or a walk without speeds", arguments: [2.0, 5], [1.4, 12, 30])
    func lengthens(deviation: Double, speed: Double) {
        var errors: [Double] = []
        for seed in 1...12 as ClosedRange<UInt64> {
            let (fixes, truth) = drive(speed: speed, deviation: deviation, seed: seed)
            var odometer = Odometer()
            for fix in fixes { odometer.advance(to: fix) }
            #expect(abs(odometer.meters - truth) <= odometer.errorMeters)
            errors.append(odometer.meters / truth - 1)
        }
        #expect(abs(errors.reduce(0, +) / 12) < 0.03, "\(errors)")
    }

    @Test("Speeds at rest tell from which speed on the vehicle moves", arguments: [0.03, 0.08, 0.6])
    func resting(deviation: Double) throws {
        var random = SplitMix64(seed: 8)
        var track = Track()
        track.stand(seconds: 1)
        let fix = try #require(track.fixes.first)
        var resting = RestingSpeed()
        #expect(resting.movementMetersPerSecond(of: fix, atMost: 0.4) == 0.4)
        for _ in 0..<300 { resting.update(with: abs(deviation * random.normal()), of: fix) }
        let threshold = resting.movementMetersPerSecond(of: fix, atMost: 0.4)
        #expect(threshold >= min(0.4, 2 * deviation) && threshold <= max(0.15, min(0.4, 5 * deviation)))
    }

    @Test("A queue that creeps round a bend with stops counts its whole way")
    func creeping() {
        var worst = 0.0
        for seed in 1...8 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            var track = Track()
            var (place, heading, truth) = (track.end, 0.0, 0.0)
            for second in 0..<500 {
                let speed = second > 100 && second % 50 < 25 ? 0.6 : 0
                track.add(place, speed: abs(speed + 0.05 * random.normal()))
                track.pause(seconds: 1)
                heading += speed / 20 * 180 / .pi
                place = place.destination(headingDegrees: heading, distanceMeters: speed)
                truth += speed
            }
            var odometer = Odometer()
            for fix in track.fixes { odometer.advance(to: fix) }
            worst = max(worst, abs(odometer.meters / truth - 1))
        }
        #expect(worst < 0.15, "\(worst)")
    }
}
