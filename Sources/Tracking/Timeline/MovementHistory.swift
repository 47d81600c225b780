import CivilTime
import Geodesy

/// The likeliest recent history of the movement, and the questions that the timeline asks of it.
struct MovementHistory {
    let windows: [MotionWindow]
    let states: [MovementState]
    let parameters: SegmentationParameters
    /// Whether the receiver is mounted in a vehicle.
    let isVehicleMounted: Bool

    init(_ movement: MovementTracker, rules: SegmentationRules) {
        parameters = rules.parameters
        isVehicleMounted = rules.timeline.vehicle != nil
        windows = movement.windows
        states = isVehicleMounted ? movement.mostLikelyStates().map(\.asVehicleMounted) : movement.mostLikelyStates()
    }

    /// Whether it goes back as far as it is meant to.
    var isFull: Bool { windows.count >= MovementTracker.minimumHistoryLength }

    /// When the epoch began; of the oldest that is not known, and its end stands for it.
    func start(of index: Int) -> Timestamp {
        index > 0 ? windows[index - 1].time : windows[index].time
    }

    /// The middle of the epoch: where something happened in it, as near as it can be said.
    func midpoint(of index: Int) -> Timestamp {
        let start = start(of: index)
        return start.advanced(bySeconds: windows[index].time.seconds(since: start) / 2)
    }

    /// The first epoch that ends after an instant.
    func firstIndex(endingAfter time: Timestamp) -> Int {
        windows.firstIndex { $0.time > time } ?? windows.count
    }

    /// The odometer's total at an instant, as near as the epochs know it.
    func odometerMeters(at time: Timestamp) -> Double? {
        guard let first = windows.first else { return nil }
        guard time > first.time else { return first.odometerMeters }
        guard let after = windows.firstIndex(where: { $0.time >= time }) else { return windows.last?.odometerMeters }
        let (left, right) = (windows[after - 1], windows[after])
        let span = right.time.seconds(since: left.time)
        let share = span > 0 ? time.seconds(since: left.time) / span : 1
        return left.odometerMeters + share * (right.odometerMeters - left.odometerMeters)
    }

    /// How much likelier a vehicle was than a bicycle, of both, as of the last epoch between two instants that moved on
    /// wheels; nil where none did.
    ///
    /// All ways to have been in a vehicle count, not the likeliest alone: that pays for each change between driving and
    /// crawling, which a cyclist does not have.
    func vehicleProbability(from start: Timestamp, to end: Timestamp) -> Double? {
        windows.indices.last { index in
            windows[index].time > start && windows[index].time <= end && !states[index].isStationary
                && states[index].mode.isOnWheels
        }.map { windows[$0].vehicleProbability }
    }

    /// The seconds of each carrier after an instant; a rest counts for whoever rests.
    func modeSeconds(from start: Timestamp, to end: Timestamp) -> [MovementMode: Double] {
        var seconds: [MovementMode: Double] = [:]
        for index in windows.indices where windows[index].time > start && windows[index].time <= end {
            seconds[states[index].mode, default: 0] += windows[index].time.seconds(since: self.start(of: index))
        }
        seconds[.stationary] = nil
        return seconds
    }

    /// By whom most of the time was made; nil where nobody moved.
    func dominantMode(from start: Timestamp, to end: Timestamp) -> MovementMode? {
        let seconds = modeSeconds(from: start, to: end)
        return MovementMode.allCases.max { (seconds[$0] ?? 0, $1.rawValue) < (seconds[$1] ?? 0, $0.rawValue) }
            .flatMap { (seconds[$0] ?? 0) > 0 ? $0 : nil }
    }

    /// The last stretch with one carrier, rests in it included.
    func trailingMode(
        after limit: Timestamp, before end: Timestamp? = nil
    ) -> (carrier: MovementMode, start: Timestamp)? {
        var found: (carrier: MovementMode, start: Timestamp)?
        let last = end ?? windows.last?.time ?? limit
        for index in windows.indices.reversed() where windows[index].time > limit && windows[index].time <= last {
            let carrier = states[index].mode
            if carrier == .stationary { continue }
            if let known = found, known.carrier != carrier { break }
            found = (carrier, start(of: index))
        }
        return found
    }
}
