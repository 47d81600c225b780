import OdographHarness
import Testing

@testable import OdographGeodesy

@Suite("Simplification")
struct SimplificationTests {
    private func line(_ points: [(Double, Double)]) throws -> [Coordinate] {
        let plane = LocalPlane(origin: try #require(Coordinate(latitudeDegrees: 48, longitudeDegrees: 11)))
        return points.map { plane.coordinate(of: LocalPoint(eastMeters: $0.0, northMeters: $0.1)) }
    }

    @Test("Corners are kept, and points on a straight line are removed")
    func corners() throws {
        let points = try line([(0, 0), (50, 0.4), (100, 0), (100, 50), (100, 100), (100, 100)])
        #expect(simplified(points, toleranceMeters: 1) == [0, 2, 5])
        #expect(simplified(points, toleranceMeters: 0.1) == [0, 1, 2, 5])
        #expect(simplified(points, toleranceMeters: 1000) == [0, 5])
    }

    @Test("A maximum count keeps the most important points")
    func bounded() throws {
        let points = try line([(0, 0), (10, 30), (20, 0), (30, 5), (40, 0), (50, 80), (60, 0)])
        #expect(simplified(points, toleranceMeters: 1, maximumCount: 3) == [0, 5, 6])
        #expect(simplified(points, toleranceMeters: 1, maximumCount: 0) == [0, 6])
    }

    @Test("Lines of no, one, two and equal points are simplified correctly")
    func few() throws {
        #expect(simplified([Coordinate](), toleranceMeters: 1) == [])
        #expect(simplified(try line([(1, 1)]), toleranceMeters: 1) == [0])
        #expect(simplified(try line([(1, 1), (1, 1)]), toleranceMeters: 1) == [0, 1])
        #expect(simplified(try line([(1, 1), (1, 1), (1, 1)]), toleranceMeters: 0) == [0, 2])
        #expect(simplified(try line([(0, 0), (9, 0), (0, 0)]), toleranceMeters: 1) == [0, 1, 2])
    }

    @Test("No removed point is farther from the simplified line than the tolerance")
    func withinTolerance() throws {
        var random = SplitMix64(seed: 5)
        for _ in 0..<50 {
            var (east, north) = (0.0, 0.0)
            let points = try line(
                (0..<400).map { _ in
                    east += .random(in: -5...25, using: &random)
                    north += .random(in: -15...15, using: &random)
                    return (east, north)
                })
            let kept = simplified(points, toleranceMeters: 20)
            #expect(kept.first == 0 && kept.last == 399)
            for (from, to) in zip(kept, kept.dropFirst()) {
                let plane = LocalPlane(origin: points[from])
                let ends = (plane.eastNorthMeters(of: points[from]), plane.eastNorthMeters(of: points[to]))
                for index in from...to {
                    let deviation = plane.eastNorthMeters(of: points[index])
                        .distanceMeters(toSegmentFrom: ends.0, to: ends.1)
                    #expect(deviation < 20.1)
                }
            }
        }
    }

    @Test("A line of many points needs no deep stack")
    func spiral() throws {
        let points = try line((0..<20_000).map { index in (Double(index), Double(index % 7)) })
        #expect(simplified(points, toleranceMeters: 100).count == 2)
        #expect(simplified(points, toleranceMeters: 0.5, maximumCount: 300).count == 300)
    }
}
