/// Counts durations in classes.
struct Histogram: Hashable, Sendable {
    /// The usual upper bounds of lags, seconds.
    static let lagBounds = [1.0, 2, 5, 10, 30, 60, 300, 3600, 86_400]
    /// The upper bounds of the time until a commit, seconds.
    static let commitBounds = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 60]

    /// The upper bounds of the classes, ascending. The last class has none.
    let bounds: [Double]
    /// The number of values in each class.
    private(set) var counts: [Int]
    /// The sum of the values.
    private(set) var sum = 0.0

    init(bounds: [Double] = lagBounds) {
        self.bounds = bounds
        counts = [Int](repeating: 0, count: bounds.count + 1)
    }

    /// Adds a value.
    mutating func add(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }
}
