import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Distance that is counted late")
struct LateDistanceTests {
    /// Returns a stop of ten minutes, a silence in which the vehicle went elsewhere, and a walk there.
    private func silence(seconds: Double, meters: Double) -> Track {
        var track = Track()
        track.stand(seconds: 600)
        track.pause(seconds: seconds)
        let place = track.end.destination(headingDegrees: 90, distanceMeters: meters)
        for second in 0..<120 {
            track.add(place.destination(headingDegrees: 0, distanceMeters: 1.3 * Double(second)), speed: 1.3)
            track.pause(seconds: 1)
        }
        return track
    }

    @Test("The distance of a silence at a stop belongs to the silence, not to the walk that follows")
    func afterSilence() throws {
        let track = silence(seconds: 2400, meters: 20_000)
        var odometer = Odometer()
        let late = track.fixes.compactMap { odometer.advance(to: $0) }
        let one = try #require(late.first)
        #expect(late.count == 1 && one.before.seconds(since: one.after) > 2399)
        #expect(abs(one.meters - 20_000) < 8000 && one.meters < odometer.meters)
        // What is not late is the walk.
        #expect(abs(odometer.meters - one.meters - 1.3 * 119) < 10)
    }

    @Test("No distance is late without a silence")
    func withoutSilence() {
        let track = Track.drive { $0.stand(seconds: 200) }
        var odometer = Odometer()
        #expect(track.fixes.allSatisfy { odometer.advance(to: $0) == nil })
    }

    @Test("The estimate for a silence contains the line, within its error, before the odometer counts it")
    func estimate() throws {
        let track = silence(seconds: 600, meters: 5000)
        let next = try #require(track.fixes.dropFirst(600).first)
        var odometer = Odometer()
        for fix in track.fixes.prefix(600) { odometer.advance(to: fix) }
        let gap = try #require(odometer.gapDistance(to: next))
        #expect(odometer.meters == 0)
        #expect(abs(gap.meters - 5000) <= gap.errorMeters && gap.errorMeters < 10_000, "\(gap)")
    }

    @Test("A silence at one place has no distance")
    func samePlace() throws {
        let track = silence(seconds: 600, meters: 3)
        var odometer = Odometer()
        for fix in track.fixes.prefix(600) { odometer.advance(to: fix) }
        let next = try #require(track.fixes.dropFirst(600).first)
        let gap = try #require(odometer.gapDistance(to: next))
        #expect(gap.meters == 0 && gap.errorMeters >= 3)
    }
}
