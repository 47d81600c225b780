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
}
