import OdographHarness
import Testing

@testable import OdographGeodesy

/// Distances and headings by GeographicLib 2.1 for Python (`Geodesic.WGS84.Inverse`), with the hard cases of Karney
/// (2013): latitude and longitude of both points, metres, degrees.
private let inverseTruth: [(Double, Double, Double, Double, Double, Double)] = [
    (40.6, -73.8, 51.6, -0.5, 5551759.4003, 51.1988828),
    (36.493349428792, 0, 36.49334942879201, 8e-07, 0.0717, 89.9999998),
    (0, 0, 0, 179, 19926188.8520, 90.0000000),
    (89.9, 10, 89.95, -170, 16754.0968, 0.0000000),
    (-37.951033416667, 144.424867888889, -37.652821138889, 143.926495527778, 54972.2711, 306.8681592),
    (52.2, 20.99, 54.3, 18.6, 282930.9614, 326.6352133),
    (5, 179.9, 5.1, -179.9, 24782.0810, 63.4897344),
    (81, 10, 81.02, 10.3, 5692.0536, 66.7505645),
    (-88, 0, -87.9, 100, 350847.5174, 138.8092649),
]

/// The same for nearly antipodal points, without headings.
private let antipodalTruth: [(Double, Double, Double, Double, Double)] = [
    (-41.32, 174.81, 40.96, -5.5, 19959679.2674),
    (0, 0, 0.5, 179.5, 19936288.5790),
    (0, 0, 0.5, 179.7, 19944127.4208),
    (0, 0, 0, 180, 20003931.4586),
    (90, 0, -90, 0, 20003931.4586),
    (-30, 0, 29.9, 179.8, 19989832.8276),
    (0, 0, 0, 179.5, 19980861.9089),
    (30.0, 0, -30.0, 179.9999, 20003931.4577),
]

private func at(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude))
}

@Suite("Distance, heading, destination")
struct DistanceTests {
    @Test("Long distances match the reference", arguments: inverseTruth)
    func longWay(_ row: (Double, Double, Double, Double, Double, Double)) throws {
        let start = try at(row.0, row.1)
        let end = try at(row.2, row.3)
        #expect(abs(start.distanceMeters(to: end) - row.4) < 0.001)
        #expect(abs(end.distanceMeters(to: start) - row.4) < 0.001)
    }

    @Test("Initial headings of long geodesics match the reference", arguments: inverseTruth)
    func heading(_ row: (Double, Double, Double, Double, Double, Double)) throws {
        let heading = try at(row.0, row.1).initialHeadingDegrees(to: at(row.2, row.3))
        // From a pole every heading is a shortest one. Between far points of the equator there are two.
        guard abs(row.0) < 90, row.0 != 0 || row.2 != 0 else { return }
        #expect(abs(headingDifferenceDegrees(heading, row.5)) < 1e-4)
    }

    @Test("The destination along a reference geodesic is its end", arguments: inverseTruth)
    func direct(_ row: (Double, Double, Double, Double, Double, Double)) throws {
        let end = try at(row.2, row.3)
        let reached = try at(row.0, row.1).destination(headingDegrees: row.5, distanceMeters: row.4)
        // A heading in steps of 1e-7 degrees moves the end by up to 1.1 cm, at a quarter of the circumference.
        #expect(reached.distanceMeters(to: end) < 0.02)
    }

    @Test("The short formula agrees with the geodesic everywhere below 80°")
    func shortAgainstGeodesic() throws {
        var random = SplitMix64(seed: 1)
        for _ in 0..<20_000 {
            let start = try at(.random(in: -79.8...79.8, using: &random), .random(in: -180...180, using: &random))
            let heading = Double.random(in: 0..<360, using: &random)
            let meters = 20_000 * Double.random(in: 0.00001..<1, using: &random)
            let end = start.destination(headingDegrees: heading, distanceMeters: meters)
            #expect(abs(start.distanceMeters(to: end) - meters) < 2e-5 * meters)
            #expect(abs(headingDifferenceDegrees(start.initialHeadingDegrees(to: end), heading)) < 0.002)
        }
    }

    @Test("Destination and distance agree, also near the poles and nearly round the Earth")
    func roundTrip() throws {
        var random = SplitMix64(seed: 2)
        for _ in 0..<5_000 {
            let start = try at(.random(in: -90...90, using: &random), .random(in: -180...180, using: &random))
            let meters = Double.random(in: 20_000..<19_700_000, using: &random)
            let end = start.destination(
                headingDegrees: .random(in: 0..<360, using: &random), distanceMeters: meters)
            #expect(abs(start.distanceMeters(to: end) - meters) < 0.002)
        }
    }

    @Test("The distance of nearly antipodal points is right within 0.6 %", arguments: antipodalTruth)
    func nearlyAntipodal(_ row: (Double, Double, Double, Double, Double)) throws {
        let meters = try at(row.0, row.1).distanceMeters(to: at(row.2, row.3))
        #expect(abs(meters / row.4 - 1) < 0.006)
    }

    @Test("The distance of a point to itself is zero, also at the poles and the antimeridian")
    func zero() throws {
        for (latitude, longitude) in [(0.0, 0.0), (90, 0), (-90, 77), (10, 180), (85, -180), (-45, 3)] {
            let point = try at(latitude, longitude)
            #expect(point.distanceMeters(to: point) == 0)
            #expect(point.initialHeadingDegrees(to: point) == 0)
            #expect(point.destination(headingDegrees: 33, distanceMeters: 0) == point)
            #expect(point.destination(headingDegrees: .nan, distanceMeters: 5) == point)
        }
        #expect(try at(90, 0).distanceMeters(to: at(90, 120)) < 1e-6)
        #expect(try at(10, 180).distanceMeters(to: at(10, -180)) < 1e-6)
    }

    @Test(
        "The difference of headings is the shorter turn",
        arguments: [
            (0.0, 10.0, 10.0), (350, 10, 20), (10, 350, -20), (0, 180, 180), (180, 0, 180), (90, 270, 180), (0, 0, 0),
            (720, 1, 1), (-90, 270, 0), (.nan, 4, 0),
        ])
    func headingDifference(_ row: (Double, Double, Double)) {
        #expect(headingDifferenceDegrees(row.0, row.1) == row.2)
    }

    @Test("A local plane converts points back exactly, and measures as the ellipsoid does")
    func plane() throws {
        var random = SplitMix64(seed: 4)
        for _ in 0..<2_000 {
            let origin = try at(.random(in: -75...75, using: &random), .random(in: -180...180, using: &random))
            let heading = Double.random(in: 0..<360, using: &random)
            let point = origin.destination(headingDegrees: heading, distanceMeters: 500)
            let plane = LocalPlane(origin: origin)
            let local = plane.eastNorthMeters(of: point)
            #expect(abs(local.distanceMeters(to: LocalPoint(eastMeters: 0, northMeters: 0)) - 500) < 0.2)
            #expect(plane.coordinate(of: local).distanceMeters(to: point) < 1e-6)
        }
    }

    @Test("Between any two extreme coordinates, distance and heading are finite")
    func extremes() throws {
        let latitudes: [Double] = [-90, -89.999_999_9, -45, 0, .leastNonzeroMagnitude, 45, 89.999_999_999, 90]
        let longitudes: [Double] = [-180, -179.999_999_9, -98.411_586_761_474_61, 0, .leastNonzeroMagnitude, 180]
        let coordinates = try latitudes.flatMap { latitude in
            try longitudes.map { try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: $0)) }
        }
        for (start, end) in coordinates.flatMap({ start in coordinates.map { (start, $0) } }) {
            // Half of the equator: between nearly antipodal points the formula gives up to a promille too much.
            #expect((0...20_037_509).contains(start.distanceMeters(to: end)), "\(start) to \(end)")
            #expect((0..<360).contains(start.initialHeadingDegrees(to: end)), "\(start) to \(end)")
        }
    }
}
