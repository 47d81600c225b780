import CivilTime
import Geodesy
import Glibc

/// Follows the movement model along the epochs: what it is now and how sure, and the likeliest history.
struct MovementTracker: Equatable, Sendable, Codable {
    /// So many epochs the history goes back at least, once there were as many: 5 min at full rate.
    static let minimumHistoryLength = 60

    /// The probability of each state now.
    private var probabilities = MovementModel.prior
    /// The logarithm of the probability of the likeliest history that ends in each state, less that of the best.
    private var logScores = MovementModel.prior.map { log($0) }
    /// Oldest first.
    private(set) var windows: [MotionWindow] = []

    /// Takes the measurement of an epoch.
    /// - Parameter historySeconds: as far back the history is asked about, seconds.
    mutating func update(
        with measurement: MotionWindowBuilder.SpeedMeasurement, fix: Fix, odometerMeters: Double, model: MovementModel,
        historySeconds: Double
    ) {
        let speed = measurement.speedMetersPerSecond
        let isNext = measurement.spanSeconds <= 2 * MotionWindowBuilder.lengthSeconds
        let noise = measurement.standardErrorMetersPerSecond
        let change = isNext ? windows.last.map { speed - $0.speedMetersPerSecond } : nil
        let likelihoods = model.logLikelihoods(ofSpeed: speed, noise: noise, change: change)
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
                backpointers: origins,
                vehicleProbability: Self.roundedToHundredths(vehicleProbability)))
    }

    /// Makes room for another epoch.
    private mutating func removeOldWindows(at time: Timestamp, historySeconds: Double) {
        // A receiver's clock that was set back must not make the history endless.
        let most = Self.minimumHistoryLength + Int(historySeconds / MotionWindowBuilder.lengthSeconds)
        while windows.count >= Self.minimumHistoryLength,
            windows.count >= most || time.seconds(since: windows[1].time) >= historySeconds
        {
            windows.removeFirst()
        }
    }

    /// A step of the Viterbi algorithm for the likeliest history, and of the forward algorithm for what is likely now.
    /// - Parameters:
    ///   - scored: what the measurement adds to the score of each state.
    ///   - weighed: what it multiplies the probability of each state by.
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

    /// To hundredths, so centimetres: that takes a third of the digits in the saved state.
    private static func roundedToHundredths(_ value: Double) -> Double { (value * 100).rounded() / 100 }

    /// What comes next has nothing to do with what was.
    mutating func reset() {
        self = MovementTracker()
    }

    /// The likeliest state at the end of each epoch, oldest first.
    func mostLikelyStates() -> [MovementState] {
        guard let best = logScores.indices.max(by: { logScores[$0] < logScores[$1] }),
            var movement = MovementState(rawValue: best)
        else { return [] }
        var reversed: [MovementState] = []
        reversed.reserveCapacity(windows.count)
        for epoch in windows.reversed() {
            reversed.append(movement)
            movement = epoch.predecessor(of: movement)
        }
        return reversed.reversed()
    }

    /// What the movement is now, and in how many of 100 cases that is right.
    /// - Parameters:
    ///   - speed: that of the newest fix, m/s; nil where it says none. The newest epoch may have ended seconds ago, and who
    ///     has pulled away meanwhile does not walk.
    ///   - vehicle: what the receiver is mounted in; nil where it may be carried.
    func activity(
        by figures: MovementParameters, atMetersPerSecond speed: Double?, mountedIn vehicle: TransportMode?
    ) -> Activity {
        guard !windows.isEmpty else { return .unknown }
        var shares = [Double](repeating: 0, count: MovementMode.allCases.count)
        // Who stands at a light is still in a vehicle: that it stands is said by the speed.
        for movement in MovementState.allCases {
            let carrier = vehicle == nil ? movement.mode : movement.asVehicleMounted.mode
            shares[carrier.rawValue] +=
                probabilities[movement.rawValue] * figures.activityWeight(of: movement)
        }
        let total = shares.reduce(0, +)
        shares = shares.map { total > 0 ? $0 / total : 0 }
        let foot = shares[MovementMode.foot.rawValue] + shares[MovementMode.running.rawValue]
        let onWheels: [(Activity.Kind, Double)] = [
            (.onBicycle, shares[MovementMode.bicycle.rawValue]),
            (vehicle == .bicycle ? .onBicycle : .inVehicle, shares[MovementMode.vehicle.rawValue]),
        ]
        let isFast = speed.map { $0 > figures.maximumRunningMetersPerSecond } ?? false
        let candidates =
            isFast
            ? onWheels : [(.still, shares[MovementMode.stationary.rawValue]), (onFootKind(shares), foot)] + onWheels
        guard let best = candidates.max(by: { $0.1 < $1.1 }) else { return .unknown }
        return Activity(kind: best.0, confidencePercent: figures.confidencePercent(ofShare: best.1))
    }

    private func onFootKind(_ shares: [Double]) -> Activity.Kind {
        let walking = shares[MovementMode.foot.rawValue]
        let running = shares[MovementMode.running.rawValue]
        if running > 4 * walking { return .running }
        return walking > 4 * running ? .walking : .onFoot
    }
}
