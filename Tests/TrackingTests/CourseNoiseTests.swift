import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Errors of positions that are seconds apart")
struct CourseNoiseTests {
    /// A drive at 14 m/s with a fix each ten seconds, in which positions are off by so much for a third of the time.
    /// - Parameter turn: The change of the heading between two fixes, degrees, in turn to the right and to the left.
    private func drive(offMeters off: Double, turn: Double = 0, hasHeadings: Bool = true) -> [Fix] {
        var track = Track()
        var (place, heading) = (track.end, 0.0)
        for index in 0..<180 {
            let isOff = index % 6 > 3
            let side = Double(index / 6 % 8) * 45
            let shown = isOff ? place.destination(headingDegrees: side, distanceMeters: off) : place
            track.add(shown, speed: 14 + Double(index % 3) / 10, heading: hasHeadings ? heading : 270)
            track.pause(seconds: 10)
            heading += index % 2 == 0 ? turn : -turn
            place = place.destination(headingDegrees: heading, distanceMeters: 141)
        }
        return track.fixes
    }

    private func noise(of fixes: [Fix]) -> Double {
        var noise = PositionNoise()
        for fix in fixes { noise.update(with: fix, isResting: false) }
        return noise.courseDeviationMeters
    }

    @Test("Steps that lead aside of a steady course show the errors, and a straight drive shows none")
    func offsets() {
        #expect(noise(of: drive(offMeters: 0)) == 0)
        #expect((8...25).contains(noise(of: drive(offMeters: 60))))
    }

    @Test("Bends show none: only equal headings at both ends tell the course", arguments: [5.0, 9, 12, 60, 90])
    func bends(turn: Double) {
        #expect(noise(of: drive(offMeters: 0, turn: turn)) == 0)
    }

    @Test("Headings that disagree with the lines show none", arguments: [0.0, 60])
    func headings(off: Double) {
        var odometer = TrackOdometer()
        for fix in drive(offMeters: off, hasHeadings: false) { odometer.advance(to: fix) }
        #expect(odometer.speeds.noise.courseDeviationMeters == 0)
    }

    @Test("Reflections hardly lengthen a drive whose speeds are right, and the bound contains the truth")
    func odometer() {
        let truth = 179 * 141.0
        for (off, most) in [(0.0, 0.002), (60, 0.02)] {
            var odometer = Odometer()
            for fix in drive(offMeters: off) { odometer.advance(to: fix) }
            #expect(abs(odometer.meters / truth - 1) < most, "\(odometer.meters)")
            #expect(abs(odometer.meters - truth) <= odometer.errorMeters)
        }
    }

    @Test("Reflections at halts are no departures that the speeds missed")
    func halts() {
        var track = Track()
        var (place, truth) = (track.end, 0.0)
        func add(speed: Double, isOff: Bool, side: Double) {
            let shown = isOff ? place.destination(headingDegrees: side, distanceMeters: 60) : place
            track.add(shown, speed: speed, heading: 0)
            track.pause(seconds: 10)
        }
        for block in 0..<24 {
            let side = Double(block % 8) * 45
            for index in 0..<10 {
                place = place.destination(headingDegrees: 0, distanceMeters: 120)
                truth += 120
                add(speed: 12 + Double(index % 3) / 10, isOff: index % 5 > 2, side: side)
            }
            for index in 0..<6 { add(speed: 0.05 + Double(index % 2) / 50, isOff: index > 2, side: side) }
        }
        var odometer = Odometer()
        for fix in track.fixes { odometer.advance(to: fix) }
        #expect(abs(odometer.meters - truth) <= odometer.errorMeters, "\(odometer.meters) of \(truth)")
        #expect(abs(odometer.meters / truth - 1) < 0.03, "\(odometer.meters) of \(truth)")
    }
}
