/// What stays, ways and legs are known by. They come from how fast people walk and how long it takes to get in and out.
public struct SegmentationParameters: Hashable, Sendable {
    // MARK: Speeds

    /// Slower than this it has not begun to go on, m/s.
    public var movingThresholdMetersPerSecond = 0.5
    /// Slower than this a vehicle has come to rest in the epoch, m/s.
    public var stoppedThresholdMetersPerSecond = 1.0
    /// Nobody walks faster, m/s (Bohannon and Williams 2011: fastest gait of adults up to 2.5); runs are short.
    public var walkLimitMetersPerSecond = 3.0
    /// One epoch below this between slow ones is a run across the street or a jump of the position, m/s.
    public var runLimitMetersPerSecond = 4.5
    /// Somebody who walks is between these, m/s.
    public var slowWalkMetersPerSecond = 0.5
    /// As above: the fastest gait of adults.
    public var fastWalkMetersPerSecond = 2.5
    /// Two epochs in a row that nobody walks at, and one of them this fast, are a ride, m/s: recreational runners do 2.5
    /// to 3.5, and a dash across the street is faster for one epoch.
    public var rideMetersPerSecond = 4.0

    /// The distance between the ends of a ride's two epochs is at least this share of the way: a right angle makes it
    /// 0.7, a jump of the position and back next to nothing.
    public var minimumStraightness = 0.6

    // MARK: Legs

    /// A way by one means is no leg of its own below this, seconds: a minute's walk to the car is one, ten seconds round
    /// it are not. Also what a stay must last where nobody knows when it began.
    public var shortestSegmentSeconds = 45.0
    /// Who leaves a vehicle is believed to walk after this long, seconds: queues move at a walk too.
    public var certainSegmentSeconds = 60.0
    /// The last leg before a stay, seconds.
    public var shortestLastSegmentSeconds = 20.0
    /// Nor without this much of a way, metres: who stands at a red light is not on foot.
    public var shortestSegmentMeters = 30.0
    /// Who is faster than cyclists for this long is in a vehicle, seconds.
    public var shortestFastSeconds = 15.0
    /// Who gets on again mostly gets on what he got off: another vehicle in so many cases, 0 to 1. It outweighs a doubt
    /// and no more.
    public var vehicleChangeProbability = 0.05
    /// To the door and back takes longer, seconds.
    public var shortestWalkFromVehicleSeconds = 20.0
    /// The vehicle is found within its own length and the noise of two positions, metres.
    public var returnRadiusMeters = 12.0
    /// Getting in, belt and ignition, seconds: they belong to the ride.
    public var boardingSeconds = 4.0
    /// Epochs longer than this do not show a way to a door and back, seconds.
    public var longestWindowSeconds = 20.0

    // MARK: Stays

    /// Who stays within this radius for the interval stands, metres, when the receiver is better than it: a yard, a car
    /// park's aisle, a shop. Half of it is less than the noise in streets, twice of it is a walk round the block.
    public var baseStopRadiusMeters = 25.0

    /// The figures that hold.
    public init() {}

    /// A leg that a stand has ended is one from this much of a way on, metres: the stand makes it certain, so half will do.
    var shortestEndedSegmentMeters: Double { shortestSegmentMeters / 2 }

    /// Speeds of somebody who walks, m/s.
    var walkMetersPerSecond: ClosedRange<Double> {
        slowWalkMetersPerSecond...max(slowWalkMetersPerSecond, fastWalkMetersPerSecond)
    }

    /// The fixes of one stay lie within this distance of its centre, metres.
    /// - Parameter accuracyMeters: the receiver's, which may be worse than a place is large.
    func stopRadiusMeters(accuracyMeters: Double) -> Double {
        max(baseStopRadiusMeters, min(accuracyMeters, 2 * baseStopRadiusMeters))
    }
}
