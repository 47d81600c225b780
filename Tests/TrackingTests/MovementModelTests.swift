import OdographCivilTime
import OdographGeodesy
import OdographModel
import Testing

@testable import OdographTracking

/// The evidence of speeds for the movement, and the delay of the activity.
@Suite("The movement model")
struct MovementModelTests {
    private let model = MovementModel.standard

    @Test("A repeated speed has less weight than a different one", arguments: [0.1, 0.3, 1, 3])
    func repeated(noise: Double) {
        let worths = [0, 0.5, 1, 2, 4, 20].map { model.measurementWeight(ofChange: $0, noise: noise) }
        #expect(abs(worths[0] - MovementParameters().repeatedMeasurementWeight) < 1e-9)
        #expect(zip(worths, worths.dropFirst()).allSatisfy { $0 < $1 })
        #expect(worths[5] > 0.99 && worths[5] <= 1)
        #expect(
            model.measurementWeight(ofChange: 2, noise: noise) == model.measurementWeight(ofChange: -2, noise: noise))
    }

    @Test("The first speed, also after a gap, has full weight")
    func first() {
        #expect(model.measurementWeight(ofChange: nil, noise: 0.3) == 1)
    }

    @Test("The noisier two speeds are, the less weight their difference has")
    func noise() {
        let worths = [0.1, 0.5, 1, 3].map { model.measurementWeight(ofChange: 2, noise: $0) }
        #expect(zip(worths, worths.dropFirst()).allSatisfy { $0 > $1 })
    }

    @Test("A speed above any runner's gives a vehicle or a bicycle at once, with a low confidence")
    func faster() throws {
        var drive = SimulatedDrive(seed: 3)
        drive.walk(seconds: 120)
        var tracker = Tracker()
        for fix in drive.fixes { _ = tracker.handle(.fix(fix)) }
        var fix = try #require(tracker.lastFix)
        #expect(tracker.location(of: fix, cause: nil, ageMilliseconds: 0).activity.kind == .walking)
        fix.speedMetersPerSecond = 9
        let activity = tracker.location(of: fix, cause: nil, ageMilliseconds: 0).activity
        #expect([.inVehicle, .onBicycle].contains(activity.kind) && activity.confidencePercent < 50)
    }

    @Test(
        "With a position each 5 s a drive is in a vehicle within 15 s, and a walk is not after 15 s",
        arguments: 1...20 as ClosedRange<UInt64>)
    func lag(seed: UInt64) throws {
        var drive = SimulatedDrive(seed: seed)
        drive.interval = 5
        drive.speedNoise = nil
        drive.stand(seconds: 300)
        let pullsAway = drive.now
        drive.drive(seconds: 120)
        let getsOut = drive.now
        drive.walk(seconds: 60)
        var tracker = Tracker()
        let told = drive.fixes.map { fix in
            _ = tracker.handle(.fix(fix))
            return (time: fix.timestamp, kind: tracker.currentLocation(at: fix.received)?.activity.kind)
        }
        let rides = told.filter { $0.kind == .inVehicle }.map(\.time)
        #expect(try #require(rides.first) > pullsAway)
        #expect(try #require(rides.first).seconds(since: pullsAway) <= 15)
        #expect(try #require(rides.last).seconds(since: getsOut) <= 15)
        #expect(
            told.count { $0.time > pullsAway.advanced(bySeconds: 15) && $0.time <= getsOut }
                == rides.count {
                    $0 > pullsAway.advanced(bySeconds: 15) && $0 <= getsOut
                })
    }

    /// Returns how much better a measurement fits a vehicle that drives than a cyclist, the logarithm of the ratio.
    private func advantage(
        ofDrivingAt speed: Double, over seconds: Double, final: Double? = nil
    ) -> Double {
        let measurement = MotionWindowBuilder.SpeedMeasurement(
            speedMetersPerSecond: speed, standardErrorMetersPerSecond: 0.1,
            final: final.map { WindowMean.Speed(metersPerSecond: $0, variance: 0.1) }, spanSeconds: seconds)
        let likelihoods = model.logLikelihoods(of: measurement, change: nil)
        return likelihoods[MovementState.driving.rawValue] - likelihoods[MovementState.cycling.rawValue]
    }

    @Test("Over a longer time a slow mean speed fits a vehicle better, because it contains halts")
    func halts() {
        let advantages = [5.0, 10, 30, 60, 120].map { advantage(ofDrivingAt: 5, over: $0) }
        #expect(zip(advantages, advantages.dropFirst()).allSatisfy { $0 < $1 }, "\(advantages)")
        #expect(advantage(ofDrivingAt: 4, over: 120) < 0, "it is still the usual speed of a cyclist")
        #expect(advantage(ofDrivingAt: 28, over: 120) > 0, "a motorway has no halts")
        // Up to the length of a window the speeds are those of the state.
        #expect(advantage(ofDrivingAt: 5, over: 1) == advantage(ofDrivingAt: 5, over: 5))
    }

    @Test("The speed at the end of a long window tells a vehicle in a town from a cyclist")
    func final() {
        #expect(advantage(ofDrivingAt: 4.5, over: 60, final: 11) > 3)
        #expect(advantage(ofDrivingAt: 4.5, over: 60, final: 5) < 0)
    }

    @Test(
        "Of a long window only a higher speed than its mean counts, and only in a movement",
        arguments: [
            (meters: 300.0, speed: 11.0, final: 11.0 as Double?), (300, 3, nil), (300, 0, nil), (2, 3, nil),
        ])
    func final(meters: Double, speed: Double, final: Double?) throws {
        var builder = MotionWindowBuilder()
        let start = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37)
        let place = try #require(start)
        let end = LocalPlane(origin: place).coordinate(of: LocalPoint(eastMeters: meters, northMeters: 0))
        var measurement: MotionWindowBuilder.SpeedMeasurement?
        for (seconds, coordinate) in [(0.0, place), (60, end)] {
            let time = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000).advanced(bySeconds: seconds)
            measurement = builder.add(
                Fix(
                    timestamp: time, received: ClockReading(replayed: time), coordinate: coordinate, accuracyMeters: 5,
                    speedMetersPerSecond: speed))
        }
        let found = try #require(measurement)
        #expect(found.final?.metersPerSecond == final)
        #expect(abs(found.speedMetersPerSecond - meters / 60) < 0.01, "the mean is that of the positions")
    }
}
