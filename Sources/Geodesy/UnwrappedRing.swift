/// A ring or line whose longitudes continue beyond the antimeridian, so that every edge is straight.
package struct UnwrappedRing {
    /// Longitude and latitude, degrees. The first point of a ring is repeated at the end.
    package private(set) var points: [(x: Double, y: Double)] = []
    package private(set) var minX = Double.infinity
    package private(set) var maxX = -Double.infinity
    package private(set) var minY = Double.infinity
    package private(set) var maxY = -Double.infinity

    package init(line: [Coordinate]) {
        var shift = 0.0
        var last: Double?
        for coordinate in line {
            if let last {
                let difference = coordinate.longitudeDegrees - last
                if difference > 180 && difference < 360 { shift -= 360 }
                if difference < -180 && difference > -360 { shift += 360 }
            }
            last = coordinate.longitudeDegrees
            points.append((coordinate.longitudeDegrees + shift, coordinate.latitudeDegrees))
        }
        measure()
    }

    package init(ring: [Coordinate]) {
        var closed = ring
        if let first = ring.first, first != ring.last { closed.append(first) }
        self.init(line: closed)
        closeRoundPole()
    }

    /// Closes a ring that ends 360° from its start, because it goes round a pole. The closing line goes along the
    /// meridian to the pole of the hemisphere of the mean latitude, and back along the same meridian on the other side.
    private mutating func closeRoundPole() {
        guard let first = points.first, let last = points.last, first.x != last.x else { return }
        let isNorth = points.reduce(0) { $0 + $1.y } >= 0
        let pole = isNorth ? 90.0 : -90.0
        points += [(last.x, pole), (first.x, pole), first]
        measure()
    }

    private mutating func measure() {
        for point in points {
            minX = min(minX, point.x)
            maxX = max(maxX, point.x)
            minY = min(minY, point.y)
            maxY = max(maxY, point.y)
        }
    }

    /// Moves the ring by whole turns, so that its middle is as near to a longitude as possible.
    package mutating func move(near longitude: Double) {
        let turns = ((longitude - (minX + maxX) / 2) / 360).rounded()
        guard turns != 0 else { return }
        for index in points.indices { points[index].x += turns * 360 }
        minX += turns * 360
        maxX += turns * 360
    }
}
