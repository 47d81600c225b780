import OdographCivilTime
import OdographGeodesy

/// A walk from a vehicle that stands and back to it.
struct WalkFromVehicle: Equatable {
    var exitTime: Timestamp
    /// The time at which the vehicle goes on, less the time to get in.
    var returnTime: Timestamp
    /// The length of the walk by the positions, metres.
    var meters: Double
}

/// Finds walks from a vehicle and back. They differ from halts in traffic: a person comes back to the vehicle, and a
/// queue moves on.
struct WalkDetector {
    let history: MovementHistory

    private var windows: [MotionWindow] { history.windows }
    private var parameters: SegmentationParameters { history.parameters }

    /// Returns the walks in all slow times after a time, oldest first.
    func walks(after limit: Timestamp) -> [WalkFromVehicle] { slowRanges(after: limit).flatMap(walks(in:)) }

    /// Returns the walks between two times, oldest first.
    func walks(from start: Timestamp, to end: Timestamp) -> [WalkFromVehicle] {
        let first = history.firstIndex(endingAfter: start)
        let last = min(history.firstIndex(endingAfter: end), windows.count - 1)
        return first <= last ? walks(in: first...last) : []
    }

    /// Returns the time at which a person left the vehicle who is out of it at the end. Nil where there is none.
    func lastExitTime(after limit: Timestamp) -> Timestamp? {
        guard let slow = slowRanges(after: limit).last, slow.upperBound == windows.count - 1,
            let exit = slow.first(where: isStopped)
        else { return nil }
        let rest = exit...slow.upperBound
        let isAway = rest.contains { distanceMeters(from: exit, to: $0) >= 4 * driftMeters(at: exit) }
        let walked = rest.count { parameters.walkMetersPerSecond.contains(windows[$0].speedMetersPerSecond) }
        return isAway && walked >= 2 ? history.midpoint(of: exit) : nil
    }

    /// Returns the time of the first rest in the slow windows around a time.
    func restStart(near time: Timestamp, after limit: Timestamp) -> Timestamp {
        let index = min(history.firstIndex(endingAfter: time), windows.count - 1)
        var first = index
        while first > 0, windows[first - 1].time > limit, isSlow(first - 1) { first -= 1 }
        return max((first...index).first(where: isStopped).map(history.midpoint(of:)) ?? time, limit)
    }

    private func walks(in slow: ClosedRange<Int>) -> [WalkFromVehicle] {
        var walks: [WalkFromVehicle] = []
        var exit = slow.lowerBound
        while exit <= slow.upperBound {
            guard isStopped(exit), let back = lastReturnIndex(to: exit, in: slow) else {
                exit += 1
                continue
            }
            let start = history.midpoint(of: exit)
            let end = max(boardingTime(before: back, in: slow), start)
            walks.append(WalkFromVehicle(exitTime: start, returnTime: end, meters: pathMeters(from: start, to: end)))
            exit = back + 1
        }
        return walks
    }

    /// Returns the last window in which a person is back at the vehicle after being clearly away from it. Nil where
    /// there is none.
    private func lastReturnIndex(to exit: Int, in slow: ClosedRange<Int>) -> Int? {
        let drift = driftMeters(at: exit)
        var farthest = 0.0
        var walked = 0
        var back: Int?
        for index in (exit...slow.upperBound).dropFirst() {
            let window = windows[index]
            guard window.time.seconds(since: history.start(of: index)) <= parameters.longestWindowSeconds else { break }
            let distance = distanceMeters(from: exit, to: index)
            farthest = max(farthest, distance)
            if parameters.walkMetersPerSecond.contains(window.speedMetersPerSecond), !window.isReportedStationary {
                walked += 1
            }
            // Four standard errors away, and two of them nearer again.
            if farthest >= 4 * drift, walked >= 2, distance <= min(parameters.returnRadiusMeters, farthest - 2 * drift),
                window.time.seconds(since: windows[exit].time) >= parameters.shortestWalkFromVehicleSeconds
            {
                back = index
            }
        }
        return back
    }

    /// Returns the start of the ride that goes on after a window of rest.
    private func boardingTime(before index: Int, in slow: ClosedRange<Int>) -> Timestamp {
        var last = index
        while last > slow.lowerBound, index - last < 3, index + 2 > slow.upperBound,
            windows[last].speedMetersPerSecond > parameters.movingThresholdMetersPerSecond
        {
            last -= 1
        }
        return windows[last].time.advanced(bySeconds: -parameters.boardingSeconds)
    }

    private func slowRanges(after limit: Timestamp) -> [ClosedRange<Int>] {
        windows.indices.filter { windows[$0].time > limit && isSlow($0) }.runs
    }

    /// Whether a window is as slow as a walk, or as a run between two such windows.
    private func isSlow(_ index: Int) -> Bool {
        func isWalk(_ index: Int) -> Bool { windows[index].speedMetersPerSecond < parameters.walkLimitMetersPerSecond }
        if isWalk(index) { return true }
        return windows[index].speedMetersPerSecond < parameters.runLimitMetersPerSecond && index > 0
            && index + 1 < windows.count && isWalk(index - 1) && isWalk(index + 1)
    }

    private func isStopped(_ index: Int) -> Bool {
        windows[index].speedMetersPerSecond <= parameters.stoppedThresholdMetersPerSecond
    }

    private func driftMeters(at index: Int) -> Double {
        ReceiverErrorModel.driftMeters(accuracyMeters: windows[index].accuracyMeters)
    }

    private func distanceMeters(from first: Int, to second: Int) -> Double {
        windows[first].coordinate.distanceMeters(to: windows[second].coordinate)
    }

    /// Returns the length of the path between two times by the positions of the windows that move, metres.
    private func pathMeters(from start: Timestamp, to end: Timestamp) -> Double {
        windows.indices.dropFirst().reduce(0) { sum, index in
            let window = windows[index]
            guard window.time > start, window.time <= end,
                window.speedMetersPerSecond > parameters.movingThresholdMetersPerSecond
            else { return sum }
            return sum + distanceMeters(from: index - 1, to: index)
        }
    }
}
