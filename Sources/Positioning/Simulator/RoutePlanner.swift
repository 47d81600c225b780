import Glibc

/// Plans a delivery round: out along streets with traffic lights and customers, back along an arterial road and a
/// motorway with a tunnel. Each call gives another round; equal generators give equal rounds.
struct RoutePlanner {
    /// A corner of the route before it is rounded, and the limit of the road after it.
    private struct Corner {
        var place: RoutePlane.Point
        var limit: Double
        var radius: Double
        var stopSeconds = 0.0
    }

    /// The comfortable lateral acceleration in a bend, m/s². AASHTO's "Green Book" uses 1 to 3 at such speeds.
    private static let lateralAcceleration = 2.0
    private static let streetLimits = [30 / 3.6, 50 / 3.6]
    private static let arterialLimit = 70 / 3.6
    private static let motorwayLimits = [100 / 3.6, 120 / 3.6]

    private var generator: SeededGenerator
    private var corners: [Corner] = []

    static func plan(using generator: inout SeededGenerator) -> Route {
        var planner = RoutePlanner(generator: generator)
        let route = planner.route()
        generator = planner.generator
        return route
    }

    private init(generator: SeededGenerator) {
        self.generator = generator
    }

    private mutating func route() -> Route {
        let motorwayLimit = Self.motorwayLimits[generator.bernoulli(0.5) ? 1 : 0]
        // 35 to 55 s at the limit. With a slower section this becomes the minute without reception that is wanted.
        let tunnelMeters = motorwayLimit * generator.uniform(35...55)
        addStreets()
        let tunnelStart = addReturnRoads(motorwayLimit: motorwayLimit, tunnelMeters: tunnelMeters)
        return rounded(tunnelFrom: tunnelStart, tunnelMeters: tunnelMeters)
    }

    // MARK: - Roads

    /// Adds blocks alternately to the east and to the north.
    private mutating func addStreets() {
        var place = RoutePlane.Point(east: 0, north: 0)
        let blocks = 10 + Int(generator.uniform(0...8))
        for block in 0..<blocks {
            let limit = Self.streetLimits[generator.bernoulli(0.6) ? 1 : 0]
            let isCustomer = block > 0 && block % 5 == 0
            let isRedLight = !isCustomer && generator.bernoulli(0.35)
            let stopSeconds =
                isCustomer ? generator.uniform(240...900) : isRedLight ? generator.uniform(8...50) : 0
            corners.append(Corner(place: place, limit: limit, radius: 10, stopSeconds: block > 0 ? stopSeconds : 0))
            let length = generator.uniform(90...320)
            if block % 2 == 0 { place.east += length } else { place.north += length }
        }
        corners.append(Corner(place: place, limit: Self.arterialLimit, radius: 15))
    }

    /// Adds the roads north to the motorway, along it to the west of the depot, and back on a second arterial road.
    /// - Returns: The start of the tunnel.
    private mutating func addReturnRoads(motorwayLimit: Double, tunnelMeters: Double) -> RoutePlane.Point {
        var place = corners[corners.count - 1].place
        place.north += generator.uniform(900...1800)
        corners.append(Corner(place: place, limit: Self.arterialLimit, radius: 25, stopSeconds: redLightSeconds()))
        place.north += generator.uniform(600...1200)
        corners.append(Corner(place: place, limit: motorwayLimit, radius: 90))
        let west = -generator.uniform(800...2000)
        place.east -= generator.uniform(900...1500)
        corners.append(Corner(place: place, limit: motorwayLimit, radius: 900))
        let tunnelStart = RoutePlane.Point(east: place.east - 500, north: place.north)
        place.east -= tunnelMeters + 1200
        corners.append(Corner(place: place, limit: motorwayLimit, radius: 900))
        place.north += generator.uniform(-250...250)
        place.east = min(west, place.east - generator.uniform(1500...2500))
        corners.append(Corner(place: place, limit: Self.arterialLimit, radius: 90))
        place.north = 0
        corners.append(Corner(place: place, limit: Self.streetLimits[1], radius: 15, stopSeconds: redLightSeconds()))
        corners.append(Corner(place: RoutePlane.Point(east: 0, north: 0), limit: 0, radius: 0))
        return tunnelStart
    }

    private mutating func redLightSeconds() -> Double {
        generator.bernoulli(0.5) ? generator.uniform(10...60) : 0
    }

    // MARK: - Bends

    /// Replaces each corner by an arc. A stop at a corner is moved to 5 m before the arc.
    private mutating func rounded(tunnelFrom tunnelStart: RoutePlane.Point, tunnelMeters: Double) -> Route {
        var nodes: [Route.Node] = []
        var tunnelStartMeters = 0.0
        func add(_ place: RoutePlane.Point, limit: Double, stopSeconds: Double = 0) {
            var distance = 0.0
            if let last = nodes.last {
                distance = last.distanceMeters + last.place.distance(to: place)
                guard distance - last.distanceMeters > 0.01 else { return }
            }
            nodes.append(
                Route.Node(
                    place: place, distanceMeters: distance, limitMetersPerSecond: limit, stopSeconds: stopSeconds))
        }
        for (index, corner) in corners.enumerated() {
            guard index > 0, index + 1 < corners.count else {
                // The long stop at the depot.
                let isEnd = index > 0
                add(corner.place, limit: corner.limit, stopSeconds: isEnd ? generator.uniform(600...1500) : 0)
                continue
            }
            let (before, after) = (corners[index - 1], corners[index + 1])
            let arc = Self.arc(at: corner.place, from: before.place, to: after.place, radius: corner.radius)
            if corner.stopSeconds > 0, let first = arc.first, let last = nodes.last {
                let gap = last.place.distance(to: first)
                let share = max(gap - 5, gap / 2) / max(gap, 0.1)
                add(
                    RoutePlane.Point(
                        east: last.place.east + (first.east - last.place.east) * share,
                        north: last.place.north + (first.north - last.place.north) * share),
                    limit: before.limit, stopSeconds: corner.stopSeconds)
            }
            let bendLimit = min(corner.limit, (Self.lateralAcceleration * corner.radius).squareRoot())
            for place in arc.dropLast() { add(place, limit: bendLimit) }
            if let last = arc.last { add(last, limit: corner.limit) }
            if tunnelStartMeters == 0, let last = nodes.last, corner.place.north == tunnelStart.north,
                corner.place.east - tunnelStart.east == 500
            {
                tunnelStartMeters = last.distanceMeters + last.place.distance(to: tunnelStart)
            }
        }
        return Route(nodes: nodes, tunnel: tunnelStartMeters..<(tunnelStartMeters + tunnelMeters))
    }

    /// Returns points of the arc that is tangent to both edges of a corner; the corner itself for a very small turn.
    private static func arc(
        at corner: RoutePlane.Point, from before: RoutePlane.Point, to after: RoutePlane.Point, radius: Double
    ) -> [RoutePlane.Point] {
        let incoming = atan2(corner.north - before.north, corner.east - before.east)
        let outgoing = atan2(after.north - corner.north, after.east - corner.east)
        let turn = remainder(outgoing - incoming, 2 * .pi)
        guard abs(turn) > 0.01 else { return [corner] }
        let legs = min(corner.distance(to: before), corner.distance(to: after))
        let tangent = min(radius * tan(abs(turn) / 2), legs * 0.45)
        let fitted = tangent / tan(abs(turn) / 2)
        let side = turn > 0 ? 1.0 : -1.0
        let center = RoutePlane.Point(
            east: corner.east - tangent * cos(incoming) - side * fitted * sin(incoming),
            north: corner.north - tangent * sin(incoming) + side * fitted * cos(incoming))
        let steps = max(2, Int((abs(turn) / 0.15).rounded(.up)))
        return (0...steps).map { step in
            let angle = incoming + turn * Double(step) / Double(steps) - side * .pi / 2
            return RoutePlane.Point(
                east: center.east + fitted * cos(angle), north: center.north + fitted * sin(angle))
        }
    }
}
