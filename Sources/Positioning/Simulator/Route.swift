/// A route along roads from the depot back to the depot: a line of nodes, each with the speed limit after it.
struct Route {
    struct Node {
        let place: RoutePlane.Point
        /// The distance from the depot along the route, metres.
        let distanceMeters: Double
        /// The speed limit after the node, m/s.
        let limitMetersPerSecond: Double
        /// The length of the stop at the node, seconds; 0 for no stop.
        let stopSeconds: Double
    }

    /// At least two nodes; the first and the last are the depot.
    let nodes: [Node]
    /// The part of the route in a tunnel, metres from the depot.
    let tunnel: Range<Double>

    var lengthMeters: Double { nodes.last?.distanceMeters ?? 0 }

    /// Returns the last node at or before a distance. The search begins at an earlier result.
    func index(at distanceMeters: Double, from start: Int) -> Int {
        var index = start
        while index + 2 < nodes.count, nodes[index + 1].distanceMeters <= distanceMeters { index += 1 }
        return index
    }
}
