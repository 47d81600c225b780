import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Speeds and positions judge each other")
struct SpeedJudgementTests {
    /// Returns the odometer's error after a drive at 1 Hz whose speeds are multiplied by a factor.
    private func result(on road: SimulatedRoad, seed: UInt64, speedsTimes factor: Double) -> (
        error: Double, bound: Double
    ) {
        let drive = RoadDrive(on: road, seed: seed, seconds: 1200, from: RoadDrive.town)
        var odometer = Odometer()
        for var fix in drive.fixes(everySeconds: 1) {
            fix.speedMetersPerSecond = fix.speedMetersPerSecond.map { $0 * factor }
            odometer.advance(to: fix)
        }
        let truth = drive.trueMeters(everySeconds: 1)
        return (odometer.meters / truth - 1, odometer.errorMeters / truth)
    }

    @Test(
        "A correction below two standard errors counts as zero, from four on in full, and linearly in between",
        arguments: [(0, 0), (1.9, 0), (2, 0), (2.5, 1), (3, 2), (3.5, 3), (4, 4), (9, 9)] as [(Double, Double)])
    func certain(shareInErrors: Double, countsInErrors: Double) {
        let certain = DistanceScale.thresholded(shareInErrors / 100, standardError: 0.01)
        #expect(abs(certain - countsInErrors / 100) < 1e-12)
    }

    @Test(
        "With correct speeds the noise causes no correction, on any kind of road",
        arguments: SimulatedRoad.allCases)
    func right(road: SimulatedRoad) {
        for seed in 401...404 as ClosedRange<UInt64> {
            let result = result(on: road, seed: seed, speedsTimes: 1)
            #expect(abs(result.error) <= 0.005, "\(result)")
            #expect(result.bound <= 0.025, "\(result)")
        }
    }

    @Test(
        "The scale of speeds is learned on any kind of road, also of knots taken as metres a second",
        arguments: [SimulatedRoad.motorway, .countryRoad, .commute, .cityGrid, .oldTown], [0.7, 0.92, 0.95, 1.08, 1.94])
    func biased(road: SimulatedRoad, factor: Double) {
        for seed in 401...404 as ClosedRange<UInt64> {
            let result = result(on: road, seed: seed, speedsTimes: factor)
            #expect(abs(result.error) <= 0.015, "\(result)")
            #expect(abs(result.error) <= result.bound, "\(result)")
        }
    }

    /// Returns the odometer after a day at 1 Hz: parked, a drive in a town, parked.
    /// - Parameter change: what the receiver reports wrongly; the second argument tells whether the vehicle is parked.
    private func day(seed: UInt64, change: (inout Fix, Bool, inout SplitMix64) -> Void) -> (Odometer, truth: Double) {
        var random = SplitMix64(seed: seed)
        let drive = RoadDrive(on: .cityGrid, seed: seed, seconds: 900, from: RoadDrive.town)
        var odometer = Odometer()
        var fixes = drive.fixes(everySeconds: 1)
        let end = fixes[fixes.count - 1]
        for second in 1...1800 {
            var fix = end
            fix.timestamp = end.timestamp.advanced(bySeconds: Double(second))
            fix.coordinate = LocalPlane(origin: end.coordinate).coordinate(of: random.scatter(0.3))
            fix.speedMetersPerSecond = abs(0.05 * random.normal())
            fixes.append(fix)
        }
        for (index, fix) in fixes.enumerated() {
            var copy = fix
            change(&copy, index >= 900, &random)
            odometer.advance(to: copy)
        }
        return (odometer, drive.trueMeters(everySeconds: 1))
    }

    /// The false speeds of a receiver.
    enum FalseSpeed: CaseIterable {
        case staysWhileParked, isConstant, isZero, isNoisy, hasSpikes
    }

    @Test("False speeds make no distance, and hide none", arguments: FalseSpeed.allCases)
    func falseSpeeds(kind: FalseSpeed) {
        for seed in 411...414 as ClosedRange<UInt64> {
            let (odometer, truth) = day(seed: seed) { fix, isParked, random in
                let speed = fix.speedMetersPerSecond ?? 0
                switch kind {
                case .staysWhileParked: if isParked { fix.speedMetersPerSecond = 11 }
                case .isConstant: fix.speedMetersPerSecond = 13
                case .isZero: fix.speedMetersPerSecond = 0
                case .isNoisy: fix.speedMetersPerSecond = abs(speed + random.normal())
                case .hasSpikes:
                    if Int.random(in: 0..<50, using: &random) == 0 { fix.speedMetersPerSecond = speed + 40 }
                }
            }
            #expect(abs(odometer.meters / truth - 1) <= 0.05, "seed \(seed): \(odometer.meters) of \(truth)")
            #expect(abs(odometer.meters - truth) <= odometer.errorMeters, "seed \(seed)")
        }
    }

    @Test("Noise of positions does not count while the speeds are right", arguments: [2.0, 3, 5])
    func noisyPositions(deviation: Double) {
        for seed in 411...414 as ClosedRange<UInt64> {
            let (odometer, truth) = day(seed: seed) { fix, _, random in
                fix.coordinate = LocalPlane(origin: fix.coordinate).coordinate(of: random.scatter(deviation))
                fix.accuracyMeters = 2.45 * deviation
            }
            #expect(abs(odometer.meters / truth - 1) <= 0.01, "seed \(seed): \(odometer.meters) of \(truth)")
            #expect(abs(odometer.meters - truth) <= odometer.errorMeters, "seed \(seed)")
        }
    }

    @Test("A direction that contradicts the way is not believed", arguments: [5.0, 10])
    func wrongHeading(interval: Double) {
        for seed in 411...414 as ClosedRange<UInt64> {
            let drive = RoadDrive(on: .cityGrid, seed: seed, seconds: 1800, from: RoadDrive.town)
            var odometer = Odometer()
            for var fix in drive.fixes(everySeconds: interval) {
                fix.headingDegrees = 0
                odometer.advance(to: fix)
            }
            let truth = drive.trueMeters(everySeconds: interval)
            #expect(abs(odometer.meters - truth) <= odometer.errorMeters)
            #expect(abs(odometer.meters / truth - 1) <= 0.05, "seed \(seed): \(odometer.meters) of \(truth)")
        }
    }

    /// Stands, then drives east at 9 m/s for six minutes.
    /// - Parameter speed: The speed that the receiver reports on the way.
    private func departure(afterSeconds stand: Double, everySeconds interval: Double, speed: (Int) -> Double) -> (
        odometer: Odometer, meters: Double
    ) {
        var track = Track()
        track.stand(seconds: stand, every: interval)
        var place = track.end
        let count = Int(360 / interval)
        for index in 0..<count {
            track.pause(seconds: interval)
            place = place.destination(headingDegrees: 90, distanceMeters: 9 * interval)
            track.add(place, speed: speed(index), heading: 90)
        }
        var odometer = Odometer()
        for fix in track.fixes { odometer.advance(to: fix) }
        return (odometer, 9 * interval * Double(count))
    }

    @Test(
        "A departure counts once, also if stretches ended before it was certain and show another scale later",
        arguments: [0.6, 1.94], Array(stride(from: 600.0, through: 690, by: 10)))
    func late(factor: Double, stand: Double) {
        let (odometer, truth) = departure(afterSeconds: stand, everySeconds: 10) { factor * (9 + Double($0 % 3) / 10) }
        #expect(abs(odometer.meters / truth - 1) <= 0.04, "\(odometer.meters) of \(truth)")
        #expect(abs(odometer.meters - truth) <= odometer.errorMeters, "\(odometer.meters) of \(truth)")
    }

    @Test("A departure counts once, also if its speeds are refuted while the stop lasts", arguments: [1.0, 5, 10])
    func refuted(interval: Double) {
        for stand in stride(from: 600, through: 600 + 6 * interval, by: interval) {
            let (odometer, truth) = departure(afterSeconds: stand, everySeconds: interval) { _ in 0 }
            #expect(abs(odometer.meters / truth - 1) <= 0.03, "\(stand): \(odometer.meters) of \(truth)")
            #expect(abs(odometer.meters - truth) <= odometer.errorMeters, "\(odometer.meters) of \(truth)")
        }
    }
}
