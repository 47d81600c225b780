import OdographGeodesy

extension [MotionWindow] {
    /// Attributes the distance that the odometer counted in the newest window to the windows in which it was driven.
    ///
    /// At a stop the odometer counts nothing until a departure is certain, and then all of it. The positions show when
    /// that distance was driven: where a window is longer than its count, up to what the newest one has in excess.
    /// - Parameter movingThresholdMetersPerSecond: the speed up to which a window is a rest, m/s.
    mutating func attributeLateDistance(movingThresholdMetersPerSecond: Double) {
        guard count >= 3 else { return }
        var excess = countedMeters(at: count - 1) - meters(at: count - 1)
        guard excess > 0 else { return }
        for index in (1..<(count - 1)).reversed()
        where self[index].speedMetersPerSecond > movingThresholdMetersPerSecond {
            let missing = meters(at: index) - countedMeters(at: index)
            // The odometer was not at a stop here.
            guard excess > 0, missing > 0 else { return }
            let late = Swift.min(missing, excess)
            for later in index..<(count - 1) { self[later].odometerMeters += late }
            excess -= late
        }
    }

    /// Returns the length of a window by its positions, metres.
    private func meters(at index: Int) -> Double {
        self[index - 1].coordinate.distanceMeters(to: self[index].coordinate)
    }

    /// Returns the length of a window by the odometer, metres.
    private func countedMeters(at index: Int) -> Double {
        self[index].odometerMeters - self[index - 1].odometerMeters
    }
}
