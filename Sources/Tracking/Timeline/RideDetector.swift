import OdographCivilTime
import OdographGeodesy

/// Finds short rides between walks, as of a courier, by speeds that are faster than a walk.
struct RideDetector {
    /// The longest time between the start of a ride and its fast windows, in windows: driving out of a parking space.
    private static let drivingOffWindowCount = 3

    let history: MovementHistory

    /// Returns the fast windows of the ride that the history ends in, or has just ended in. Nil where there is none.
    func newestRide(after limit: Timestamp) -> ClosedRange<Int>? {
        guard let newest = history.windows.indices.last else { return nil }
        return rides(after: limit).last.flatMap { newest - $0.upperBound <= 1 ? $0 : nil }
    }

    /// Returns the fast windows of each ride after a time, oldest first.
    func rides(after limit: Timestamp) -> [ClosedRange<Int>] {
        let (windows, fastWalk) = (history.windows, history.rules.fastWalkMetersPerSecond)
        return (history.firstIndex(endingAfter: limit)..<windows.count).filter { index in
            windows[index].speedMetersPerSecond >= fastWalk
                && (isRide(index - 1, index, after: limit) || isRide(index, index + 1, after: limit))
        }.runs
    }

    /// Returns the start of a ride with a known first fast window: the end of the rest before it.
    func boardingTime(ofRideAt first: Int, after limit: Timestamp) -> Timestamp {
        let earliest = max(first - 1 - Self.drivingOffWindowCount, 0)
        let rest = (earliest..<max(first, 1)).last {
            history.windows[$0].speedMetersPerSecond <= history.rules.movingThresholdMetersPerSecond
        }
        let begin = history.windows[rest ?? max(first - 1, 0)].time
        return max(begin.advanced(bySeconds: -history.rules.boardingSeconds), limit)
    }

    /// Whether two windows in a row were on wheels and faster than a walk.
    private func isRide(_ earlier: Int, _ later: Int, after limit: Timestamp) -> Bool {
        let windows = history.windows
        guard earlier >= 0, later < windows.count, history.start(of: earlier) >= limit else { return false }
        let speeds = [windows[earlier].speedMetersPerSecond, windows[later].speedMetersPerSecond]
        return speeds.allSatisfy { $0 >= history.rules.fastWalkMetersPerSecond }
            && speeds.contains { $0 >= history.rules.rideMetersPerSecond }
            && [earlier, later].allSatisfy { history.states[$0].mode.isOnWheels }
            && hasNetDisplacement(windows[max(earlier - 2, 0)...later].map(\.coordinate))
    }

    /// Whether a path leads somewhere. A jump of the position comes back.
    private func hasNetDisplacement(_ path: [Coordinate]) -> Bool {
        guard let first = path.first, let last = path.last else { return false }
        let meters = zip(path, path.dropFirst()).reduce(0) { $0 + $1.0.distanceMeters(to: $1.1) }
        return first.distanceMeters(to: last) >= history.rules.minimumStraightness * meters
    }
}
