import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The stationary rule")
struct StationaryRuleTests {
    private func points(_ track: Track) -> [TrackPoint] {
        track.fixes.map {
            TrackPoint(
                timestamp: $0.timestamp, coordinate: $0.coordinate, speedMetersPerSecond: $0.speedMetersPerSecond)
        }
    }

    @Test("Points over the interval are a stop, over a shorter time they are not")
    func interval() {
        var track = Track()
        track.stand(seconds: 120)
        #expect(StationaryRule().stationaryPoint(among: points(track)) == nil)
        track.stand(seconds: 1)
        #expect(StationaryRule().stationaryPoint(among: points(track)) != nil)
    }

    @Test("Only the points after a given instant count")
    func after() {
        var track = Track()
        track.stand(seconds: 130)
        let rule = StationaryRule()
        let all = points(track)
        #expect(rule.stationaryPoint(among: all, after: all[8].timestamp) != nil)
        #expect(rule.stationaryPoint(among: all, after: all[9].timestamp) == nil)
    }

    @Test("Slow progress along a street is not a stop", arguments: [(0.84, true), (0.9, false), (2, false)])
    func speed(metersPerSecond: Double, isStand: Bool) {
        var track = Track()
        track.go(seconds: 125, metersPerSecond: metersPerSecond)
        #expect((StationaryRule().stationaryPoint(among: points(track)) != nil) == isStand)
    }

    @Test("Without speeds the distance across the box gives the speed", arguments: [(0.5, true), (1.1, false)])
    func impliedSpeed(metersPerSecond: Double, isStand: Bool) {
        var track = Track()
        track.go(seconds: 125, metersPerSecond: metersPerSecond, reportsSpeed: false)
        #expect((StationaryRule().stationaryPoint(among: points(track)) != nil) == isStand)
    }

    @Test(
        "The distance across the box is its diagonal in any direction", arguments: [0, 45, 90, 135, 180, 250, 315])
    func direction(headingDegrees: Double) {
        for (metersPerSecond, isStand) in [(0.5, true), (1.1, false)] {
            var track = Track()
            track.go(
                seconds: 125, metersPerSecond: metersPerSecond, headingDegrees: headingDegrees, reportsSpeed: false)
            #expect((StationaryRule().stationaryPoint(among: points(track)) != nil) == isStand)
        }
    }

    @Test("A single point outside the distance prevents a stop")
    func distance() {
        var track = Track()
        track.stand(seconds: 60)
        track.add(track.end.destination(headingDegrees: 45, distanceMeters: 151), speed: 0)
        track.pause(seconds: 1)
        track.stand(seconds: 61)
        #expect(StationaryRule().stationaryPoint(among: points(track)) == nil)
    }

    @Test("No points and a single point are not a stop")
    func few() {
        #expect(StationaryRule().stationaryPoint(among: []) == nil)
        var track = Track()
        track.stand(seconds: 1)
        #expect(StationaryRule().stationaryPoint(among: points(track)) == nil)
    }
}
