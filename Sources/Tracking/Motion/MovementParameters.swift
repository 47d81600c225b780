/// The parameters of ``MovementModel`` and of the confidence of activities.
///
/// Speeds come from publications on people and traffic. Durations are orders of magnitude: a minute between two traffic
/// lights, half a minute at a light, some minutes between getting in and getting out.
public struct MovementParameters: Hashable, Sendable {
    /// One normal component of a speed distribution.
    public struct SpeedComponent: Hashable, Sendable {
        /// The component's share, > 0; 2 for the positive half of a normal distribution around 0.
        public var weight: Double
        /// The mean, m/s.
        public var meanMetersPerSecond: Double
        /// The standard deviation, m/s, > 0.
        public var deviationMetersPerSecond: Double

        init(_ weight: Double, _ mean: Double, _ deviation: Double) {
            self.weight = weight
            meanMetersPerSecond = mean
            deviationMetersPerSecond = deviation
        }
    }

    /// The rate of transitions from one state of movement to another.
    public struct TransitionRate: Hashable, Sendable {
        let from: MovementState
        let to: MovementState
        /// The mean time to the transition, seconds, > 0.
        public var seconds: Double

        init(_ from: MovementState, _ to: MovementState, _ seconds: Double) {
            self.from = from
            self.to = to
            self.seconds = seconds
        }

        /// The names of both states.
        public var name: String { "\(from) → \(to)" }
    }

    /// Standing: the rest of a receiver's drift over some seconds.
    public var stationary = SpeedComponent(2, 0, 0.25)
    /// Walking. Bohannon and Williams (2011): the comfortable gait of adults is 0.9 to 1.5 m/s.
    public var walking = SpeedComponent(1, 1.3, 0.4)
    /// On foot without advancing.
    public var pausing = SpeedComponent(2, 0, 0.5)
    /// Running. Recreational runners: 2.5 to 3.5 m/s.
    public var running = SpeedComponent(1, 2.9, 0.6)
    /// Cycling. City cyclists: 3.5 to 6 m/s.
    public var cycling = SpeedComponent(1, 4.4, 1.5)
    /// Driving: turns and side streets, streets, roads.
    public var driving = [SpeedComponent(0.3, 5, 2.5), SpeedComponent(0.4, 10, 4), SpeedComponent(0.3, 20, 9)]
    /// Crawling: a queue, a yard, the metres before and after a halt.
    public var crawling = SpeedComponent(1, 3.5, 1.5)

    /// The transition rates. A crawl lasts about ten seconds. A halt on wheels is a traffic light or a customer's door.
    /// Which one depends on the trade, so both are about equally likely.
    public var transitionRates = [
        TransitionRate(.still, .walking, 600), TransitionRate(.still, .crawling, 900),
        TransitionRate(.still, .cycling, 30000), TransitionRate(.still, .running, 20000),
        TransitionRate(.walking, .pausing, 60), TransitionRate(.walking, .still, 180),
        TransitionRate(.walking, .crawling, 300), TransitionRate(.walking, .cycling, 20000),
        TransitionRate(.walking, .running, 6000),
        TransitionRate(.pausing, .walking, 30), TransitionRate(.pausing, .still, 180),
        TransitionRate(.pausing, .crawling, 90), TransitionRate(.pausing, .cycling, 15000),
        TransitionRate(.running, .walking, 600), TransitionRate(.running, .pausing, 600),
        TransitionRate(.running, .still, 1200),
        TransitionRate(.cycling, .cyclingHalt, 120), TransitionRate(.cycling, .walking, 1200),
        TransitionRate(.cycling, .pausing, 1200), TransitionRate(.cycling, .still, 1200),
        TransitionRate(.cyclingHalt, .cycling, 25), TransitionRate(.cyclingHalt, .pausing, 200),
        TransitionRate(.cyclingHalt, .still, 200),
        TransitionRate(.driving, .crawling, 40), TransitionRate(.crawling, .driving, 20),
        TransitionRate(.crawling, .drivingHalt, 20),
        TransitionRate(.crawling, .pausing, 60), TransitionRate(.crawling, .still, 600),
        TransitionRate(.crawling, .walking, 300),
        TransitionRate(.drivingHalt, .crawling, 25), TransitionRate(.drivingHalt, .pausing, 45),
        TransitionRate(.drivingHalt, .still, 150),
    ]

    /// The change of a cyclist's speed from window to window, one standard deviation in m/s, > 0: accelerations of 0.2
    /// to 0.4 m/s² (Parkin and Rotheram 2010).
    public var cyclingChangeMetersPerSecond = 1.2
    /// The same for a vehicle in streets, m/s, > 0: accelerations of 0.5 to 1.5 m/s².
    public var drivingChangeMetersPerSecond = 2.5
    /// The share of windows whose speed carries no information, 0 to 1: position jumps, frozen speeds.
    public var outlierProbability = 0.01
    /// The exponent of the likelihood in the most likely history, 0 to 1. Consecutive speeds are alike and count less
    /// than independent ones; a root of the likelihood is a usual remedy.
    public var likelihoodExponent = 0.6
    /// The weight of a speed that repeats the previous one in the current probabilities, as a share of an independent
    /// measurement, 0 to 1. A speed that differs counts fully, so that a change shows at once. A position jump also
    /// differs, so the history, which events are made from, does not use this weight.
    ///
    /// A measurement with correlation ρ to the previous one counts (1 − ρ)/(1 + ρ) of an independent one. Mean speeds
    /// of 5 s within a walk or a stop have ρ = 0.3 to 0.5, on wheels 0.7 to 0.9; ρ = 0.43 gives this value.
    public var repeatedMeasurementWeight = 0.4
    /// The highest speed of running over more than some minutes, m/s: ten kilometres have been run at 6.4.
    public var maximumRunningMetersPerSecond = 6.5

    /// The weight of the probability of a halt on wheels when the activity is chosen, and the share of a pause on foot
    /// that then counts as on foot and not as still, 0 to 1. Zero speed gives no evidence about the transport mode. The
    /// shares of halts at lights and at doors depend on the trade and can differ from the rates by some factors, so
    /// only a clear case is reported as in a vehicle or on a bicycle. A person who waits and one who has arrived differ
    /// in what follows, and in a building a position that wanders ends each pause with a walk that is none.
    public var haltWeight = 0.3
    /// The slope of the function from the logarithm of the model's odds to that of the observed odds, > 0. Consecutive
    /// speeds have common errors beyond those that ``repeatedMeasurementWeight`` corrects.
    public var confidenceSlope = 0.7
    /// The divisor of the odds, > 0: at even odds of the model, its answer is wrong this many times as often as right.
    public var confidenceOddsDivisor = 2.0

    /// Creates the default parameters.
    public init() {}

    func speedComponents(of movement: MovementState) -> [SpeedComponent] {
        switch movement {
        case .still, .cyclingHalt, .drivingHalt: [stationary]
        case .walking: [walking]
        case .pausing: [pausing]
        case .running: [running]
        case .cycling: [cycling]
        case .driving: driving
        case .crawling: [crawling]
        }
    }
}
