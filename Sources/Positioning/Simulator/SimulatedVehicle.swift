import Glibc

/// A vehicle on a route. It keeps the limits, brakes in time, and makes the stops.
struct SimulatedVehicle {
    /// The usual accelerations of a van's driver, m/s². In naturalistic studies most starts and stops are below 2.
    private static let acceleration = 1.5
    private static let braking = 1.8
    /// The deceleration of hard braking, m/s²: a dry road allows 7 and more.
    private static let hardBraking = 6.0
    /// The length of a stop from which on the driver turns the engine off, seconds.
    private static let longStopSeconds = 120.0
    /// The time from the start of the engine to the departure, seconds.
    private static let warmUpSeconds = 5.0
    /// The time for which the control units go on after the engine is off, seconds.
    private static let runOnSeconds = 3.0
    /// The distance from a stop at which it counts as reached, metres.
    private static let stopToleranceMeters = 0.02
    /// The least speed towards a stop, m/s. By braking alone the vehicle would never arrive.
    private static let minimumApproachSpeed = 0.2

    private(set) var route: Route
    /// The greatest speed at each node that still allows braking for all later nodes, m/s.
    private var passingSpeeds: [Double]
    /// The deceleration towards each node, m/s².
    private let decelerations: [Double]
    private var index = 0
    private var stopSecondsLeft: Double
    /// The length of the present or the last stop, seconds.
    private var stopSeconds: Double

    /// The distance driven on this route, metres.
    private(set) var distanceMeters = 0.0
    private(set) var speed = 0.0

    /// Creates a vehicle at the depot.
    /// - Parameters:
    ///   - stopSeconds: The length of the stop at the depot before departure, seconds.
    ///   - harshStopInterval: It brakes hard before one of so many stops; nil: before none.
    init(route: Route, stopSeconds: Double, harshStopInterval: Int? = nil) {
        self.route = route
        stopSecondsLeft = stopSeconds
        self.stopSeconds = stopSeconds
        decelerations = Self.decelerations(of: route, harshStopInterval)
        passingSpeeds = Self.passingSpeeds(of: route, decelerations)
    }

    /// Returns the deceleration towards each node: that of the next stop.
    private static func decelerations(of route: Route, _ harshStopInterval: Int?) -> [Double] {
        var (stops, result) = (0, [Double](repeating: braking, count: route.nodes.count))
        var first = 0
        for (index, node) in route.nodes.enumerated() where node.stopSeconds > 0 {
            stops += 1
            if let harshStopInterval, stops.isMultiple(of: harshStopInterval) {
                for place in first...index { result[place] = hardBraking }
            }
            first = index + 1
        }
        return result
    }

    private static func passingSpeeds(of route: Route, _ decelerations: [Double]) -> [Double] {
        var speeds = route.nodes.map(\.limitMetersPerSecond)
        for index in route.nodes.indices.reversed() {
            let node = route.nodes[index]
            if index > 0 { speeds[index] = min(speeds[index], route.nodes[index - 1].limitMetersPerSecond) }
            if node.stopSeconds > 0 { speeds[index] = 0 }
            guard index + 1 < route.nodes.count else { continue }
            let length = route.nodes[index + 1].distanceMeters - node.distanceMeters
            let reachable = (speeds[index + 1] * speeds[index + 1] + 2 * decelerations[index + 1] * length).squareRoot()
            speeds[index] = min(speeds[index], reachable)
        }
        return speeds
    }

    /// Whether the route and the stop at its end are finished.
    var hasFinishedRoute: Bool { index + 1 >= route.nodes.count && stopSecondsLeft <= 0 }

    /// Whether the engine runs. It is off at long stops, and it is started a little before the departure.
    var isEngineRunning: Bool { stopSeconds < Self.longStopSeconds || stopSecondsLeft < Self.warmUpSeconds }

    /// Whether the control units send.
    var isBusAwake: Bool { isEngineRunning || stopSeconds - stopSecondsLeft < Self.runOnSeconds }

    var isInTunnel: Bool { route.tunnel.contains(distanceMeters) }

    var place: RoutePlane.Point {
        guard index + 1 < route.nodes.count else { return route.nodes[route.nodes.count - 1].place }
        let (from, to) = (route.nodes[index], route.nodes[index + 1])
        let share = (distanceMeters - from.distanceMeters) / (to.distanceMeters - from.distanceMeters)
        return RoutePlane.Point(
            east: from.place.east + (to.place.east - from.place.east) * share,
            north: from.place.north + (to.place.north - from.place.north) * share)
    }

    /// The heading, degrees from north.
    var headingDegrees: Double {
        let at = min(index, route.nodes.count - 2)
        let (from, to) = (route.nodes[at].place, route.nodes[at + 1].place)
        let degrees = atan2(to.east - from.east, to.north - from.north) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }

    /// Advances the vehicle by a short time, at most 0.1 s for accurate braking.
    mutating func advance(seconds: Double) {
        guard stopSecondsLeft <= 0 else {
            stopSecondsLeft -= seconds
            return
        }
        guard index + 1 < route.nodes.count else { return }
        let next = route.nodes[index + 1]
        let remaining = next.distanceMeters - distanceMeters
        let passing = passingSpeeds[index + 1]
        if next.stopSeconds > 0, remaining <= Self.stopToleranceMeters {
            return stop(at: index + 1, seconds: next.stopSeconds)
        }
        // The remaining distance at the end of this step, because the vehicle moves while it brakes.
        let deceleration = decelerations[index + 1]
        let braked = (passing * passing + 2 * deceleration * max(remaining - speed * seconds, 0)).squareRoot()
        let allowed = max(min(route.nodes[index].limitMetersPerSecond, braked), Self.minimumApproachSpeed)
        let change = min(max(allowed - speed, -max(2, deceleration) * seconds), Self.acceleration * seconds)
        speed = max(speed + change, 0)
        distanceMeters = min(distanceMeters + speed * seconds, route.lengthMeters)
        if next.stopSeconds > 0, distanceMeters >= next.distanceMeters {
            return stop(at: index + 1, seconds: next.stopSeconds)
        }
        index = route.index(at: distanceMeters, from: index)
    }

    private mutating func stop(at node: Int, seconds: Double) {
        distanceMeters = route.nodes[node].distanceMeters
        index = node
        speed = 0
        stopSecondsLeft = seconds
        stopSeconds = seconds
    }
}
