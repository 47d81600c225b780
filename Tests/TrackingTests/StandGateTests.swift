import Geodesy
import Testing

@testable import Tracking

@Suite("What shows that a vehicle has left the place where it stood")
struct StandGateTests {
    /// Stands for two minutes, and then moves east, whatever its receiver says of the speed.
    /// - Returns: How far it was as the gate noticed, and the noise around the place; nil if it never noticed.
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

    @Test("Without a speed it is 30 m out of the noise for 15 s; against one that says nothing moves, 40 m out of it")
    func distance() throws {
        let without = try #require(leave(at: 0.5, reportedSpeed: nil))
        // The first fix beyond, and 7.5 m in 15 s more.
        #expect((0.5...1).contains(without.meters - without.noiseMeters - 37))
        let against = try #require(leave(at: 0.5, reportedSpeed: 0))
        #expect((0...0.5).contains(against.meters - against.noiseMeters - 40))
    }

    @Test("By its speed it is noticed within the noise of positions", arguments: [1.0, 3])
    func speed(metersPerSecond speed: Double) throws {
        let left = try #require(leave(at: speed, reportedSpeed: speed))
        #expect((3...10).contains(left.meters))
    }
}
