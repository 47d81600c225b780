import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The odometer on simulated drives")
struct OdometerTests {
    private struct Result {
        var errorShare: Double
        var boundShare: Double
        var isInside: Bool { abs(errorShare) <= boundShare }
    }

    private func result(seed: UInt64, prepare: (inout SimulatedDrive) -> Void) -> Result {
        var drive = SimulatedDrive(seed: seed)
        prepare(&drive)
        drive.stand(seconds: 120)
        drive.drive(seconds: 500)
        drive.stand(seconds: 40)
        drive.drive(seconds: 400, mean: 20)
        drive.stand(seconds: 70)
        drive.drive(seconds: 300, mean: 8)
        drive.stand(seconds: 180)
        var tracker = Tracker()
        _ = tracker.timeline(from: drive.fixes)
        return Result(
            errorShare: tracker.odometerMeters / drive.trueMeters - 1,
            boundShare: tracker.odometerErrorMeters / drive.trueMeters)
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    @Test(
        "A merged odometer adds systematic errors in full and random errors as a root of squares")
    func joined() {
        var own = Odometer(
            meters: 100, totalMeters: 100, randomMeters: 3, scaleMeters: 1, detourMeters: 2, last: nil)
        let earlier = Odometer(
            meters: 1000, totalMeters: 1500, randomMeters: 4, scaleMeters: 10, detourMeters: 20, last: nil)
        own.add(earlier, until: nil)
        #expect(own.meters == 1100 && own.totalMeters == 100)
        let errors = own.standardErrors
        #expect(errors.randomMeters == 5 && errors.scaleMeters == 11 && errors.detourMeters == 22)
        #expect(abs(own.errorMeters - 1.96 * (25.0 + 121 + 484).squareRoot()) < 1e-9)
        own.set(toMeters: 7)
        #expect(own.meters == 7 && own.errorMeters == 0)
    }

    @Test("A new reading is adopted, and the total never decreases", arguments: [50.0, 100, 130])
    func told(meters: Double) {
        var odometer = Odometer(
            meters: 100, totalMeters: 400, randomMeters: 3, scaleMeters: 0, detourMeters: 4, last: nil)
        odometer.adoptReading(meters: meters, errorMeters: 19.6)
        #expect(odometer.meters == meters && odometer.totalMeters == 400 + max(meters - 100, 0))
        #expect(abs(odometer.errorMeters - 19.6) < 1e-9)
        // The kinds of errors keep their ratios.
        #expect(abs(odometer.standardErrors.randomMeters - 6) < 1e-9)
        #expect(abs(odometer.standardErrors.detourMeters - 8) < 1e-9)
    }

    @Test("An adopted reading has the given error, even if the own error is small", arguments: [0, 0.1, 0.3, 0.5, 2])
    func toldError(scaleMeters: Double) {
        var odometer = Odometer(
            meters: 100, totalMeters: 400, randomMeters: 0, scaleMeters: scaleMeters, detourMeters: 0, last: nil)
        odometer.adoptReading(meters: 100, errorMeters: 9.8)
        #expect(abs(odometer.errorMeters - 9.8) < 1e-9)
        // An error of unknown kind counts as random.
        #expect(abs(odometer.standardErrors.scaleMeters - (scaleMeters > 0 ? 5 : 0)) < 1e-9)
    }

    @Test(
        "Between fixes is a third of the detour on a nearly straight road, and five sixths without a direction",
        arguments: [(0, 0.3333), (1, 0.6937), (5, 0.8333), (1000, 0.8333)] as [(Double, Double)])
    func partBetween(detourShare: Double, part: Double) {
        #expect(abs(RoadDetour.interiorShare(detourRatio: detourShare) - part) < 1e-4)
    }

    @Test(
        "The distance is accurate, and the truth is within its error",
        arguments: [(1.0, 0.003), (0.1, 0.004), (10, 0.008), (30, 0.03), (60, 0.06)])
    func errors(interval: Double, bar: Double) {
        let results = (1...(interval < 1 ? 6 : 30) as ClosedRange<UInt64>).map { seed in
            result(seed: seed) { $0.interval = interval }
        }
        let middle = median(results.map { abs($0.errorShare) })
        let inside = results.count(where: \.isInside)
        let bound = median(results.map(\.boundShare))
        #expect(middle <= bar, "median \(middle), inside \(inside), bound \(bound)")
        #expect(inside * 100 >= results.count * 95, "inside \(inside), median \(middle), bound \(bound)")
        if interval <= 1 { #expect(bound <= 0.02) }
    }

    @Test(
        "The truth is within the error with good and bad receivers",
        arguments: [(2.0, 0.05), (4, 0.1), (8, 0.2), (16, 0.4)])
    func coverage(accuracyMeters: Double, speedNoise: Double) {
        let results = (101...140 as ClosedRange<UInt64>).map { seed in
            result(seed: seed) {
                $0.accuracyMeters = accuracyMeters
                $0.speedNoise = speedNoise
            }
        }
        let inside = results.count(where: \.isInside)
        #expect(inside * 100 >= results.count * 95, "inside \(inside)")
        let bound = median(results.map(\.boundShare))
        #expect(bound <= 0.02, "bound \(bound), worst error \(results.map { abs($0.errorShare) }.max() ?? 0)")
    }

    @Test("The distance is also accurate without Doppler speeds", arguments: [1.0, 5.0])
    func positionsOnly(interval: Double) {
        let results = (1...20 as ClosedRange<UInt64>).map { seed in
            result(seed: seed) {
                $0.interval = interval
                $0.speedNoise = nil
            }
        }
        let middle = median(results.map { abs($0.errorShare) })
        let inside = results.count(where: \.isInside)
        #expect(middle <= 0.01, "median \(middle)")
        #expect(inside >= 18, "inside \(inside), median \(median(results.map(\.errorShare)))")
    }

    @Test(
        "A parked receiver gives no distance and no trip, not even a withdrawn one", arguments: [3.0, 10, 30],
        [0.1, 0.4, nil])
    func parked(accuracyMeters: Double, speedNoise: Double?) {
        var meters: [Double] = []
        var trips = 0
        for seed in 1...7 as ClosedRange<UInt64> {
            var drive = SimulatedDrive(seed: seed)
            drive.accuracyMeters = accuracyMeters
            drive.speedNoise = speedNoise
            drive.stand(seconds: 3600)
            var tracker = Tracker()
            let events = tracker.timeline(from: drive.fixes)
            trips += events.count { $0.letter != "S" && $0.letter != "?" } + events.latest.count { $0.letter != "S" }
            meters.append(tracker.odometerMeters)
        }
        #expect(trips == 0)
        #expect(meters.sorted()[3] <= 2, "\(meters.sorted())")
        #expect(meters.sorted()[6] <= 20)
    }

    @Test("A parked receiver without a reported accuracy gives no trip")
    func parkedWithoutAccuracy() {
        var drive = SimulatedDrive(seed: 4)
        drive.accuracyMeters = 12
        drive.speedNoise = nil
        drive.stand(seconds: 4 * 3600)
        let fixes = drive.fixes.map { fix -> Fix in
            var copy = fix
            copy.accuracyMeters = nil
            return copy
        }
        var tracker = Tracker()
        #expect(tracker.timeline(from: fixes).latest.map(\.letter) == ["S"])
        #expect(tracker.odometerMeters == 0)
    }

    @Test("The distance of a departure counts from its beginning")
    func firstMeters() {
        var track = Track()
        track.stand(seconds: 600)
        track.go(seconds: 100, metersPerSecond: 10)
        var tracker = Tracker()
        _ = tracker.timeline(from: track.fixes)
        // The last fix is 990 m away.
        #expect(abs(tracker.odometerMeters - 990) < 8)
    }

    @Test("A gap is bridged by a straight line, and the error grows")
    func gap() {
        var track = Track()
        track.stand(seconds: 10)
        track.go(seconds: 100, metersPerSecond: 10)
        var tracker = Tracker()
        _ = tracker.timeline(from: track.fixes)
        let (before, errorBefore) = (tracker.odometerMeters, tracker.odometerErrorMeters)
        track.go(seconds: 200, metersPerSecond: 10, every: 200)
        track.go(seconds: 2, metersPerSecond: 10)
        _ = tracker.timeline(from: Array(track.fixes.suffix(2)))
        #expect(abs(tracker.odometerMeters - before - 2020) < 400)
        #expect(tracker.odometerErrorMeters > errorBefore + 50)
    }

    @Test("The distance of a receiver that holds its position for many seconds is counted from jump to jump")
    func held() {
        var track = Track()
        track.stand(seconds: 60)
        var tracker = Tracker()
        var place = track.end
        for _ in 0..<60 {
            for _ in 0..<12 {
                track.add(place, accuracyMeters: nil, speed: 9)
                track.pause(seconds: 1)
            }
            place = place.destination(headingDegrees: 90, distanceMeters: 150)
        }
        _ = tracker.timeline(from: track.fixes)
        #expect(abs(tracker.odometerMeters - 59 * 150) < 0.04 * 59 * 150)
    }
}
