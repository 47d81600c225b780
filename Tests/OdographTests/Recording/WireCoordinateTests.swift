import OdographGeodesy
import OdographHarness
import OdographModel
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

@Suite("The coordinates of a message")
struct WireCoordinateTests {
    @Test("Coordinates have the contract's decimals: degrees 7, metres and heading 1, speed 2")
    func decimals() throws {
        var fix = try ScheduleFixture.drive(from: "2026-11-20T08:00:00Z", seconds: 1)[0]
        fix.coordinate = try #require(Coordinate(latitudeDegrees: 40.123456789, longitudeDegrees: -3.987654321))
        fix.accuracyMeters = 4.2468
        fix.speedMetersPerSecond = 13.8888
        fix.headingDegrees = 271.4567
        fix.altitudeMeters = 667.8912
        fix.ellipsoidalAltitudeMeters = 718.9123
        let coords = LocationCoordinates(fix)
        #expect(coords.latitude == 40.1234568 && coords.longitude == -3.9876543)
        #expect(coords.accuracy == 4.2 && coords.speed == 13.89 && coords.heading == 271.5)
        #expect(coords.altitude == 667.9 && coords.ellipsoidalAltitude == 718.9)
    }

    @Test("A value that the receiver does not report is −1")
    func unknown() throws {
        var fix = try ScheduleFixture.drive(from: "2026-11-20T08:00:00Z", seconds: 1)[0]
        (fix.accuracyMeters, fix.speedMetersPerSecond, fix.headingDegrees) = (nil, nil, nil)
        let coords = LocationCoordinates(fix)
        #expect(coords.accuracy == -1 && coords.speed == -1 && coords.heading == -1)
        #expect(coords.altitude == nil && coords.ellipsoidalAltitude == nil)
    }
}
