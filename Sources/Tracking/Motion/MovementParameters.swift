/// What the movement is judged by: the figures of ``MovementModel`` and of the confidence that an activity is told with.
///
/// Speeds come from what is published about people and traffic; durations are orders of magnitude: a minute between two
/// lights, half of one at a light, some minutes between getting in and getting out.
public struct MovementParameters: Hashable, Sendable {
    /// One bell of a distribution of speed.
    public struct SpeedComponent: Hashable, Sendable {
        /// Its share, > 0; the half of a bell about rest has twice the height.
        public var weight: Double
        /// Where it is highest, m/s.
        public var meanMetersPerSecond: Double
        /// One standard deviation, m/s, > 0.
        public var deviationMetersPerSecond: Double

        init(_ weight: Double, _ mean: Double, _ deviation: Double) {
            self.weight = weight
            meanMetersPerSecond = mean
            deviationMetersPerSecond = deviation
        }
    }

    /// How often a state of movement goes over into another.
    public struct TransitionRate: Hashable, Sendable {
        let from: MovementState
        let to: MovementState
        /// Once in so many seconds, > 0.
        public var seconds: Double

        init(_ from: MovementState, _ to: MovementState, _ seconds: Double) {
            self.from = from
            self.to = to
            self.seconds = seconds
        }

        /// The names of both states.
        public var name: String { "\(from) → \(to)" }
    }

    /// Standing: what is left of a receiver's drift over some seconds.
    public var stationary = SpeedComponent(2, 0, 0.25)
    /// Bohannon and Williams (2011): comfortable gait of adults 0.9 to 1.5 m/s.
    public var walking = SpeedComponent(1, 1.3, 0.4)
    /// On foot without getting on.
    public var pausing = SpeedComponent(2, 0, 0.5)
    /// Recreational runners: 2.5 to 3.5 m/s.
    public var running = SpeedComponent(1, 2.9, 0.6)
    /// City cyclists: 3.5 to 6 m/s.
    public var cycling = SpeedComponent(1, 4.4, 1.5)
    /// Turning and side streets, streets, roads.
    public var driving = [SpeedComponent(0.3, 5, 2.5), SpeedComponent(0.4, 10, 4), SpeedComponent(0.3, 20, 9)]
    /// A queue, a yard, the metres before and after a halt.
    public var crawling = SpeedComponent(1, 3.5, 1.5)

    /// How often a state goes over into another. Who rolls at a crawl does so for ten seconds. A halt on wheels is a light
    /// or a door: which one is a matter of the trade, so the one is about as likely as the other.
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

    /// From epoch to epoch the speed of a cyclist changes by so much, one standard deviation in m/s, > 0: accelerations
    /// of 0.2 to 0.4 m/s² (Parkin and Rotheram 2010).
    public var cyclingChangeMetersPerSecond = 1.2
    /// That of a vehicle among streets by so much, one standard deviation in m/s, > 0: 0.5 to 1.5 m/s².
    public var drivingChangeMetersPerSecond = 2.5
    /// A share of epochs whose speed says nothing, 0 to 1: jumps of the position, a speed that hangs.
    public var outlierProbability = 0.01
    /// A speed over the next seconds is much like the one over the last: they are worth less than independent
    /// measurements. For the likeliest history each counts so much of one, 0 to 1; a root of the likelihood is the usual
    /// remedy.
    public var likelihoodExponent = 0.6
    /// For what is likely now, what a speed is worth that repeats the one before, as a share of an independent
    /// measurement, 0 to 1; a speed that is another than before is worth all. So a change is told at once. A jump of the
    /// position is one too: that is why the history, which events are made of, does not count like this.
    ///
    /// Of measurements with a correlation ρ from one to the next each is worth (1 − ρ)/(1 + ρ) of an independent one. Mean
    /// speeds of five seconds within a walk or a stand have 0.3 to 0.5, on wheels 0.7 to 0.9: a ρ of 0.43 makes it this.
    public var repeatedMeasurementWeight = 0.4
    /// Nobody runs faster for more than some minutes, m/s: ten kilometres have been run at 6.4.
    public var maximumRunningMetersPerSecond = 6.5

    /// A stand tells nothing of who stands. How often it is a light and how often a door depends on the trade, from which
    /// the rates differ by some factors: only a clear case is told as one in a vehicle or on a bicycle. What its
    /// probability counts where the activity is chosen, 0 to 1.
    public var vehicleHaltWeight = 0.3
    /// The slope of the line between the odds of the model and those that hold, > 0: speeds that follow each other err
    /// alike, also beyond what ``repeatedMeasurementWeight`` makes good.
    public var confidenceSlope = 0.7
    /// What the odds are divided by, > 0: at even odds of the model its answer is wrong so many times as often as right.
    public var confidenceOddsDivisor = 2.0

    /// The figures that hold.
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
