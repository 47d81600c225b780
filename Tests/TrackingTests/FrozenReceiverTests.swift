import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("A frozen receiver")
struct FrozenReceiverTests {
    /// How the receiver repeats a position.
    enum Freeze: CaseIterable { case exactly, withLastDigit, withFewDigits }

    /// A stop, a freeze, a step of 2.9 km, and a drive on from there.
    private static func fixes(
        seconds: Double, speed: Double, freeze: Freeze = .exactly, times: Int = 1, meters: Double = 2900
    ) -> [Fix] {
        var track = Track()
        track.stand(seconds: 300)
        for _ in 0..<times {
            let place = track.end
            for second in 0..<Int(seconds) {
                track.add(position(place, second: second, freeze), speed: speed)
                track.pause(seconds: 1)
            }
            track.move(to: place.destination(headingDegrees: 90, distanceMeters: meters))
            track.go(seconds: 200, metersPerSecond: 14, headingDegrees: 90)
        }
        track.stand(seconds: 300)
        return track.fixes
    }

    private static func position(_ place: Coordinate, second: Int, _ freeze: Freeze) -> Coordinate {
        let digit = second % 2 == 0 ? 0.0 : 1
        let (latitude, longitude) = (place.latitudeDegrees, place.longitudeDegrees)
        return switch freeze {
        case .exactly: place
        case .withLastDigit:
            Coordinate(latitudeDegrees: latitude + digit * 1e-7, longitudeDegrees: longitude - digit * 1e-7) ?? place
        case .withFewDigits:
            Coordinate(
                latitudeDegrees: (latitude * 1e5).rounded() / 1e5 + digit * 1e-5,
                longitudeDegrees: (longitude * 1e5).rounded() / 1e5) ?? place
        }
    }

    private static func tracker(after fixes: [Fix]) -> Tracker {
        var tracker = Tracker()
        for fix in fixes { _ = tracker.handle(.fix(fix)) }
        return tracker
    }

    @Test(
        "The bound contains the way during a freeze, however long it lasts", arguments: Freeze.allCases,
        [120.0, 590, 610, 1200, 9000])
    func bound(freeze: Freeze, seconds: Double) {
        let tracker = Self.tracker(after: Self.fixes(seconds: seconds, speed: 6, freeze: freeze))
        let truth = 2900 + 200 * 14.0
        let (meters, error) = (tracker.odometerMeters, tracker.odometerErrorMeters)
        #expect(abs(meters - truth) <= error, "\(meters) ± \(error)")
        #expect(meters > 0.9 * truth, "the way counts when the receiver works again: \(meters)")
    }

    @Test("The bound contains the way if the receiver reports that the vehicle stands", arguments: [300.0, 610, 3600])
    func silentFreeze(seconds: Double) {
        let tracker = Self.tracker(after: Self.fixes(seconds: seconds, speed: 0))
        let (meters, error) = (tracker.odometerMeters, tracker.odometerErrorMeters)
        #expect(abs(meters - 2900 - 200 * 14) <= error, "\(meters) ± \(error)")
    }

    @Test("Each of several freezes counts")
    func recurring() {
        let tracker = Self.tracker(after: Self.fixes(seconds: 200, speed: 6, times: 3, meters: 1200))
        let truth = 3 * (1200 + 200 * 14.0)
        let (meters, error) = (tracker.odometerMeters, tracker.odometerErrorMeters)
        #expect(abs(meters - truth) <= error, "\(meters) ± \(error)")
    }

    @Test("While it is frozen, the receiver is known to be frozen, and the bound grows")
    func whileFrozen() throws {
        let fixes = Self.fixes(seconds: 600, speed: 6)
        var tracker = Tracker()
        var last = 0.0
        for fix in fixes[310..<890] {
            _ = tracker.handle(.fix(fix))
            guard tracker.hasPosition, fix != fixes[310] else { continue }
            #expect(tracker.odometerErrorMeters >= last)
            last = tracker.odometerErrorMeters
        }
        #expect(try #require(tracker.positionFrozenSeconds) > 570)
        #expect(last > 6 * 570)
    }

    @Test("A receiver that holds its position at a stop is not frozen")
    func parked() {
        let fixes = Self.fixes(seconds: 600, speed: 0)
        let tracker = Self.tracker(after: Array(fixes.prefix(850)))
        #expect(tracker.positionFrozenSeconds == nil && tracker.odometerErrorMeters < 10)
    }

    @Test("Positions with few digits are no freeze at the speed of a walk or a drive", arguments: [1.4, 4, 14.0])
    func fewDigits(speed: Double) {
        var track = Track()
        track.stand(seconds: 200)
        track.go(seconds: 600, metersPerSecond: speed, headingDegrees: 60)
        var tracker = Tracker()
        for fix in track.fixes {
            var coarse = fix
            coarse.coordinate = Self.position(fix.coordinate, second: 0, .withFewDigits)
            _ = tracker.handle(.fix(coarse))
            #expect((tracker.positionFrozenSeconds ?? 0) < 10)
        }
    }
}
