import CivilTime
import Geodesy

/// A time away from a vehicle that stands: from its halt to just before it goes on.
struct WalkFromVehicle: Equatable {
    var exitTime: Timestamp
    var returnTime: Timestamp
}

/// Outings are known from a halt in traffic: who leaves a vehicle comes back to it, while a queue moves on.
extension MovementHistory {
    /// Whether the vehicle has just gone on: the newest two epochs are faster than a walk, and the one before was not.
    var hasJustResumedDriving: Bool {
        let count = windows.count
        guard count >= 3 else { return false }
        let limit = parameters.walkLimitMetersPerSecond
        return windows[count - 1].speedMetersPerSecond >= limit && windows[count - 2].speedMetersPerSecond >= limit
            && windows[count - 3].speedMetersPerSecond < limit
    }

    /// Whether two epochs in a row between two instants were faster than a dash across the street.
    func hasDriven(from start: Timestamp, to end: Timestamp) -> Bool {
        var run = 0
        for epoch in windows where epoch.time > start && epoch.time <= end {
            run = epoch.speedMetersPerSecond >= parameters.runLimitMetersPerSecond ? run + 1 : 0
            if run >= 2 { return true }
        }
        return false
    }

    /// All runs of slow epochs after an instant, oldest first.
    func slowRanges(after limit: Timestamp) -> [ClosedRange<Int>] {
        var stretches: [ClosedRange<Int>] = []
        for index in windows.indices where windows[index].time > limit && isSlow(index) {
            if let last = stretches.last, last.upperBound == index - 1 {
                stretches[stretches.count - 1] = last.lowerBound...index
            } else {
                stretches.append(index...index)
            }
        }
        return stretches
    }

    /// What outings there were between two instants.
    func walksFromVehicle(from start: Timestamp, to end: Timestamp) -> [WalkFromVehicle] {
        let first = firstIndex(endingAfter: start)
        let last = min(firstIndex(endingAfter: end), windows.count - 1)
        return first <= last ? walksFromVehicle(in: first...last) : []
    }

    /// When somebody left the vehicle who is out of it at the end; nil where nobody is.
    func lastVehicleExitTime(after limit: Timestamp) -> Timestamp? {
        guard !isVehicleMounted, let stretch = slowRanges(after: limit).last, stretch.upperBound == windows.count - 1,
            let leave = stretch.first(where: {
                windows[$0].speedMetersPerSecond <= parameters.stoppedThresholdMetersPerSecond
            })
        else { return nil }
        let drift = ReceiverErrorModel.driftMeters(accuracyMeters: windows[leave].accuracyMeters)
        let rest = leave...stretch.upperBound
        let isAway = rest.contains { windows[leave].coordinate.distanceMeters(to: windows[$0].coordinate) >= 4 * drift }
        let walked = rest.count { parameters.walkMetersPerSecond.contains(windows[$0].speedMetersPerSecond) }
        return isAway && walked >= 2 ? midpoint(of: leave) : nil
    }

    /// The way between two instants by the positions of the epochs that moved, metres.
    func pathMeters(from start: Timestamp, to end: Timestamp) -> Double {
        windows.indices.dropFirst().reduce(0) { sum, index in
            let epoch = windows[index]
            guard epoch.time > start, epoch.time <= end,
                epoch.speedMetersPerSecond > parameters.movingThresholdMetersPerSecond
            else { return sum }
            return sum + windows[index - 1].coordinate.distanceMeters(to: epoch.coordinate)
        }
    }

    /// What outings there were from a vehicle in a slow stretch, oldest first.
    func walksFromVehicle(in stretch: ClosedRange<Int>) -> [WalkFromVehicle] {
        if isVehicleMounted { return [] }
        var outings: [WalkFromVehicle] = []
        var leave = stretch.lowerBound
        while leave <= stretch.upperBound {
            guard windows[leave].speedMetersPerSecond <= parameters.stoppedThresholdMetersPerSecond,
                let back = lastReturnIndex(to: leave, in: stretch)
            else {
                leave += 1
                continue
            }
            outings.append(
                WalkFromVehicle(
                    exitTime: midpoint(of: leave),
                    returnTime: max(boardingTime(before: back, in: stretch), midpoint(of: leave))))
            leave = back + 1
        }
        return outings
    }

    /// When who rests at an instant came to rest: the first rest of the slow stretch around it.
    func restStart(near time: Timestamp, after limit: Timestamp) -> Timestamp {
        let index = min(self.firstIndex(endingAfter: time), windows.count - 1)
        var first = index
        while first > 0, windows[first - 1].time > limit, isSlow(first - 1) { first -= 1 }
        let rest = (first...index).first {
            windows[$0].speedMetersPerSecond <= parameters.stoppedThresholdMetersPerSecond
        }
        return max(rest.map(midpoint(of:)) ?? time, limit)
    }

    /// When the ride began that goes on after an epoch of rest.
    func boardingTime(before index: Int, in stretch: ClosedRange<Int>) -> Timestamp {
        var last = index
        while last > stretch.lowerBound, index - last < 3, index + 2 > stretch.upperBound,
            windows[last].speedMetersPerSecond > parameters.movingThresholdMetersPerSecond
        {
            last -= 1
        }
        return windows[last].time.advanced(bySeconds: -parameters.boardingSeconds)
    }

    /// The last epoch of a stretch in which somebody is back where he left, having been away clearly farther than that.
    private func lastReturnIndex(to leave: Int, in stretch: ClosedRange<Int>) -> Int? {
        let place = windows[leave].coordinate
        let drift = ReceiverErrorModel.driftMeters(accuracyMeters: windows[leave].accuracyMeters)
        var farthest = 0.0
        var walked = 0
        var back: Int?
        for index in (leave...stretch.upperBound).dropFirst() {
            let epoch = windows[index]
            guard epoch.time.seconds(since: start(of: index)) <= parameters.longestWindowSeconds else { break }
            let distance = place.distanceMeters(to: epoch.coordinate)
            farthest = max(farthest, distance)
            if parameters.walkMetersPerSecond.contains(epoch.speedMetersPerSecond), !epoch.isReportedStationary {
                walked += 1
            }
            // Four standard errors out, and half of them more than what is left on the way back.
            if farthest >= 4 * drift, walked >= 2, distance <= min(parameters.returnRadiusMeters, farthest - 2 * drift),
                epoch.time.seconds(since: windows[leave].time) >= parameters.shortestWalkFromVehicleSeconds
            {
                back = index
            }
        }
        return back
    }

    private func isSlow(_ index: Int) -> Bool {
        func isWalk(_ index: Int) -> Bool {
            windows[index].speedMetersPerSecond < parameters.walkLimitMetersPerSecond
        }
        if isWalk(index) { return true }
        return windows[index].speedMetersPerSecond < parameters.runLimitMetersPerSecond && index > 0
            && index + 1 < windows.count && isWalk(index - 1) && isWalk(index + 1)
    }
}
