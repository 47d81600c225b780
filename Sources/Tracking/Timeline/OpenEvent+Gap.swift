/// The distance of a gap.
extension OpenEvent {
    /// Adds the estimated distance since the last fix, if the gap is one in which the vehicle can have moved unseen.
    mutating func add(_ distance: GapDistance?) {
        guard case .offTheGrid(let reason) = phase, reason.mayHideStop, let distance else { return }
        gap = gap.map { $0 + distance } ?? distance
    }

    /// Whether the odometer may still count the estimated distance: it waits for fixes that confirm it.
    /// - Parameter meters: the odometer's total at the end.
    func isDistancePending(untilMeters meters: Double) -> Bool {
        gap.map { $0.meters > 0 && meters <= startMeters } ?? false
    }

    /// Returns the published distance: what the odometer has counted, or the estimate until it has.
    /// - Parameters:
    ///   - meters: the odometer's total at the end.
    ///   - isFinal: whether the odometer will not count more.
    func gapDistance(untilMeters meters: Double, isFinal: Bool) -> TimelineGapDistance? {
        guard let gap else { return nil }
        guard isDistancePending(untilMeters: meters) else {
            return TimelineGapDistance(meters: max(meters - startMeters, 0), errorMeters: gap.errorMeters)
        }
        // The odometer did not believe the position after the gap, which may be right all the same.
        return isFinal
            ? TimelineGapDistance(meters: 0, errorMeters: gap.meters + gap.errorMeters)
            : TimelineGapDistance(meters: gap.meters, errorMeters: gap.errorMeters)
    }
}
