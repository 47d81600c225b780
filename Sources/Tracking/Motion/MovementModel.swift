import Glibc

/// The numbers of the movement model, a hidden Markov model (Rabiner 1989) with a speed as what is seen.
///
/// Speeds come from what is published about people and traffic; durations are orders of magnitude: a minute between two
/// lights, half of one at a light, some minutes between getting in and getting out.
enum MovementModel {
    static let count = Movement.allCases.count

    /// One bell of a state's distribution of speed, m/s.
    struct Bell {
        let weight: Double
        let mean: Double
        let deviation: Double
    }

    /// How fast something in a state is.
    static func bells(of movement: Movement) -> [Bell] {
        switch movement {
        // What is left of a receiver's drift over some seconds when it stands.
        case .still, .rideHalt, .driveHalt: [Bell(weight: 2, mean: 0, deviation: 0.25)]
        // Bohannon and Williams (2011): comfortable gait of adults 0.9 to 1.5 m/s.
        case .walk: [Bell(weight: 1, mean: 1.3, deviation: 0.4)]
        case .pause: [Bell(weight: 2, mean: 0, deviation: 0.5)]
        // Recreational runners: 2.5 to 3.5 m/s.
        case .run: [Bell(weight: 1, mean: 2.9, deviation: 0.6)]
        // City cyclists: 3.5 to 6 m/s.
        case .ride: [Bell(weight: 1, mean: 4.4, deviation: 1.5)]
        // Turning and side streets, streets, roads.
        case .drive:
            [
                Bell(weight: 0.3, mean: 5, deviation: 2.5), Bell(weight: 0.4, mean: 10, deviation: 4),
                Bell(weight: 0.3, mean: 20, deviation: 9),
            ]
        case .crawl: [Bell(weight: 1, mean: 3.5, deviation: 1.5)]
        }
    }

    /// How often a state goes over into another, once in so many seconds.
    private static let secondsUntil: [(from: Movement, to: Movement, seconds: Double)] = [
        (.still, .walk, 600), (.still, .crawl, 900), (.still, .ride, 30000), (.still, .run, 20000),
        (.walk, .pause, 60), (.walk, .still, 180), (.walk, .crawl, 300), (.walk, .ride, 20000), (.walk, .run, 6000),
        (.pause, .walk, 30), (.pause, .still, 180), (.pause, .crawl, 90), (.pause, .ride, 15000),
        (.run, .walk, 600), (.run, .pause, 600), (.run, .still, 1200),
        (.ride, .rideHalt, 120), (.ride, .walk, 1200), (.ride, .pause, 1200), (.ride, .still, 1200),
        (.rideHalt, .ride, 25), (.rideHalt, .pause, 200), (.rideHalt, .still, 200),
        (.drive, .crawl, 40), (.crawl, .drive, 10), (.crawl, .driveHalt, 15),
        (.crawl, .pause, 300), (.crawl, .still, 600), (.crawl, .walk, 900),
        (.driveHalt, .crawl, 25), (.driveHalt, .pause, 60), (.driveHalt, .still, 150),
    ]

    /// What is believed of a vehicle or a person before anything is known.
    static let prior: [Double] = [0.5, 0.09, 0.09, 0.003, 0.007, 0.006, 0.174, 0.05, 0.08]

    /// A share of epochs whose speed says nothing: jumps of the position, a speed that hangs.
    private static let nonsenseShare = 0.01
    private static let nonsenseSpeed = 30.0
    /// A speed over the next seconds is much like the one over the last: they are worth less than independent
    /// measurements. A root of the likelihood is the usual remedy; this one makes the confidences come out right.
    static let temper = 0.6

    /// The logarithm of how well a speed fits each state.
    /// - Parameters:
    ///   - speed: over an epoch, m/s.
    ///   - noise: its standard error, m/s.
    ///   - change: against the speed over the epoch before, m/s; nil where that was long ago.
    static func logLikelihoods(ofSpeed speed: Double, noise: Double, change: Double?) -> [Double] {
        let steadiness = change.map { logSteadiness(ofChange: $0, noise: noise) } ?? 0
        return Movement.allCases.map { movement in
            var density = nonsenseShare / nonsenseSpeed
            for bell in allBells[movement.rawValue] {
                let variance = bell.deviation * bell.deviation + noise * noise
                let off = speed - bell.mean
                density += bell.weight * exp(-off * off / (2 * variance)) / (2 * .pi * variance).squareRoot()
            }
            return temper * (log(density) + (movement == .ride ? steadiness : 0))
        }
    }

    /// From epoch to epoch the speed of a cyclist changes by so much, that of a vehicle among streets by so much, one
    /// standard deviation in m/s: accelerations of 0.2 to 0.4 m/s² (Parkin and Rotheram 2010) against 0.5 to 1.5.
    private static let rideChange = 1.2
    private static let driveChange = 2.5

    /// How much better a change of speed fits a cyclist than a vehicle: the logarithm of the ratio.
    private static func logSteadiness(ofChange change: Double, noise: Double) -> Double {
        let ride = rideChange * rideChange + 2 * noise * noise
        let drive = driveChange * driveChange + 2 * noise * noise
        return change * change / 2 * (1 / drive - 1 / ride) + log(drive / ride) / 2
    }

    private static let allBells = Movement.allCases.map { bells(of: $0) }

    /// The spans that transitions are tabulated for, seconds: powers of two.
    private static let largestPower = 12

    /// The probabilities of going from a state (row) to another (column) within 2^k seconds.
    private static let powers: [[Double]] = {
        var step = [Double](repeating: 0, count: count * count)
        for index in 0..<count { step[index * count + index] = 1 }
        // An eighth of a second first, so that the linear step is exact enough; thrice squared it is one second.
        for (from, to, seconds) in secondsUntil {
            step[from.rawValue * count + to.rawValue] += 0.125 / seconds
            step[from.rawValue * count + from.rawValue] -= 0.125 / seconds
        }
        for _ in 0..<3 { step = squared(step) }
        var powers = [step]
        for _ in 0..<largestPower { powers.append(squared(powers[powers.count - 1])) }
        return powers
    }()

    private static func squared(_ matrix: [Double]) -> [Double] {
        product(matrix, matrix)
    }

    private static func product(_ left: [Double], _ right: [Double]) -> [Double] {
        var result = [Double](repeating: 0, count: count * count)
        for row in 0..<count {
            for middle in 0..<count {
                let factor = left[row * count + middle]
                for column in 0..<count { result[row * count + column] += factor * right[middle * count + column] }
            }
        }
        return result
    }

    /// The probabilities of going from a state (row) to another (column), for spans of 0 to 60 s in whole seconds.
    private static let bySeconds: [(plain: [Double], logarithm: [Double])] = (0...60).map { seconds in
        var result: [Double] = (0..<(count * count)).map { $0 % (count + 1) == 0 ? 1 : 0 }
        for power in 0..<6 where seconds >> power & 1 == 1 { result = product(result, powers[power]) }
        return (result, result.map { log(max($0, 1e-12)) })
    }

    private static let byPower: [(plain: [Double], logarithm: [Double])] = powers.map { power in
        (power, power.map { log(max($0, 1e-12)) })
    }

    /// The probabilities of going from a state (row) to another (column) within a span, and their logarithms.
    static func transitions(withinSeconds seconds: Double) -> (plain: [Double], logarithm: [Double]) {
        if seconds <= 60 { return bySeconds[max(1, Int(seconds.rounded()))] }
        // Beyond a minute the next power of two is near enough.
        let power = min(largestPower, Int(log2(min(seconds, 1e9)).rounded()))
        return byPower[power]
    }
}
