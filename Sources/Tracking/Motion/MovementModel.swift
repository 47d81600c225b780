import Glibc

/// The movement model: a hidden Markov model (Rabiner 1989) that observes speeds, with its tables.
final class MovementModel: Sendable {
    static let standard = MovementModel(MovementParameters())
    static let stateCount = MovementState.allCases.count

    /// The probability of each state before the first measurement, in the order of the states.
    static let prior: [Double] = [0.5, 0.09, 0.09, 0.003, 0.007, 0.006, 0.174, 0.05, 0.08]

    /// An outlier speed is uniformly distributed from 0 to this, m/s.
    private static let maximumOutlierMetersPerSecond = 30.0
    /// The longest tabulated transition span is 2 to this power, seconds: 68 minutes.
    private static let maximumPower = 12

    /// The probabilities of transitions from a state (row) to another (column), and their logarithms.
    struct Transitions {
        let probabilities: [Double]
        let logProbabilities: [Double]

        fileprivate init(_ plain: [Double]) {
            self.probabilities = plain
            logProbabilities = plain.map { log(max($0, 1e-12)) }
        }
    }

    /// The speeds of a state.
    private struct StateSpeeds {
        let components: [MovementParameters.SpeedComponent]
        let componentsWithChanges: [MovementParameters.SpeedComponent]
        let meanSeconds: Double

        init(_ state: MovementState, by figures: MovementParameters) {
            components = figures.speedComponents(of: state)
            componentsWithChanges = figures.speedComponentsWithChanges(of: state)
            meanSeconds = figures.meanSeconds(in: state)
        }

        /// Returns the probability density of a speed over a window, s/m.
        /// - Parameter noise: the variance of the measurement, m²/s².
        func density(ofSpeed speed: Double, variance noise: Double, withinSeconds seconds: Double) -> Double {
            let density = Self.density(of: components, speed, noise)
            let longerSeconds = seconds - MotionWindowBuilder.lengthSeconds
            guard longerSeconds > 0 else { return density }
            let unchanged = exp(-longerSeconds / meanSeconds)
            return unchanged * density + (1 - unchanged) * Self.density(of: componentsWithChanges, speed, noise)
        }

        private static func density(
            of components: [MovementParameters.SpeedComponent], _ speed: Double, _ noise: Double
        ) -> Double {
            components.reduce(0) { sum, bell in
                let variance = bell.deviationMetersPerSecond * bell.deviationMetersPerSecond + noise
                let off = speed - bell.meanMetersPerSecond
                return sum + bell.weight * exp(-off * off / (2 * variance)) / (2 * .pi * variance).squareRoot()
            }
        }
    }

    let parameters: MovementParameters
    private let states: [StateSpeeds]
    /// The transitions over 0 to 60 s, in whole seconds.
    private let bySeconds: [Transitions]
    /// The transitions over 2^k seconds.
    private let byPower: [Transitions]

    init(_ figures: MovementParameters) {
        self.parameters = figures
        states = MovementState.allCases.map { StateSpeeds($0, by: figures) }
        let powers = Self.powers(of: figures.transitionRates)
        bySeconds = (0...60).map { seconds in
            var result = Self.identity
            for power in 0..<6 where seconds >> power & 1 == 1 { result = Self.product(result, powers[power]) }
            return Transitions(result)
        }
        byPower = powers.map(Transitions.init)
    }

    /// Returns the logarithm of the likelihood of a measurement in each state.
    /// - Parameter change: the difference from the speed over the previous window, m/s; nil if that was too long ago.
    func logLikelihoods(of measurement: MotionWindowBuilder.SpeedMeasurement, change: Double?) -> [Double] {
        let noise = measurement.standardErrorMetersPerSecond
        let steadiness = change.map { logCyclistRatio(ofChange: $0, noise: noise) } ?? 0
        let outlier = parameters.outlierProbability / Self.maximumOutlierMetersPerSecond
        return MovementState.allCases.map { movement in
            let state = states[movement.rawValue]
            let mean = state.density(
                ofSpeed: measurement.speedMetersPerSecond, variance: noise * noise,
                withinSeconds: measurement.spanSeconds)
            // The state is the one at the end of the window, and so is this speed.
            let final = measurement.final.map {
                log(outlier + state.density(ofSpeed: $0.metersPerSecond, variance: $0.variance, withinSeconds: 0))
            }
            return log(outlier + mean) + (final ?? 0) + (movement == .cycling ? steadiness : 0)
        }
    }

    /// Returns the probabilities of the transitions within a span.
    func transitions(withinSeconds seconds: Double) -> Transitions {
        if seconds <= 60 { return bySeconds[max(1, Int(seconds.rounded()))] }
        // Beyond a minute the nearest power of two is accurate enough.
        return byPower[min(Self.maximumPower, Int(log2(min(seconds, 1e9)).rounded()))]
    }

    /// Returns how much better a change of speed fits a cyclist than a vehicle: the logarithm of the ratio.
    private func logCyclistRatio(ofChange change: Double, noise: Double) -> Double {
        let ride = parameters.cyclingChangeMetersPerSecond * parameters.cyclingChangeMetersPerSecond + 2 * noise * noise
        let drive =
            parameters.drivingChangeMetersPerSecond * parameters.drivingChangeMetersPerSecond + 2 * noise * noise
        return change * change / 2 * (1 / drive - 1 / ride) + log(drive / ride) / 2
    }

    /// Returns the weight of a speed as a share of an independent measurement: 1 for a speed that differs clearly from
    /// the previous one, ``MovementParameters/repeatedMeasurementWeight`` for one that repeats it.
    /// - Parameters:
    ///   - change: the difference from the speed over the previous window, m/s; nil if that was too long ago.
    ///   - noise: the standard error of the speed, m/s.
    func measurementWeight(ofChange change: Double?, noise: Double) -> Double {
        guard let change else { return 1 }
        let usual =
            parameters.cyclingChangeMetersPerSecond * parameters.cyclingChangeMetersPerSecond + 2 * noise * noise
        return 1 - (1 - parameters.repeatedMeasurementWeight) * exp(-change * change / (2 * usual))
    }

    // MARK: Tables

    private static var identity: [Double] { (0..<(stateCount * stateCount)).map { $0 % (stateCount + 1) == 0 ? 1 : 0 } }

    /// Returns the probabilities of the transitions within 2^k seconds, for each k.
    private static func powers(of rates: [MovementParameters.TransitionRate]) -> [[Double]] {
        var step = identity
        // A linear step is exact enough over an eighth of a second; squared three times, it covers one second.
        for rate in rates {
            step[rate.from.rawValue * stateCount + rate.to.rawValue] += 0.125 / rate.seconds
            step[rate.from.rawValue * stateCount + rate.from.rawValue] -= 0.125 / rate.seconds
        }
        for _ in 0..<3 { step = product(step, step) }
        var powers = [step]
        for _ in 0..<maximumPower { powers.append(product(powers[powers.count - 1], powers[powers.count - 1])) }
        return powers
    }

    private static func product(_ left: [Double], _ right: [Double]) -> [Double] {
        var result = [Double](repeating: 0, count: stateCount * stateCount)
        for row in 0..<stateCount {
            for middle in 0..<stateCount {
                let factor = left[row * stateCount + middle]
                for column in 0..<stateCount {
                    result[row * stateCount + column] += factor * right[middle * stateCount + column]
                }
            }
        }
        return result
    }
}

/// Models with equal parameters are equal.
extension MovementModel: Hashable {
    static func == (left: MovementModel, right: MovementModel) -> Bool {
        left === right || left.parameters == right.parameters
    }

    func hash(into hasher: inout Hasher) { hasher.combine(parameters) }
}
