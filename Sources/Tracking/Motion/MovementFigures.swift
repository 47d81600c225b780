/// What the movement is judged by: the figures of ``MovementModel`` and of the confidence that an activity is told with.
///
/// Speeds come from what is published about people and traffic; durations are orders of magnitude: a minute between two
/// lights, half of one at a light, some minutes between getting in and getting out.
public struct MovementFigures: Hashable, Sendable {
    /// One bell of a distribution of speed.
    public struct Bell: Hashable, Sendable {
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
    public struct Rate: Hashable, Sendable {
        let from: Movement
        let to: Movement
        /// Once in so many seconds, > 0.
        public var seconds: Double

        init(_ from: Movement, _ to: Movement, _ seconds: Double) {
            self.from = from
            self.to = to
            self.seconds = seconds
        }

        /// The names of both states.
        public var name: String { "\(from) → \(to)" }
    }

    /// Standing: what is left of a receiver's drift over some seconds.
    public var stand = Bell(2, 0, 0.25)
    /// Bohannon and Williams (2011): comfortable gait of adults 0.9 to 1.5 m/s.
    public var walk = Bell(1, 1.3, 0.4)
    /// On foot without getting on.
    public var pause = Bell(2, 0, 0.5)
    /// Recreational runners: 2.5 to 3.5 m/s.
    public var run = Bell(1, 2.9, 0.6)
    /// City cyclists: 3.5 to 6 m/s.
    public var ride = Bell(1, 4.4, 1.5)
    /// Turning and side streets, streets, roads.
    public var drive = [Bell(0.3, 5, 2.5), Bell(0.4, 10, 4), Bell(0.3, 20, 9)]
    /// A queue, a yard, the metres before and after a halt.
    public var crawl = Bell(1, 3.5, 1.5)

    /// How often a state goes over into another. Who rolls at a crawl does so for ten seconds. A halt on wheels is a light
    /// or a door: which one is a matter of the trade, so the one is about as likely as the other.
    public var rates = [
        Rate(.still, .walk, 600), Rate(.still, .crawl, 900), Rate(.still, .ride, 30000), Rate(.still, .run, 20000),
        Rate(.walk, .pause, 60), Rate(.walk, .still, 180), Rate(.walk, .crawl, 300), Rate(.walk, .ride, 20000),
        Rate(.walk, .run, 6000),
        Rate(.pause, .walk, 30), Rate(.pause, .still, 180), Rate(.pause, .crawl, 90), Rate(.pause, .ride, 15000),
        Rate(.run, .walk, 600), Rate(.run, .pause, 600), Rate(.run, .still, 1200),
        Rate(.ride, .rideHalt, 120), Rate(.ride, .walk, 1200), Rate(.ride, .pause, 1200), Rate(.ride, .still, 1200),
        Rate(.rideHalt, .ride, 25), Rate(.rideHalt, .pause, 200), Rate(.rideHalt, .still, 200),
        Rate(.drive, .crawl, 40), Rate(.crawl, .drive, 20), Rate(.crawl, .driveHalt, 20),
        Rate(.crawl, .pause, 60), Rate(.crawl, .still, 600), Rate(.crawl, .walk, 300),
        Rate(.driveHalt, .crawl, 25), Rate(.driveHalt, .pause, 45), Rate(.driveHalt, .still, 150),
    ]

    /// From epoch to epoch the speed of a cyclist changes by so much, one standard deviation in m/s, > 0: accelerations
    /// of 0.2 to 0.4 m/s² (Parkin and Rotheram 2010).
    public var rideChangeMetersPerSecond = 1.2
    /// That of a vehicle among streets by so much, one standard deviation in m/s, > 0: 0.5 to 1.5 m/s².
    public var driveChangeMetersPerSecond = 2.5
    /// A share of epochs whose speed says nothing, 0 to 1: jumps of the position, a speed that hangs.
    public var nonsenseShare = 0.01
    /// A speed over the next seconds is much like the one over the last: they are worth less than independent
    /// measurements. For the likeliest history each counts so much of one, 0 to 1; a root of the likelihood is the usual
    /// remedy.
    public var temper = 0.6
    /// For what is likely now, what a speed is worth that repeats the one before, as a share of an independent
    /// measurement, 0 to 1; a speed that is another than before is worth all. So a change is told at once. A jump of the
    /// position is one too: that is why the history, which events are made of, does not count like this.
    ///
    /// Of measurements with a correlation ρ from one to the next each is worth (1 − ρ)/(1 + ρ) of an independent one. Mean
    /// speeds of five seconds within a walk or a stand have 0.3 to 0.5, on wheels 0.7 to 0.9: a ρ of 0.43 makes it this.
    public var repeatedWorth = 0.4
    /// Nobody runs faster for more than some minutes, m/s: ten kilometres have been run at 6.4.
    public var fastestRunMetersPerSecond = 6.5

    /// A stand tells nothing of who stands. How often it is a light and how often a door depends on the trade, from which
    /// the rates differ by some factors: only a clear case is told as one in a vehicle or on a bicycle. What its
    /// probability counts where the activity is chosen, 0 to 1.
    public var standOnWheels = 0.3
    /// The slope of the line between the odds of the model and those that hold, > 0: speeds that follow each other err
    /// alike, also beyond what ``repeatedWorth`` makes good.
    public var confidenceSlope = 0.7
    /// What the odds are divided by, > 0: at even odds of the model its answer is wrong so many times as often as right.
    public var confidenceDoubt = 2.0

    /// The figures that hold.
    public init() {}

    func bells(of movement: Movement) -> [Bell] {
        switch movement {
        case .still, .rideHalt, .driveHalt: [stand]
        case .walk: [walk]
        case .pause: [pause]
        case .run: [run]
        case .ride: [ride]
        case .drive: drive
        case .crawl: [crawl]
        }
    }
}
