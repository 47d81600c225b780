import OdographGeodesy

extension Coordinate {
    /// The step of a last digit up to which a position is the same, degrees (0.1 m): far less than the noise of a
    /// receiver that measures.
    private static let leastStepDegrees = 1e-6
    /// The steps of receivers that report fewer digits, degrees, coarsest first.
    private static let coarseStepsDegrees = [1e-4, 1e-5]
    /// The length of a degree of latitude, metres.
    private static let metersPerDegree = 111_000.0

    /// Returns the step by which a repeated position can differ from this one, degrees: that of the last digit which
    /// either of them uses, and at least 0.000001.
    private func stepDegrees(with other: Coordinate) -> Double {
        let values = [latitudeDegrees, longitudeDegrees, other.latitudeDegrees, other.longitudeDegrees]
        return Self.coarseStepsDegrees.first { step in
            values.allSatisfy { value in abs((value / step).rounded() * step - value) < Self.leastStepDegrees / 100 }
        } ?? Self.leastStepDegrees
    }

    /// Whether another position repeats this one: each value differs by a step of the last digit at most.
    func repeats(_ other: Coordinate) -> Bool {
        if self == other { return true }
        let step = 1.01 * stepDegrees(with: other)
        return abs(latitudeDegrees - other.latitudeDegrees) <= step
            && abs(longitudeDegrees - other.longitudeDegrees) <= step
    }

    /// Returns the step of the last digit that this position and another one use, metres.
    func stepMeters(with other: Coordinate) -> Double { stepDegrees(with: other) * Self.metersPerDegree }
}
