import OdographGeodesy
import OdographHarness
import Testing

@testable import OdographTracking

@Suite("The evidence of a departure")
struct StopAnchorTests {
    /// Stops for two minutes, then moves east with any reported speed.
    /// - Returns: The distance when the departure is detected, and the noise radius; nil if it is not detected.
    private func leave(at metersPerSecond: Double, reportedSpeed speed: Double?) -> (
        meters: Double, noiseMeters: Double
    )? {
        var track = Track()
        let place = track.end
        track.stand(seconds: 120)
        var gate = StopAnchor(at: track.fixes[0])
        for fix in track.fixes.dropFirst() where gate.update(with: fix, jump: nil, tortuosity: Tortuosity()) != nil {
            return nil
        }
        for meters in stride(from: metersPerSecond, through: 100, by: metersPerSecond) {
            track.pause(seconds: 1)
            track.add(place.destination(headingDegrees: 90, distanceMeters: meters), speed: speed)
            guard let fix = track.fixes.last else { return nil }
            if gate.update(with: fix, jump: nil, tortuosity: Tortuosity()) != nil {
                return (meters, gate.anchor.radiusMeters(for: fix))
            }
        }
        return nil
    }

    @Test("The departure needs 30 m outside the noise for 15 s without a speed, and 40 m against a speed of 0")
    func distance() throws {
        let without = try #require(leave(at: 0.5, reportedSpeed: nil))
        // The first fix outside, and 7.5 m in the next 15 s.
        #expect((0.5...1).contains(without.meters - without.noiseMeters - 37))
        let against = try #require(leave(at: 0.5, reportedSpeed: 0))
        #expect((0...0.5).contains(against.meters - against.noiseMeters - 40))
    }

    @Test("By its speed a departure is detected within the noise of the positions", arguments: [1.0, 3])
    func speed(metersPerSecond speed: Double) throws {
        let left = try #require(leave(at: speed, reportedSpeed: speed))
        #expect((3...10).contains(left.meters))
    }
}
