import OdographGeodesy
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The distance between two sparse fixes")
struct SparseSegmentTests {
    private func segment(
        eastMeters: Double, northMeters: Double, seconds: Double, speeds: (Double, Double), headings: (Double, Double),
        tortuosity: Tortuosity = Tortuosity()
    ) -> SegmentDistance {
        var track = Track()
        track.add(.gulf, speed: speeds.0, heading: headings.0)
        track.pause(seconds: seconds)
        let way = LocalPoint(eastMeters: eastMeters, northMeters: northMeters)
        track.add(LocalPlane(origin: .gulf).coordinate(of: way), speed: speeds.1, heading: headings.1)
        return SegmentDistance(
            from: track.fixes[0], to: track.fixes[1], tortuosity: tortuosity, noiseMeters: 0.5)
    }

    /// Moves of a simulated town, whose lines are 150 to 520 m long.
    @Test(
        "After minutes of silence the way of a vehicle that drove round is inside the bound",
        arguments: [(153.0, 155.0, 6.8, 0.1, 727.0), (159, 522, 9.0, 10.3, 1017)])
    func silence(seconds: Double, line: Double, from: Double, to: Double, driven: Double) {
        let segment = segment(
            eastMeters: line, northMeters: 0, seconds: seconds, speeds: (from, to), headings: (90, 90))
        #expect(abs(segment.meters - driven) <= segment.errorMeters, "\(segment.meters) ± \(segment.errorMeters)")
    }

    @Test("After minutes the speeds at the ends do not outvote a line and headings that lead away from it")
    func speeds() {
        var town = Tortuosity()
        for _ in 0..<10 {
            town.learn(
                from: Tortuosity.Sum(straightMeters: 500, detourMeters: 60, seconds: 60, lineDegrees: nil))
        }
        let segment = segment(
            eastMeters: 2803, northMeters: 0, seconds: 155, speeds: (25, 10), headings: (7, 173), tortuosity: town)
        let driven = 4223.0
        #expect(segment.meters > 3000, "\(segment.meters)")
        #expect(abs(segment.meters - driven) <= segment.errorMeters, "\(segment.meters) ± \(segment.errorMeters)")
    }

    @Test("A vehicle that is found where it was has stood there", arguments: [120.0, 600, 3600])
    func stood(seconds: Double) {
        let segment = segment(
            eastMeters: 3, northMeters: 0, seconds: seconds, speeds: (12, 0.1), headings: (90, 90))
        #expect(segment.errorMeters < 60, "\(segment.meters) ± \(segment.errorMeters)")
    }

    @Test("A minute between two fixes adds no such doubt")
    func minute() {
        let segment = segment(
            eastMeters: 300, northMeters: 0, seconds: 60, speeds: (10, 10), headings: (90, 90))
        #expect(segment.errorMeters < 150, "\(segment.meters) ± \(segment.errorMeters)")
    }

    @Test("A line beside a course that stays the same is no detour if the speeds say so, and an arc has its own")
    func oblique() {
        let beside = segment(eastMeters: 60, northMeters: 120, seconds: 10, speeds: (12, 12), headings: (0, 0))
        #expect(beside.meters < 134.2, "\(beside.meters)")
        // An arc of 20 degrees: the line is in the middle between the headings. Faster ends do not lengthen it.
        let arc = segment(eastMeters: 0, northMeters: 120, seconds: 10, speeds: (14, 14), headings: (-10, 10))
        #expect(arc.meters >= 120 && arc.meters < 125, "\(arc.meters)")
    }
}
