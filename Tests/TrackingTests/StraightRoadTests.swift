import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The detour of straight roads")
struct StraightRoadTests {
    @Test("A straight motorway is as long as its line", arguments: [10.0, 30, 60], [true, false])
    func straight(seconds: Double, tellsSpeed: Bool) {
        var track = Track()
        track.go(seconds: 3000, metersPerSecond: 30, every: seconds, reportsSpeed: tellsSpeed)
        var odometer = Odometer()
        for fix in track.fixes {
            var copy = fix
            copy.headingDegrees = nil
            odometer.advance(to: copy)
        }
        let line = track.fixes[0].coordinate.distanceMeters(to: track.fixes[track.fixes.count - 1].coordinate)
        #expect(abs(odometer.meters / line - 1) < 0.001, "\(odometer.meters / line - 1)")
    }

    @Test("A winding road at seldom fixes is longer than its lines")
    func winding() {
        let drive = RoadDrive(on: .mountainRoad, seed: 3, seconds: 1500, from: RoadDrive.town)
        var odometer = Odometer()
        for fix in drive.fixes(everySeconds: 30) { odometer.advance(to: fix) }
        #expect(abs(odometer.meters - drive.trueMeters(everySeconds: 30)) < odometer.errorMeters)
        #expect(odometer.meters > 0.9 * drive.trueMeters(everySeconds: 30))
    }
}
