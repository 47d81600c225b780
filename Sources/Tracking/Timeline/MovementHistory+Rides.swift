import CivilTime
import Geodesy

/// Short rides between walks, as of somebody who delivers: told by speeds that nobody walks at.
extension MovementHistory {
    /// So many epochs before its fast ones a ride can have begun: driving off, out of a parking space.
    private static let drivingOffWindowCount = 3

    /// The ride that the history ends in, or has just ended in: its fast epochs; nil where there is none.
    func newestRide(after limit: Timestamp) -> ClosedRange<Int>? {
        guard let newest = windows.indices.last else { return nil }
        return rides(after: limit).last.flatMap { newest - $0.upperBound <= 1 ? $0 : nil }
    }

    /// The fast epochs of each ride after an instant, oldest first.
    func rides(after limit: Timestamp) -> [ClosedRange<Int>] {
        var rides: [ClosedRange<Int>] = []
        for index in firstIndex(endingAfter: limit)..<windows.count where isRide(index, after: limit) {
            if let last = rides.last, last.upperBound == index - 1 {
                rides[rides.count - 1] = last.lowerBound...index
            } else {
                rides.append(index...index)
            }
        }
        return rides
    }

    /// When a ride began whose first fast epoch is known: at the end of the rest before it.
    func boardingTime(ofRideAt first: Int, after limit: Timestamp) -> Timestamp {
        let earliest = max(first - 1 - Self.drivingOffWindowCount, 0)
        let rest = (earliest..<max(first, 1)).last {
            windows[$0].speedMetersPerSecond <= parameters.movingThresholdMetersPerSecond
        }
        let begin = windows[rest ?? max(first - 1, 0)].time
        return max(begin.advanced(bySeconds: -parameters.boardingSeconds), limit)
    }

    /// Whether it was on wheels in an epoch and in the one before or after at speeds that nobody walks at.
    private func isRide(_ index: Int, after limit: Timestamp) -> Bool {
        isRide(index - 1, index, after: limit) || isRide(index, index + 1, after: limit)
    }

    private func isRide(_ earlier: Int, _ later: Int, after limit: Timestamp) -> Bool {
        guard earlier >= 0, later < windows.count, start(of: earlier) >= limit else { return false }
        let speeds = [windows[earlier].speedMetersPerSecond, windows[later].speedMetersPerSecond]
        return speeds.allSatisfy { $0 >= parameters.fastWalkMetersPerSecond }
            && speeds.contains { $0 >= parameters.rideMetersPerSecond }
            && [earlier, later].allSatisfy { states[$0].mode.isOnWheels }
            && hasNetDisplacement(from: max(earlier - 2, 0), to: later)
    }

    /// Whether it led somewhere: a jump of the position comes back.
    private func hasNetDisplacement(from first: Int, to last: Int) -> Bool {
        let way = (first..<last).reduce(0) {
            $0 + windows[$1].coordinate.distanceMeters(to: windows[$1 + 1].coordinate)
        }
        return windows[first].coordinate.distanceMeters(to: windows[last].coordinate) >= parameters.minimumStraightness
            * way
    }
}
