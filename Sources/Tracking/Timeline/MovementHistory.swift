import OdographCivilTime
import OdographGeodesy

/// The likeliest recent history of the movement.
struct MovementHistory {
    /// Oldest first.
    let windows: [MotionWindow]
    /// The likeliest state at the end of each window.
    private(set) var states: [MovementState]
    let rules: SegmentationRules
    /// The odometer's total at the last fix, metres.
    let totalMeters: Double

    init(_ movement: MovementTracker, totalMeters: Double, rules: SegmentationRules) {
        self.rules = rules
        self.totalMeters = totalMeters
        windows = movement.windows
        let states = movement.mostLikelyStates()
        self.states = states
        if rules.timeline.vehicle == nil { mountShunting() } else { self.states = states.map(\.asVehicleMounted) }
    }

    var parameters: SegmentationParameters { rules.parameters }

    /// Gives the slow times of a vehicle that shunts their kind. Over a short way its mean speed is that of a walk.
    private mutating func mountShunting() {
        let slow = states.indices.filter { states[$0].mode == .foot || states[$0].mode == .stationary }
        for run in slow.runs where !isOnFoot(in: run) {
            for index in run { states[index] = states[index].asVehicleMounted }
        }
    }

    /// Whether most movements in a time are slow enough for a walk, by the speeds that the receiver measured.
    func isOnFoot(in range: ClosedRange<Int>) -> Bool {
        let moving = windows[range].filter {
            $0.speedMetersPerSecond >= parameters.movingThresholdMetersPerSecond && !$0.isReportedStationary
        }
        // The fastest of some speeds is one with noise.
        let fast = moving.count {
            let noise = ReceiverErrorModel.dopplerErrorMetersPerSecond(accuracyMeters: $0.accuracyMeters)
            return $0.fastestMetersPerSecond ?? 0 > parameters.runTransitionMetersPerSecond + noise
        }
        return 2 * fast <= moving.count
    }

    /// Whether it goes back as far as it is meant to.
    var isFull: Bool { windows.count >= MovementTracker.minimumHistoryLength }

    /// The time of the newest window. Nil where there is none.
    var end: Timestamp? { windows.last?.time }

    /// Returns the start of a window. The start of the oldest one is not known: its end is returned.
    func start(of index: Int) -> Timestamp { windows[max(index - 1, 0)].time }

    /// Returns the middle of a window: the best estimate of the time of something that happened in it.
    func midpoint(of index: Int) -> Timestamp {
        let start = start(of: index)
        return start.advanced(bySeconds: windows[index].time.seconds(since: start) / 2)
    }

    /// Returns the first window that ends after a time.
    func firstIndex(endingAfter time: Timestamp) -> Int { windows.firstIndex { $0.time > time } ?? windows.count }

    /// Returns the medians of both coordinates of some windows.
    func medianCenter(of range: Range<Int>) -> Coordinate {
        // The mean of both middle values of an even number. One of them alone would be the eastern and the northern
        // one, and a mirrored track would have another centre.
        func median(_ values: [Double]) -> Double {
            let sorted = values.sorted()
            return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
        }
        let plane = LocalPlane(origin: windows[range.lowerBound].coordinate)
        let points = windows[range].map { plane.eastNorthMeters(of: $0.coordinate) }
        return plane.coordinate(
            of: LocalPoint(
                eastMeters: median(points.map(\.eastMeters)), northMeters: median(points.map(\.northMeters))))
    }

    /// Returns the odometer's total at a time, interpolated between windows, metres.
    func odometerMeters(at time: Timestamp) -> Double {
        guard let first = windows.first, let last = windows.last else { return totalMeters }
        guard time > first.time else { return first.odometerMeters }
        guard let after = windows.firstIndex(where: { $0.time >= time }) else { return last.odometerMeters }
        let (left, right) = (windows[after - 1], windows[after])
        let span = right.time.seconds(since: left.time)
        let share = span > 0 ? time.seconds(since: left.time) / span : 1
        return left.odometerMeters + share * (right.odometerMeters - left.odometerMeters)
    }

    /// Whether the vehicle was at rest in a window between two times.
    func hasRested(from start: Timestamp, to end: Timestamp) -> Bool {
        windows.indices.contains { windows[$0].time > start && windows[$0].time <= end && states[$0].isStationary }
    }

    /// Whether the vehicle was at rest in the window that ends at a time, or the one before.
    func hasRested(near time: Timestamp) -> Bool {
        let index = firstIndex(endingAfter: time)
        return states[max(index - 2, 0)..<index].contains { $0.isStationary }
    }

    /// Whether a window is too long to tell a walk from a vehicle that arrives in it.
    func isLong(_ index: Int) -> Bool {
        windows[index].time.seconds(since: start(of: index)) > rules.longestWindowSeconds
    }

    /// Whether the newest window is long: the fixes are far apart.
    var isSparse: Bool { windows.indices.last.map(isLong) ?? false }

    /// Returns the distance since a time by the odometer, which ignores the noise of a stop, metres.
    func distanceMeters(since begin: Timestamp) -> Double { totalMeters - odometerMeters(at: begin) }

    /// Returns the length of the path between two times by the positions of the windows that move, metres. Positions
    /// that move while the receiver measures a rest glide to their place, as after a cold start.
    func pathMeters(from start: Timestamp, to end: Timestamp) -> Double {
        windows.indices.dropFirst().reduce(0) { sum, index in
            let window = windows[index]
            let before = windows[index - 1]
            let meters = before.coordinate.distanceMeters(to: window.coordinate)
            guard window.time > start, window.time <= end,
                window.speedMetersPerSecond > parameters.movingThresholdMetersPerSecond, !window.isMeasuredRest,
                // A faster step is a jump of the position.
                meters <= rules.fastestMetersPerSecond * window.time.seconds(since: before.time)
            else { return sum }
            return sum + meters
        }
    }

    /// Returns the movement between two times that the odometer took for the noise of a stop. Nil where it has counted
    /// any, or where nothing was far enough to be a movement.
    /// - Parameter counted: the distance that it has counted between these times, metres.
    func missedMovement(
        from start: Timestamp, to end: Timestamp, countedMeters counted: Double
    ) -> MissedMovement? {
        let path = windows.filter { $0.time >= start && $0.time <= end }
        guard counted < TimelineLimits.shortestMovementMeters, let first = path.first, let last = path.last else {
            return nil
        }
        let clear = Self.clearMovementInDrifts * ReceiverErrorModel.driftMeters(accuracyMeters: first.accuracyMeters)
        let farthest = path.map { first.coordinate.distanceMeters(to: $0.coordinate) }.max() ?? 0
        let meters = pathMeters(from: start, to: end) - counted
        guard farthest >= clear, meters > 0 else { return nil }
        return MissedMovement(
            meters: meters, hasReturned: first.coordinate.distanceMeters(to: last.coordinate) < clear, end: end)
    }

    /// A movement this far is none of the receiver, standard errors of its drift.
    private static let clearMovementInDrifts = 4.0

    /// Whether the vehicle moves in the newest window.
    var isMoving: Bool { states.last.map { !$0.isStationary } ?? false }

    /// Whether the newest two windows both move. One alone may be a jump of the position.
    var isClearlyMoving: Bool { states.count >= 2 && states.suffix(2).allSatisfy { !$0.isStationary } }

    /// Whether the newest two windows are faster than a walk, and the one before was not.
    var hasJustResumedDriving: Bool {
        let isFast = windows.suffix(3).map { $0.speedMetersPerSecond >= parameters.walkLimitMetersPerSecond }
        return isFast == [false, true, true]
    }

    /// The duration of the rest that the history ends in, seconds.
    var trailingRestSeconds: Double {
        guard let newest = windows.last else { return 0 }
        return newest.time.seconds(since: windows[states.lastIndex { !$0.isStationary } ?? 0].time)
    }

    /// Whether a window is away from where the vehicle was, by a distance that the odometer has counted between.
    ///
    /// The odometer alone may count the noise of a speed, and positions alone may wander. In a movement both agree;
    /// half of the distance is a bend.
    /// - Parameter meters: the odometer's distance between both, metres.
    func hasMoved(from place: Coordinate, to window: MotionWindow, overMeters meters: Double) -> Bool {
        let step = rules.queueStepMeters
        return meters >= step && place.distanceMeters(to: window.coordinate) >= max(step, meters / 2)
    }

    /// Whether a movement at the speed of a walk since a time is a walk and no queue of vehicles, which halts again and
    /// again, and leads straight on. A run is one only if it is unbroken: a vehicle that shunts turns round as well.
    func isCertain(_ mode: MovementMode, since begin: Timestamp) -> Bool {
        let path = windows.filter { $0.time >= begin }
        guard let first = path.first, let last = path.last else { return false }
        let shortest = rules.certainSegmentSeconds
        let runs = windows.indices.filter {
            start(of: $0) >= begin && !states[$0].isStationary
                && windows[$0].speedMetersPerSecond >= rules.movingThresholdMetersPerSecond
        }.runs
        let isUnbroken = runs.contains {
            windows[$0.upperBound].time.seconds(since: start(of: $0.lowerBound)) >= shortest
        }
        return isUnbroken
            || (mode != .running || path.allSatisfy { $0.reportedMetersPerSecond == nil })
                && last.time.seconds(since: begin) >= shortest
                && first.coordinate.distanceMeters(to: last.coordinate) < rules.minimumStraightness
                    * pathMeters(from: begin, to: last.time)
    }

    /// Whether two windows in a row between two times were faster than a run across the street.
    func hasDriven(from start: Timestamp, to end: Timestamp) -> Bool {
        let isFast = windows.filter { $0.time > start && $0.time <= end }
            .map { $0.speedMetersPerSecond >= parameters.runLimitMetersPerSecond }
        return zip(isFast, isFast.dropFirst()).contains { $0 && $1 }
    }

    /// Whether the newest windows are all at a place.
    func hasReturned(to center: Coordinate, radiusMeters: Double) -> Bool {
        windows.suffix(DepartureParameters.returnWindowCount).allSatisfy {
            center.distanceMeters(to: $0.coordinate) <= radiusMeters
        }
    }

    /// Returns the window in which the movement began that had led out of a place by the start of a window.
    func departureIndex(before index: Int) -> Int {
        let left = start(of: index)
        var first = index
        while first > 1, !states[first - 1].isStationary,
            left.seconds(since: start(of: first - 1)) <= DepartureParameters.longestDepartureSeconds
        {
            first -= 1
        }
        return first
    }

    /// Returns the probability of a vehicle against a bicycle, 0 to 1, in the last window on wheels between two times.
    /// Nil where there is none.
    ///
    /// It sums all histories. The likeliest one alone pays for each change between driving and crawling, which a
    /// cyclist does not have.
    func vehicleProbability(from start: Timestamp, to end: Timestamp) -> Double? {
        windows.indices.last { index in
            windows[index].time > start && windows[index].time <= end && !states[index].isStationary
                && states[index].mode.isOnWheels
        }.map { windows[$0].vehicleProbability }
    }

    /// Returns the mode of most of the time between two times; a halt has the mode of the trip. Nil without movement.
    func dominantMode(from start: Timestamp, to end: Timestamp) -> MovementMode? {
        var seconds: [MovementMode: Double] = [:]
        for index in windows.indices where windows[index].time > start && windows[index].time <= end {
            seconds[states[index].mode, default: 0] += windows[index].time.seconds(since: self.start(of: index))
        }
        seconds[.stationary] = nil
        return seconds.filter { $0.value > 0 }.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key
    }

    /// Returns the mode that the fastest window since a time tells. Nil where there is none. It is for a way that the
    /// odometer has measured, and in which the movement model, which expects a ride to last, has seen only rest.
    func modeBySpeed(since begin: Timestamp) -> MovementMode? {
        windows.filter { $0.time > begin }.map(\.speedMetersPerSecond).max().map {
            $0 >= parameters.walkLimitMetersPerSecond || rules.timeline.vehicle != nil ? .vehicle : .foot
        }
    }

    /// Returns the mode of the last windows with only one, halts included, and the start of that time.
    func trailingMode(
        after limit: Timestamp, before end: Timestamp? = nil
    ) -> (mode: MovementMode, start: Timestamp)? {
        var found: (mode: MovementMode, start: Timestamp)?
        let last = end ?? windows.last?.time ?? limit
        for index in windows.indices.reversed() where windows[index].time > limit && windows[index].time <= last {
            let mode = states[index].mode
            if mode == .stationary { continue }
            if let known = found, known.mode != mode { break }
            found = (mode, start(of: index))
        }
        return found
    }
}

extension Sequence<Int> {
    /// The runs of consecutive numbers in an ascending sequence.
    var runs: [ClosedRange<Int>] {
        reduce(into: []) { runs, number in
            if let last = runs.last, last.upperBound == number - 1 {
                runs[runs.count - 1] = last.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
    }
}
