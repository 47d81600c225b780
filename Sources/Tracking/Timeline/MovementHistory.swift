import CivilTime
import Geodesy

/// The likeliest recent history of the movement, and the questions that the timeline asks of it.
struct MovementHistory {
    let epochs: [Epoch]
    let movements: [Movement]
    let figures: TimelineFigures
    /// Whether the receiver is mounted in a vehicle.
    let isAboard: Bool

    init(_ movement: MovementTracker, rules: TimelineRules) {
        figures = rules.figures
        isAboard = rules.timeline.vehicle != nil
        epochs = movement.epochs
        movements = isAboard ? movement.history().map(\.aboard) : movement.history()
    }

    /// Whether it goes back as far as it is meant to.
    var isFull: Bool { epochs.count >= MovementTracker.leastHistoryLength }

    /// When the epoch began; of the oldest that is not known, and its end stands for it.
    func start(of index: Int) -> Timestamp {
        index > 0 ? epochs[index - 1].time : epochs[index].time
    }

    /// The middle of the epoch: where something happened in it, as near as it can be said.
    func middle(of index: Int) -> Timestamp {
        let start = start(of: index)
        return start.advanced(bySeconds: epochs[index].time.seconds(since: start) / 2)
    }

    /// The first epoch that ends after an instant.
    func index(after time: Timestamp) -> Int {
        epochs.firstIndex { $0.time > time } ?? epochs.count
    }

    /// The odometer's total at an instant, as near as the epochs know it.
    func odometerMeters(at time: Timestamp) -> Double? {
        guard let first = epochs.first else { return nil }
        guard time > first.time else { return first.odometerMeters }
        guard let after = epochs.firstIndex(where: { $0.time >= time }) else { return epochs.last?.odometerMeters }
        let (left, right) = (epochs[after - 1], epochs[after])
        let span = right.time.seconds(since: left.time)
        let share = span > 0 ? time.seconds(since: left.time) / span : 1
        return left.odometerMeters + share * (right.odometerMeters - left.odometerMeters)
    }

    /// How much likelier a vehicle was than a bicycle, of both, as of the last epoch between two instants that moved on
    /// wheels; nil where none did.
    ///
    /// All ways to have been in a vehicle count, not the likeliest alone: that pays for each change between driving and
    /// crawling, which a cyclist does not have.
    func vehicleShare(from start: Timestamp, to end: Timestamp) -> Double? {
        epochs.indices.last { index in
            epochs[index].time > start && epochs[index].time <= end && !movements[index].isHalt
                && movements[index].carrier.isOnWheels
        }.map { epochs[$0].vehicleShare }
    }

    /// The seconds of each carrier after an instant; a rest counts for whoever rests.
    func carrierSeconds(from start: Timestamp, to end: Timestamp) -> [Carrier: Double] {
        var seconds: [Carrier: Double] = [:]
        for index in epochs.indices where epochs[index].time > start && epochs[index].time <= end {
            seconds[movements[index].carrier, default: 0] += epochs[index].time.seconds(since: self.start(of: index))
        }
        seconds[.none] = nil
        return seconds
    }

    /// By whom most of the time was made; nil where nobody moved.
    func mainCarrier(from start: Timestamp, to end: Timestamp) -> Carrier? {
        let seconds = carrierSeconds(from: start, to: end)
        return Carrier.allCases.max { (seconds[$0] ?? 0, $1.rawValue) < (seconds[$1] ?? 0, $0.rawValue) }
            .flatMap { (seconds[$0] ?? 0) > 0 ? $0 : nil }
    }

    /// The last stretch with one carrier, rests in it included.
    func trailingCarrier(
        after limit: Timestamp, before end: Timestamp? = nil
    ) -> (carrier: Carrier, start: Timestamp)? {
        var found: (carrier: Carrier, start: Timestamp)?
        let last = end ?? epochs.last?.time ?? limit
        for index in epochs.indices.reversed() where epochs[index].time > limit && epochs[index].time <= last {
            let carrier = movements[index].carrier
            if carrier == .none { continue }
            if let known = found, known.carrier != carrier { break }
            found = (carrier, start(of: index))
        }
        return found
    }
}
