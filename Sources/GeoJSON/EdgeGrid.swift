/// An index of edges by the squares of a grid that they touch.
struct EdgeGrid {
    /// A segment from (`x`, `y`) to (`endX`, `endY`).
    typealias Edge = (x: Double, y: Double, endX: Double, endY: Double)

    private let columns: Int
    private let minX: Double
    private let minY: Double
    private let columnsPerDegree: Double
    private let rowsPerDegree: Double
    /// The index in ``entries`` at which each square's edges begin.
    private var starts: [Int32] = []
    private var entries: [Int32] = []

    var cellCount: Int { columns * columns }

    /// Builds the grid. It has at most as many squares as edges, and so few that the mean number of entries per edge is
    /// at most `maximumEntriesPerEdge`.
    init(edges count: Int, maximumColumns: Int, maximumEntriesPerEdge: Int, _ edge: (Int) -> Edge) {
        var (minX, minY, maxX, maxY) = (Double.infinity, Double.infinity, -Double.infinity, -Double.infinity)
        for index in 0..<count {
            let edge = edge(index)
            (minX, maxX) = (min(minX, edge.x), max(maxX, edge.x))
            (minY, maxY) = (min(minY, edge.y), max(maxY, edge.y))
        }
        var columns = min(max(Int(Double(count).squareRoot()), 1), maximumColumns)
        while true {
            let grid = EdgeGrid(columns: columns, minX: minX, minY: minY, maxX: maxX, maxY: maxY)
            var total = 0
            for index in 0..<count { grid.forEachSpan(edge(index)) { _, first, last in total += last - first + 1 } }
            if columns == 1 || total <= maximumEntriesPerEdge * count + 64 {
                self = grid
                insert(count, edge)
                return
            }
            columns /= 2
        }
    }

    private init(columns: Int, minX: Double, minY: Double, maxX: Double, maxY: Double) {
        self.columns = columns
        self.minX = minX
        self.minY = minY
        columnsPerDegree = maxX > minX ? Double(columns) / (maxX - minX) : 0
        rowsPerDegree = maxY > minY ? Double(columns) / (maxY - minY) : 0
    }

    /// Calls `body` with the edges that touch a square.
    func withEdges<Result>(ofCell cell: Int, _ body: (UnsafeBufferPointer<Int32>) -> Result) -> Result {
        entries.withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[Int(starts[cell])..<Int(starts[cell + 1])]))
        }
    }

    private mutating func insert(_ count: Int, _ edge: (Int) -> Edge) {
        var counts = [Int32](repeating: 0, count: cellCount + 1)
        for index in 0..<count {
            forEachSpan(edge(index)) { row, first, last in
                for column in first...last { counts[row * columns + column + 1] += 1 }
            }
        }
        for cell in 1...cellCount { counts[cell] += counts[cell - 1] }
        starts = counts
        // A local variable, because the closure holds `self`: writing to the property would copy it for each edge.
        var entries = [Int32](repeating: 0, count: Int(counts[cellCount]))
        for index in 0..<count {
            forEachSpan(edge(index)) { row, first, last in
                for column in first...last {
                    entries[Int(counts[row * columns + column])] = Int32(index)
                    counts[row * columns + column] += 1
                }
            }
        }
        self.entries = entries
    }

    /// Calls `body` with each row that an edge touches, and its first and last column in that row.
    @inline(__always)
    private func forEachSpan(_ edge: Edge, _ body: (_ row: Int, _ first: Int, _ last: Int) -> Void) {
        let firstRow = cellIndex((min(edge.y, edge.endY) - minY) * rowsPerDegree, -1)
        let lastRow = cellIndex((max(edge.y, edge.endY) - minY) * rowsPerDegree, 1)
        guard firstRow < lastRow, edge.y != edge.endY else {
            for row in firstRow...lastRow { call(row, edge.x, edge.endX, body) }
            return
        }
        let slope = (edge.endX - edge.x) / (edge.endY - edge.y)
        for row in firstRow...lastRow {
            // The row is widened a little, so that rounding loses no square.
            let low = minY + (Double(row) - 2 * Self.slack) / rowsPerDegree
            let high = minY + (Double(row + 1) + 2 * Self.slack) / rowsPerDegree
            let from = min(max(low, min(edge.y, edge.endY)), max(edge.y, edge.endY))
            let to = max(min(high, max(edge.y, edge.endY)), min(edge.y, edge.endY))
            call(row, edge.x + (from - edge.y) * slope, edge.x + (to - edge.y) * slope, body)
        }
    }

    @inline(__always)
    private func call(
        _ row: Int, _ x: Double, _ otherX: Double, _ body: (_ row: Int, _ first: Int, _ last: Int) -> Void
    ) {
        let first = cellIndex((min(x, otherX) - minX) * columnsPerDegree, -1)
        body(row, first, max(first, cellIndex((max(x, otherX) - minX) * columnsPerDegree, 1)))
    }

    /// The fraction of a square's size by which each side extends, so that edges that meet on a border share a square.
    private static let slack = 1e-6

    private func cellIndex(_ place: Double, _ sign: Double) -> Int {
        min(max(Int(place + sign * Self.slack), 0), columns - 1)
    }
}
