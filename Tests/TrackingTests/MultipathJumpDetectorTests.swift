import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Position jumps")
struct MultipathJumpDetectorTests {
    /// Detects a jump in one step to the east, after some seconds at rest.
    private func hop(
        meters: Double, seconds: Double, speeds: (Double?, Double?), accuracyMeters: Double? = 4
    ) -> LocalPoint? {
        var track = Track()
        for _ in 0..<5 {
            track.add(
                track.end.destination(headingDegrees: 0, distanceMeters: Double(track.fixes.count) / 100),
                accuracyMeters: accuracyMeters, speed: speeds.0)
            track.pause(seconds: 1)
        }
        track.pause(seconds: seconds - 1)
        let last = track.fixes[track.fixes.count - 1].coordinate
        track.add(
            last.destination(headingDegrees: 90, distanceMeters: meters), accuracyMeters: accuracyMeters,
            speed: speeds.1)
        var finder = MultipathJumpDetector()
        return track.fixes.map { finder.detectJump(to: $0) }.last ?? nil
    }

    @Test(
        "A step that the speeds explain is not a jump",
        arguments: [
            // A walk, a drive, and a departure that the first speed does not show.
            (1.3, 1.0, 1.3, 1.3), (12, 1, 12, 12), (6, 1, 0.1, 6), (36, 3, 12, 12),
            // A walk with a phone that reports low speeds as 0.
            (2.5, 1, 0, 0),
            // After too long a time to decide.
            (300, 30, 0.1, 0.1),
        ])
    func explained(meters: Double, seconds: Double, from: Double, to: Double) {
        #expect(hop(meters: meters, seconds: seconds, speeds: (from, to)) == nil)
    }

    @Test("The unexplained rest of a step is a jump in its direction", arguments: [(0.1, 1.0), (0.0, 3.5), (0.5, 1.5)])
    func unexplained(speed: Double, atMost: Double) throws {
        let hop = try #require(self.hop(meters: 40, seconds: 1, speeds: (speed, speed)))
        #expect(hop.eastMeters > 40 - atMost && hop.eastMeters < 40)
        #expect(abs(hop.northMeters) < 0.5)
    }

    @Test("With a poorer accuracy less of a step is a jump", arguments: [(4.0, 39.0), (12, 38), (40, 37)])
    func noise(accuracyMeters: Double, atLeast: Double) throws {
        let hop = try #require(self.hop(meters: 40, seconds: 1, speeds: (0.1, 0.1), accuracyMeters: accuracyMeters))
        #expect(hop.eastMeters > atLeast - 1 && hop.eastMeters < atLeast + 1)
    }

    @Test("Without speeds a step is a jump if no vehicle accelerates like that", arguments: [(8.0, false), (40, true)])
    func untold(meters: Double, isHop: Bool) {
        #expect((hop(meters: meters, seconds: 1, speeds: (nil, nil)) != nil) == isHop)
        // In five seconds the vehicle may have driven there.
        #expect(hop(meters: meters, seconds: 5, speeds: (nil, nil)) == nil)
    }

    @Test("Without speeds the longest step from rest grows with the square of the time")
    func longest() throws {
        func longest(seconds: Double) throws -> Double {
            100 - (try #require(hop(meters: 100, seconds: seconds, speeds: (nil, nil)))).eastMeters
        }
        let first = try longest(seconds: 1)
        for (seconds, more) in [(2.0, 7.5), (3, 20)] {
            #expect(abs(try longest(seconds: seconds) - first - more) < 0.3, "\(seconds) s")
        }
    }

    @Test("A receiver that holds its position at rest may then jump to the current one")
    func held() {
        var track = Track()
        track.go(seconds: 60, metersPerSecond: 0)
        track.add(track.end.destination(headingDegrees: 90, distanceMeters: 30), speed: 1)
        var finder = MultipathJumpDetector()
        #expect(track.fixes.allSatisfy { finder.detectJump(to: $0) == nil })
    }

    /// A departure, or a false one: 2 m/s for some seconds after five minutes at rest.
    @Test("Speeds without movement give no distance, a short movement with speeds does", arguments: [false, true])
    func passing(isWay: Bool) {
        var track = Track()
        track.go(seconds: 300, metersPerSecond: 0)
        let place = track.end
        for second in 1...8 {
            track.add(
                isWay ? place.destination(headingDegrees: 90, distanceMeters: 2 * Double(second)) : place, speed: 2)
            track.pause(seconds: 1)
        }
        let end = track.fixes[track.fixes.count - 1].coordinate
        for _ in 0..<120 {
            track.add(end, speed: 0)
            track.pause(seconds: 1)
        }
        var odometer = Odometer()
        for fix in track.fixes { odometer.advance(to: fix) }
        #expect(isWay ? abs(odometer.meters - 16) <= 3 : odometer.meters == 0)
    }
}
