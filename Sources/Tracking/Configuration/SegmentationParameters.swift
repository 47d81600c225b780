/// The limits that divide stops, trips and segments. They come from the speed of walks and the time to get in and out.
public struct SegmentationParameters: Hashable, Sendable {
    // MARK: Speeds

    /// The speed below which the vehicle has not begun to go on, and the smallest one of a walk, m/s.
    public var movingThresholdMetersPerSecond = 0.5
    /// The speed below which a vehicle has come to rest in a window, m/s.
    public var stoppedThresholdMetersPerSecond = 1.0
    /// The largest speed of a walk, m/s (Bohannon and Williams 2011: fastest gait of adults up to 2.5); runs are short.
    public var walkLimitMetersPerSecond = 3.0
    /// The largest speed of a run across the street, or of a jump of the position, m/s: one window between slow ones.
    public var runLimitMetersPerSecond = 4.5
    /// The speed at which people change from a walk to a run, m/s (Hreljac 1993: 2.07).
    public var runTransitionMetersPerSecond = 2.1
    /// The fastest gait of adults, m/s (source as above).
    public var fastWalkMetersPerSecond = 2.5
    /// The speed of a ride in one of two windows in a row, both faster than a walk, m/s: recreational runners do 2.5 to
    /// 3.5, and a run across the street lasts one window.
    public var rideMetersPerSecond = 4.0

    /// The least distance between the ends of a ride's windows, as a share of the path: a right angle makes it 0.7, a
    /// jump of the position and back next to nothing.
    public var minimumStraightness = 0.6

    // MARK: Segments

    /// The shortest segment, seconds: a walk of a minute to the car is one, ten seconds around it are not. Also the
    /// shortest stop whose start is not known.
    public var shortestSegmentSeconds = 45.0
    /// The shortest walk that ends a segment on wheels, seconds: queues move at the speed of a walk too.
    public var certainSegmentSeconds = 60.0
    /// The shortest segment that the rest proves, seconds: the last one before a stop, or a walk from a vehicle to a
    /// door and back.
    public var shortestProvenSegmentSeconds = 20.0
    /// The least distance of a segment, metres: a person at a red light is not on foot.
    public var shortestSegmentMeters = 30.0
    /// The time above the speed of cyclists that proves a vehicle, seconds.
    public var shortestFastSeconds = 15.0
    /// The probability of another vehicle for the next segment on wheels, 0 to 1. It decides doubtful cases.
    public var vehicleChangeProbability = 0.05
    /// The largest distance to the vehicle at the return, metres: its own length and the noise of two positions.
    public var returnRadiusMeters = 12.0
    /// The time for getting in, belt and ignition, seconds. It belongs to the ride.
    public var boardingSeconds = 4.0
    /// The longest window that shows a walk to a door and back, seconds.
    public var longestWindowSeconds = 20.0

    // MARK: Stops

    /// The least way on which a queue moves, metres: the length of a car.
    public var queueStepMeters = 5.0
    /// The radius of a stop, metres, where the receiver is better than it: a yard, the aisle of a car park, a shop.
    /// Half of it is less than the noise in streets, twice of it is a walk around the block.
    public var baseStopRadiusMeters = 25.0

    /// Creates the parameters in use.
    public init() {}

    /// The least distance of a segment before a stop, metres: half, because the stop proves it.
    var shortestEndedSegmentMeters: Double { shortestSegmentMeters / 2 }

    /// The speeds of a walk, m/s.
    var walkMetersPerSecond: ClosedRange<Double> {
        movingThresholdMetersPerSecond...max(movingThresholdMetersPerSecond, fastWalkMetersPerSecond)
    }

    /// Returns the largest distance of the fixes of a stop from its centre, metres.
    /// - Parameter accuracyMeters: The accuracy of the receiver, which may be worse than the radius.
    func stopRadiusMeters(accuracyMeters: Double) -> Double {
        max(baseStopRadiusMeters, min(accuracyMeters, 2 * baseStopRadiusMeters))
    }
}
