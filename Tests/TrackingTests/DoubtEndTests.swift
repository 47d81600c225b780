import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The end of a doubt about the place")
struct DoubtEndTests {
    /// A stop with noise whose position is shifted by 300 m, and a drive of 12 km from there.
    private static func fixes(everySeconds seconds: Double, tellsSpeed: Bool, seed: UInt64) -> [Fix] {
        var random = SplitMix64(seed: seed)
        var track = Track()
        func still(seconds span: Double, at place: Coordinate) {
            for _ in 0..<Int((span / seconds).rounded(.up)) {
                track.add(LocalPlane(origin: place).coordinate(of: random.scatter(0.5)), speed: 0.05)
                track.pause(seconds: seconds)
            }
        }
        let place = track.end
        still(seconds: 640, at: place)
        let shifted = place.destination(headingDegrees: 90, distanceMeters: 300)
        still(seconds: 100, at: shifted)
        track.move(to: shifted)
        track.go(seconds: 600, metersPerSecond: 20, headingDegrees: 0, every: seconds)
        still(seconds: 600, at: track.end)
        return track.fixes.map { fix in
            var fix = fix
            fix.accuracyMeters = 2.6
            if !tellsSpeed { (fix.speedMetersPerSecond, fix.headingDegrees) = (nil, nil) }
            return fix
        }
    }

    @Test(
        "It ends after two minutes of driving, and after 15 minutes in any case, at any rate of the fixes",
        arguments: [0.1, 1, 5, 10, 14, 15, 15.5, 16, 20, 30, 60, 120, 300], [true, false])
    func ends(seconds: Double, tellsSpeed: Bool) {
        var odometer = Odometer()
        var doubtBegan: Timestamp?
        for fix in Self.fixes(everySeconds: seconds, tellsSpeed: tellsSpeed, seed: 3) {
            odometer.advance(to: fix)
            let isInDoubt = odometer.placeInDoubtUntil == fix.timestamp
            doubtBegan = isInDoubt ? doubtBegan ?? fix.timestamp : nil
            let lasted = doubtBegan.map(fix.timestamp.seconds(since:)) ?? 0
            #expect(lasted <= 900, "in doubt for \(lasted) s")
        }
        #expect(doubtBegan == nil)
        // The shift may count.
        let truth = (600 / seconds).rounded(.up) * seconds * 20 + 150
        #expect(abs(odometer.meters - truth) <= odometer.errorMeters + 300, "\(odometer.meters)")
        #expect(odometer.errorMeters < (seconds < 100 ? 3500 : 8000), "\(odometer.errorMeters)")
    }

    @Test("A vehicle that goes on after a shift makes one trip, at any rate of the fixes", arguments: [1, 16, 45.0])
    func trip(seconds: Double) {
        var follower = TimelineFollower()
        var tracker = Tracker()
        for fix in Self.fixes(everySeconds: seconds, tellsSpeed: false, seed: 5) {
            follower.take(tracker.handle(.fix(fix)).compactMap(\.event), "\(fix.timestamp)")
        }
        let trips = follower.shown.filter { if case .transport = $0.kind { true } else { false } }
        #expect(
            trips.count == 1 && follower.known.values.count(where: \.isWithdrawn) <= 1,
            "\(follower.shown.map { ($0.kind, $0.start, $0.durationSeconds) })")
    }
}
