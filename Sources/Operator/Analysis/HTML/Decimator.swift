/// Keeps a bounded number of points of a line of any length. At capacity it keeps one point of each pair of neighbours.
struct Decimator<Point: Sendable>: Sendable {
    private let capacity: Int
    private let better: @Sendable (Point, Point) -> Point
    private var kept: [Point] = []
    private var group: (point: Point, count: Int)?
    private var stride = 1

    /// - Parameters:
    ///   - capacity: the maximum number of points, at least 4.
    ///   - better: chooses the point to keep of two neighbours. The first argument is the earlier point.
    init(capacity: Int, better: @escaping @Sendable (Point, Point) -> Point) {
        self.capacity = max(capacity, 4) / 2 * 2
        self.better = better
    }

    /// The kept points, in order.
    var points: [Point] { group.map { kept + [$0.point] } ?? kept }

    mutating func append(_ point: Point) {
        let merged = group.map { (better($0.point, point), $0.count + 1) } ?? (point, 1)
        guard merged.1 >= stride else {
            group = merged
            return
        }
        kept.append(merged.0)
        group = nil
        guard kept.count == capacity else { return }
        kept = Swift.stride(from: 0, to: capacity, by: 2).map { better(kept[$0], kept[$0 + 1]) }
        stride *= 2
    }
}
