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
        let isAway = rest.contains { distanceMeters(from: exit, to: $0) >= 4 * driftMeters(at: exit, and: $0) }
        let walked = rest.count { parameters.walkMetersPerSecond.contains(windows[$0].speedMetersPerSecond) }
        return isAway && walked >= 2 && history.isOnFoot(in: rest) ? history.midpoint(of: exit) : nil
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
            guard isStopped(exit), let back = lastReturnIndex(to: exit, in: slow), history.isOnFoot(in: exit...back)
            else {
                exit += 1
                continue
            }
            let start = history.midpoint(of: exit)
            let end = max(boardingTime(before: back, in: slow), start)
            walks.append(
                WalkFromVehicle(exitTime: start, returnTime: end, meters: history.pathMeters(from: start, to: end)))
            exit = back + 1
        }
        return walks
    }

    /// Returns the last window in which a person is back at the vehicle after being clearly away from it. Nil where
    /// there is none.
    private func lastReturnIndex(to exit: Int, in slow: ClosedRange<Int>) -> Int? {
        // The largest distance, in standard errors and in metres.
        var farthestDrifts = 0.0
        var farthest = 0.0
        // The windows at the speed of a walk, and those until the largest distance.
        var walked = 0
        var walkedOut = 0
        var back: Int?
        for index in (exit...slow.upperBound).dropFirst() {
            let window = windows[index]
            // A receiver that reports nothing at rest shows no walk in that time, and hides no walk before and after
            // it.
            guard !history.isLong(index) else { continue }
            let distance = distanceMeters(from: exit, to: index)
            let drift = driftMeters(at: exit, and: index)
            farthestDrifts = max(farthestDrifts, distance / drift)
            if parameters.walkMetersPerSecond.contains(window.speedMetersPerSecond), !window.isReportedStationary {
                walked += 1
            }
            if distance > farthest {
                farthest = distance
                walkedOut = walked
            }
            // Four standard errors away, and two of them nearer again, on foot both ways. Over minutes the position of
            // a vehicle at rest wanders as far, but slower than a walk, and then it drives off slowly.
            let hasReturned =
                farthestDrifts >= 4 && distance <= min(parameters.returnRadiusMeters, farthest - 2 * drift)
            if hasReturned, walkedOut >= 1, walked > walkedOut,
                window.time.seconds(since: windows[exit].time) >= parameters.shortestProvenSegmentSeconds
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

    /// Returns the standard error of the distance between two windows. The worse of both positions decides: a receiver
    /// that loses satellites at a stop moves without a walk.
    private func driftMeters(at first: Int, and second: Int) -> Double {
        ReceiverErrorModel.driftMeters(
            accuracyMeters: max(windows[first].accuracyMeters, windows[second].accuracyMeters))
    }

    private func distanceMeters(from first: Int, to second: Int) -> Double {
        windows[first].coordinate.distanceMeters(to: windows[second].coordinate)
    }
}
