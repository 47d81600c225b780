import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The drive along a track in doubt")
struct DrivenDoubtTests {
    /// Returns whether a vehicle drives along a track that began with a jump.
    private func isDriven(
        metersPerSecond: Double, seconds: Int, accuracyMeters: Double
    ) -> Bool {
        var track = Track()
        let start = track.end
        for second in 0...seconds {
            track.add(
                start.destination(headingDegrees: 90, distanceMeters: metersPerSecond * Double(second)),
                accuracyMeters: accuracyMeters, speed: metersPerSecond)
            track.pause(seconds: 1)
        }
        var doubt = TrackDoubt(leaving: TrackOdometer(), reach: TrackReach(), meters: 0, at: track.fixes[0])
        for fix in track.fixes.dropFirst() { doubt.add(fix, jump: nil, hasJumped: false) }
        return doubt.isDriven
    }

    @Test(
        "A track is driven if it leads farther than a drift of 3 m/s and the noise of both ends, over 15 s or more",
        arguments: [
            (6.0, 30, 4.0, true), (6, 14, 4, false), (6, 15, 4, true),
            // As slow as the drift of a receiver, for however long.
            (2.5, 30, 4, false), (2.5, 120, 4, false),
            // A way that is no longer than the drift and the noise.
            (6, 30, 60, false), (6, 30, 40, true),
        ])
    func driven(metersPerSecond: Double, seconds: Int, accuracyMeters: Double, isDriven: Bool) {
        #expect(
            self.isDriven(metersPerSecond: metersPerSecond, seconds: seconds, accuracyMeters: accuracyMeters)
                == isDriven)
    }
}
