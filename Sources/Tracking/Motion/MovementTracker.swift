import OdographCivilTime
import OdographGeodesy
import Glibc
import OdographModel

/// Follows the movement model window by window: the current probabilities and the most likely history.
struct MovementTracker: Equatable, Sendable, Codable {
    /// The minimum number of windows in the history once as many were measured: 5 min at full rate.
    static let minimumHistoryLength = 60

    /// The current probability of each state.
    private var probabilities = MovementModel.prior
    /// The logarithm of the probability of the most likely history that ends in each state, relative to the best.
    private var logScores = MovementModel.prior.map { log($0) }
    /// The windows of the history, oldest first.
    private(set) var windows: [MotionWindow] = []

    /// Adds the measurement of a window.
    /// - Parameters:
    ///   - historySeconds: the length of the history that is needed, seconds.
    ///   - threshold: the speed up to which a window is a rest, m/s.
    mutating func update(
        with measurement: MotionWindowBuilder.SpeedMeasurement, fix: Fix, odometerMeters: Double, model: MovementModel,
        historySeconds: Double, movingThresholdMetersPerSecond threshold: Double
    ) {
        let speed = measurement.speedMetersPerSecond
        let isNext = measurement.spanSeconds <= MotionWindowBuilder.maximumCommonSeconds
        let noise = measurement.standardErrorMetersPerSecond
        let change = isNext ? windows.last.map { speed - $0.speedMetersPerSecond } : nil
        let likelihoods = model.logLikelihoods(of: measurement, change: change)
        let worth = model.measurementWeight(ofChange: change, noise: noise)
        let origins = step(
            over: model.transitions(withinSeconds: measurement.spanSeconds),
            scored: likelihoods.map { model.parameters.likelihoodExponent * $0 },
            weighed: likelihoods.map { exp(worth * $0) })
        removeOldWindows(at: fix.timestamp, historySeconds: historySeconds)
        windows.append(
            MotionWindow(
                time: fix.timestamp, coordinate: fix.coordinate,
                accuracyMeters: Self.roundedToHundredths(fix.likelyAccuracyMeters),
                odometerMeters: Self.roundedToHundredths(odometerMeters),
                speedMetersPerSecond: Self.roundedToHundredths(measurement.speedMetersPerSecond),
                reportedMetersPerSecond: measurement.reportedMetersPerSecond.map(Self.roundedToHundredths),
                fastestMetersPerSecond: measurement.fastestMetersPerSecond.map(Self.roundedToHundredths),
                backpointers: origins,
                vehicleProbability: Self.roundedToHundredths(vehicleProbability)))
        windows.attributeLateDistance(movingThresholdMetersPerSecond: threshold)
    }

    /// Attributes distance that the odometer counts now to the time before the windows since then.
    mutating func attribute(_ late: LateDistance) {
        for index in windows.indices where windows[index].time >= late.before {
            windows[index].odometerMeters = Self.roundedToHundredths(windows[index].odometerMeters + late.meters)
        }
    }

    /// Removes windows that are too old, before another is added.
    private mutating func removeOldWindows(at time: Timestamp, historySeconds: Double) {
        // The count is limited as well, in case that the receiver's clock is set back.
        let most = Self.minimumHistoryLength + Int(historySeconds / MotionWindowBuilder.lengthSeconds)
        while windows.count >= Self.minimumHistoryLength,
            windows.count >= most || time.seconds(since: windows[1].time) >= historySeconds
        {
            windows.removeFirst()
        }
    }

    /// Takes a step of the Viterbi algorithm (history) and of the forward algorithm (current probabilities).
    /// - Parameters:
    ///   - scored: the logarithm that the measurement adds to the score of each state.
    ///   - weighed: the factor that it applies to the probability of each state.
    /// - Returns: the ``MotionWindow/backpointers``.
    private mutating func step(
        over transitions: MovementModel.Transitions, scored: [Double], weighed: [Double]
    ) -> UInt64 {
        let count = MovementModel.stateCount
        var newScores = [Double](repeating: 0, count: count)
        var newProbabilities = newScores
        var origins: UInt64 = 0
        for to in 0..<count {
            var best = -Double.infinity
            var bestFrom = 0
            var sum = 0.0
            for from in 0..<count {
                let score = logScores[from] + transitions.logProbabilities[from * count + to]
                if score > best {
                    best = score
                    bestFrom = from
                }
                sum += probabilities[from] * transitions.probabilities[from * count + to]
            }
            newScores[to] = best + scored[to]
            newProbabilities[to] = sum * weighed[to]
            origins |= UInt64(bestFrom) << UInt64(4 * to)
        }
        let top = newScores.max() ?? 0
        logScores = newScores.map { $0 - top }
        let total = newProbabilities.reduce(0, +)
        probabilities = newProbabilities.map { $0 / total }
        return origins
    }

    private var vehicleProbability: Double {
        func sum(_ carrier: MovementMode) -> Double {
            MovementState.allCases.reduce(0) { $1.mode == carrier ? $0 + probabilities[$1.rawValue] : $0 }
        }
        let (vehicle, bicycle) = (sum(.vehicle), sum(.bicycle))
        return vehicle + bicycle > 0 ? vehicle / (vehicle + bicycle) : 1
    }

    /// Rounds to hundredths (centimetres), which needs a third of the digits in the saved state.
    private static func roundedToHundredths(_ value: Double) -> Double { (value * 100).rounded() / 100 }

    /// Forgets everything: the next window does not continue the track.
    mutating func reset() {
        self = MovementTracker()
    }

    /// Returns the most likely state at the end of each window, oldest first.
    func mostLikelyStates() -> [MovementState] {
        guard let best = logScores.indices.max(by: { logScores[$0] < logScores[$1] }),
            var movement = MovementState(rawValue: best)
        else { return [] }
        var reversed: [MovementState] = []
        reversed.reserveCapacity(windows.count)
        for window in windows.reversed() {
            reversed.append(movement)
            movement = window.predecessor(of: movement)
        }
        return reversed.reversed()
    }

    /// Returns the current activity and its confidence.
    /// - Parameters:
    ///   - speed: the newest fix's speed, m/s; nil if it has none. The newest window may have ended seconds ago. A
    ///     speed that no runner reaches rules out standing, walking and running at once.
    ///   - vehicle: the vehicle that the receiver is mounted in; nil if it may be carried.
    func activity(
        by figures: MovementParameters, atMetersPerSecond speed: Double?, mountedIn vehicle: TransportMode?
    ) -> Activity {
        guard !windows.isEmpty else { return .unknown }
        var shares = shares(by: figures, mountedIn: vehicle)
        func candidates() -> [(Activity.Kind, Double)] {
            let foot = shares[MovementMode.foot.rawValue] + shares[MovementMode.running.rawValue]
            return [(.still, shares[MovementMode.stationary.rawValue]), (onFootKind(shares), foot)]
        }
        let onWheels: [(Activity.Kind, Double)] = [
            (.onBicycle, shares[MovementMode.bicycle.rawValue]),
            (vehicle == .bicycle ? .onBicycle : .inVehicle, shares[MovementMode.vehicle.rawValue]),
        ]
        let isFast = speed.map { $0 > figures.maximumRunningMetersPerSecond } ?? false
        guard let ride = onWheels.max(by: { $0.1 < $1.1 }) else { return .unknown }
        if isFast || candidates().allSatisfy({ $0.1 <= ride.1 }) {
            return Activity(kind: ride.0, confidencePercent: figures.confidencePercent(ofShare: ride.1))
        }
        movePauses(of: &shares, by: figures)
        guard let best = candidates().max(by: { $0.1 < $1.1 }) else { return .unknown }
        return Activity(kind: best.0, confidencePercent: figures.confidencePercent(ofShare: best.1))
    }

    /// Returns the shares of the modes in the weighted probability.
    private func shares(by figures: MovementParameters, mountedIn vehicle: TransportMode?) -> [Double] {
        var shares = [Double](repeating: 0, count: MovementMode.allCases.count)
        // A halt at a light counts as in a vehicle; the speed shows that the vehicle does not move.
        for movement in MovementState.allCases {
            let carrier = vehicle == nil ? movement.mode : movement.asVehicleMounted.mode
            shares[carrier.rawValue] +=
                probabilities[movement.rawValue] * figures.activityWeight(of: movement)
        }
        let total = shares.reduce(0, +)
        return shares.map { total > 0 ? $0 / total : 0 }
    }

    /// Counts most of the pauses on foot as standing still.
    private func movePauses(of shares: inout [Double], by figures: MovementParameters) {
        let walking = probabilities[MovementState.walking.rawValue]
        let pausing = probabilities[MovementState.pausing.rawValue]
        guard pausing > 0 else { return }
        let moved = shares[MovementMode.foot.rawValue] * (1 - figures.haltWeight) * pausing / (walking + pausing)
        shares[MovementMode.foot.rawValue] -= moved
        shares[MovementMode.stationary.rawValue] += moved
    }

    private func onFootKind(_ shares: [Double]) -> Activity.Kind {
        let walking = shares[MovementMode.foot.rawValue]
        let running = shares[MovementMode.running.rawValue]
        if running > 4 * walking { return .running }
        return walking > 4 * running ? .walking : .onFoot
    }
}
