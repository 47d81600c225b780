/// A way along roads, from the depot and back to it: a line of nodes, each with the speed that may be driven behind it.
struct Route {
    struct Node {
        let place: RoutePlane.Point
        /// Metres driven from the depot.
        let distanceMeters: Double
        /// What the road behind the node allows, m/s.
        let limitMetersPerSecond: Double
        /// Seconds for which the vehicle stands here; 0 where it drives through.
        let stopSeconds: Double
    }

    /// At least two; the first and the last are the depot.
    let nodes: [Node]
    /// Where the sky is hidden, metres from the depot.
    let tunnel: Range<Double>

    var lengthMeters: Double { nodes.last?.distanceMeters ?? 0 }

    /// The last node at or before a distance, sought from a former answer on.
    func index(at distanceMeters: Double, from start: Int) -> Int {
        var index = start
        while index + 2 < nodes.count, nodes[index + 1].distanceMeters <= distanceMeters { index += 1 }
        return index
    }
}
