import CivilTime
import Geodesy

/// A time away from a vehicle that stands: from its halt to just before it goes on.
struct Outing: Equatable {
    var leave: Timestamp
    var back: Timestamp
}

/// Outings are known from a halt in traffic: who leaves a vehicle comes back to it, while a queue moves on.
extension MovementHistory {
    /// Whether the vehicle has just gone on: the newest two epochs are faster than a walk, and the one before was not.
    var hasJustGoneOn: Bool {
        let count = epochs.count
        guard count >= 3 else { return false }
        let limit = figures.walkLimitMetersPerSecond
        return epochs[count - 1].speedMetersPerSecond >= limit && epochs[count - 2].speedMetersPerSecond >= limit
            && epochs[count - 3].speedMetersPerSecond < limit
    }

    /// Whether two epochs in a row between two instants were faster than a dash across the street.
    func hasDriven(from start: Timestamp, to end: Timestamp) -> Bool {
        var run = 0
        for epoch in epochs where epoch.time > start && epoch.time <= end {
            run = epoch.speedMetersPerSecond >= figures.runLimitMetersPerSecond ? run + 1 : 0
            if run >= 2 { return true }
        }
        return false
    }

    /// All runs of slow epochs after an instant, oldest first.
    func slowStretches(after limit: Timestamp) -> [ClosedRange<Int>] {
        var stretches: [ClosedRange<Int>] = []
        for index in epochs.indices where epochs[index].time > limit && isSlow(index) {
            if let last = stretches.last, last.upperBound == index - 1 {
                stretches[stretches.count - 1] = last.lowerBound...index
            } else {
                stretches.append(index...index)
            }
        }
        return stretches
    }

    /// What outings there were between two instants.
    func outings(from start: Timestamp, to end: Timestamp) -> [Outing] {
        let first = index(after: start)
        let last = min(index(after: end), epochs.count - 1)
        return first <= last ? outings(in: first...last) : []
    }

    /// When somebody left the vehicle who is out of it at the end; nil where nobody is.
    func lastLeave(after limit: Timestamp) -> Timestamp? {
        guard !isAboard, let stretch = slowStretches(after: limit).last, stretch.upperBound == epochs.count - 1,
            let leave = stretch.first(where: { epochs[$0].speedMetersPerSecond <= figures.restMetersPerSecond })
        else { return nil }
        let drift = FixNoise.driftMeters(accuracyMeters: epochs[leave].accuracyMeters)
        let rest = leave...stretch.upperBound
        let isAway = rest.contains { epochs[leave].coordinate.distanceMeters(to: epochs[$0].coordinate) >= 4 * drift }
        let walked = rest.count { figures.walkMetersPerSecond.contains(epochs[$0].speedMetersPerSecond) }
        return isAway && walked >= 2 ? middle(of: leave) : nil
    }

    /// The way between two instants by the positions of the epochs that moved, metres.
    func wayMeters(from start: Timestamp, to end: Timestamp) -> Double {
        epochs.indices.dropFirst().reduce(0) { sum, index in
            let epoch = epochs[index]
            guard epoch.time > start, epoch.time <= end,
                epoch.speedMetersPerSecond > figures.standMetersPerSecond
            else { return sum }
            return sum + epochs[index - 1].coordinate.distanceMeters(to: epoch.coordinate)
        }
    }

    /// What outings there were from a vehicle in a slow stretch, oldest first.
    func outings(in stretch: ClosedRange<Int>) -> [Outing] {
        if isAboard { return [] }
        var outings: [Outing] = []
        var leave = stretch.lowerBound
        while leave <= stretch.upperBound {
            guard epochs[leave].speedMetersPerSecond <= figures.restMetersPerSecond,
                let back = lastReturn(to: leave, in: stretch)
            else {
                leave += 1
                continue
            }
            outings.append(
                Outing(leave: middle(of: leave), back: max(boarding(before: back, in: stretch), middle(of: leave))))
            leave = back + 1
        }
        return outings
    }

    /// When who rests at an instant came to rest: the first rest of the slow stretch around it.
    func restStart(near time: Timestamp, after limit: Timestamp) -> Timestamp {
        let index = min(self.index(after: time), epochs.count - 1)
        var first = index
        while first > 0, epochs[first - 1].time > limit, isSlow(first - 1) { first -= 1 }
        let rest = (first...index).first { epochs[$0].speedMetersPerSecond <= figures.restMetersPerSecond }
        return max(rest.map(middle(of:)) ?? time, limit)
    }

    /// When the ride began that goes on after an epoch of rest.
    func boarding(before index: Int, in stretch: ClosedRange<Int>) -> Timestamp {
        var last = index
        while last > stretch.lowerBound, index - last < 3, index + 2 > stretch.upperBound,
            epochs[last].speedMetersPerSecond > figures.standMetersPerSecond
        {
            last -= 1
        }
        return epochs[last].time.advanced(bySeconds: -figures.boardingSeconds)
    }

    /// The last epoch of a stretch in which somebody is back where he left, having been away clearly farther than that.
    private func lastReturn(to leave: Int, in stretch: ClosedRange<Int>) -> Int? {
        let place = epochs[leave].coordinate
        let drift = FixNoise.driftMeters(accuracyMeters: epochs[leave].accuracyMeters)
        var farthest = 0.0
        var walked = 0
        var back: Int?
        for index in (leave...stretch.upperBound).dropFirst() {
            let epoch = epochs[index]
            guard epoch.time.seconds(since: start(of: index)) <= figures.longestEpochSeconds else { break }
            let distance = place.distanceMeters(to: epoch.coordinate)
            farthest = max(farthest, distance)
            if figures.walkMetersPerSecond.contains(epoch.speedMetersPerSecond), !epoch.isSaidToStand { walked += 1 }
            // Four standard errors out, and half of them more than what is left on the way back.
            if farthest >= 4 * drift, walked >= 2, distance <= min(figures.returnMeters, farthest - 2 * drift),
                epoch.time.seconds(since: epochs[leave].time) >= figures.shortestOutingSeconds
            {
                back = index
            }
        }
        return back
    }

    private func isSlow(_ index: Int) -> Bool {
        func isWalk(_ index: Int) -> Bool {
            epochs[index].speedMetersPerSecond < figures.walkLimitMetersPerSecond
        }
        if isWalk(index) { return true }
        return epochs[index].speedMetersPerSecond < figures.runLimitMetersPerSecond && index > 0
            && index + 1 < epochs.count && isWalk(index - 1) && isWalk(index + 1)
    }
}
