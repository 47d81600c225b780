import CivilTime
import Geodesy
import Glibc

/// Follows the movement model along the epochs: what it is now and how sure, and the likeliest history.
struct MovementTracker: Equatable, Sendable, Codable {
    /// So many epochs the history goes back at least, once there were as many: 5 min at full rate.
    static let leastHistoryLength = 60

    /// The probability of each state now.
    private var probabilities = MovementModel.prior
    /// The logarithm of the probability of the likeliest history that ends in each state, less that of the best.
    private var scores = MovementModel.prior.map { log($0) }
    /// Oldest first.
    private(set) var epochs: [Epoch] = []

    /// Takes the measurement of an epoch.
    /// - Parameter historySeconds: as far back the history is asked about, seconds.
    mutating func update(
        with measurement: EpochBuilder.Measurement, fix: Fix, odometerMeters: Double, model: MovementModel,
        historySeconds: Double
    ) {
        let speed = measurement.speedMetersPerSecond
        let isNext = measurement.spanSeconds <= 2 * EpochBuilder.seconds
        let noise = measurement.noiseMetersPerSecond
        let change = isNext ? epochs.last.map { speed - $0.speedMetersPerSecond } : nil
        let likelihoods = model.logLikelihoods(ofSpeed: speed, noise: noise, change: change)
        let worth = model.worth(ofChange: change, noise: noise)
        let origins = step(
            over: model.transitions(withinSeconds: measurement.spanSeconds),
            scored: likelihoods.map { model.figures.temper * $0 }, weighed: likelihoods.map { exp(worth * $0) })
        makeRoom(at: fix.timestamp, historySeconds: historySeconds)
        epochs.append(
            Epoch(
                time: fix.timestamp, coordinate: fix.coordinate,
                accuracyMeters: Self.short(fix.likelyAccuracyMeters),
                odometerMeters: Self.short(odometerMeters),
                speedMetersPerSecond: Self.short(measurement.speedMetersPerSecond),
                toldMetersPerSecond: measurement.toldMetersPerSecond.map(Self.short), origins: origins,
                vehicleShare: Self.short(vehicleShare)))
    }

    /// Makes room for another epoch.
    private mutating func makeRoom(at time: Timestamp, historySeconds: Double) {
        // A receiver's clock that was set back must not make the history endless.
        let most = Self.leastHistoryLength + Int(historySeconds / EpochBuilder.seconds)
        while epochs.count >= Self.leastHistoryLength,
            epochs.count >= most || time.seconds(since: epochs[1].time) >= historySeconds
        {
            epochs.removeFirst()
        }
    }

    /// A step of the Viterbi algorithm for the likeliest history, and of the forward algorithm for what is likely now.
    /// - Parameters:
    ///   - scored: what the measurement adds to the score of each state.
    ///   - weighed: what it multiplies the probability of each state by.
    /// - Returns: the ``Epoch/origins``.
    private mutating func step(
        over transitions: MovementModel.Transitions, scored: [Double], weighed: [Double]
    ) -> UInt64 {
        let count = MovementModel.count
        var newScores = [Double](repeating: 0, count: count)
        var newProbabilities = newScores
        var origins: UInt64 = 0
        for to in 0..<count {
            var best = -Double.infinity
            var bestFrom = 0
            var sum = 0.0
            for from in 0..<count {
                let score = scores[from] + transitions.logarithm[from * count + to]
                if score > best {
                    best = score
                    bestFrom = from
                }
                sum += probabilities[from] * transitions.plain[from * count + to]
            }
            newScores[to] = best + scored[to]
            newProbabilities[to] = sum * weighed[to]
            origins |= UInt64(bestFrom) << UInt64(4 * to)
        }
        let top = newScores.max() ?? 0
        scores = newScores.map { $0 - top }
        let total = newProbabilities.reduce(0, +)
        probabilities = newProbabilities.map { $0 / total }
        return origins
    }

    private var vehicleShare: Double {
        func sum(_ carrier: Carrier) -> Double {
            Movement.allCases.reduce(0) { $1.carrier == carrier ? $0 + probabilities[$1.rawValue] : $0 }
        }
        let (vehicle, bicycle) = (sum(.vehicle), sum(.bicycle))
        return vehicle + bicycle > 0 ? vehicle / (vehicle + bicycle) : 1
    }

    /// To hundredths, so centimetres: that takes a third of the digits in the saved state.
    private static func short(_ value: Double) -> Double { (value * 100).rounded() / 100 }

    /// What comes next has nothing to do with what was.
    mutating func interrupt() {
        self = MovementTracker()
    }

    /// The likeliest state at the end of each epoch, oldest first.
    func history() -> [Movement] {
        guard let best = scores.indices.max(by: { scores[$0] < scores[$1] }),
            var movement = Movement(rawValue: best)
        else { return [] }
        var reversed: [Movement] = []
        reversed.reserveCapacity(epochs.count)
        for epoch in epochs.reversed() {
            reversed.append(movement)
            movement = epoch.origin(of: movement)
        }
        return reversed.reversed()
    }

    /// What the movement is now, and in how many of 100 cases that is right.
    /// - Parameters:
    ///   - speed: that of the newest fix, m/s; nil where it says none. The newest epoch may have ended seconds ago, and who
    ///     has pulled away meanwhile does not walk.
    ///   - vehicle: what the receiver is mounted in; nil where it may be carried.
    func activity(
        by figures: MovementFigures, atMetersPerSecond speed: Double?, aboard vehicle: TransportMode?
    ) -> Activity {
        guard !epochs.isEmpty else { return .unknown }
        var shares = [Double](repeating: 0, count: Carrier.allCases.count)
        // Who stands at a light is still in a vehicle: that it stands is said by the speed.
        for movement in Movement.allCases {
            let carrier = vehicle == nil ? movement.carrier : movement.aboard.carrier
            shares[carrier.rawValue] +=
                probabilities[movement.rawValue] * figures.weight(of: movement)
        }
        let total = shares.reduce(0, +)
        shares = shares.map { total > 0 ? $0 / total : 0 }
        let foot = shares[Carrier.foot.rawValue] + shares[Carrier.running.rawValue]
        let onWheels: [(Activity.Kind, Double)] = [
            (.onBicycle, shares[Carrier.bicycle.rawValue]),
            (vehicle == .bicycle ? .onBicycle : .inVehicle, shares[Carrier.vehicle.rawValue]),
        ]
        let isFast = speed.map { $0 > figures.fastestRunMetersPerSecond } ?? false
        let candidates =
            isFast ? onWheels : [(.still, shares[Carrier.none.rawValue]), (footKind(shares), foot)] + onWheels
        guard let best = candidates.max(by: { $0.1 < $1.1 }) else { return .unknown }
        return Activity(kind: best.0, confidencePercent: figures.confidencePercent(ofShare: best.1))
    }

    private func footKind(_ shares: [Double]) -> Activity.Kind {
        let walking = shares[Carrier.foot.rawValue]
        let running = shares[Carrier.running.rawValue]
        if running > 4 * walking { return .running }
        return walking > 4 * running ? .walking : .onFoot
    }
}
