import Glibc
import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel

/// A simulated vehicle that drives, creeps and halts, with its receiver's fixes, one a second, and its true trips.
struct HaltingVehicle {
    /// The acceleration and the braking, m/s².
    private static let acceleration = 1.2

    private(set) var fixes: [Fix] = []
    /// The true trips: from the first movement to the last.
    private(set) var trips: [Span] = []
    private(set) var trueMeters = 0.0
    private var random: SplitMix64
    private let accuracyMeters: Double
    private var time = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)
    private var place = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37)
    private var heading = 90.0
    private var error: LocalPoint
    private var isHalting = false

    /// - Parameters:
    ///   - seed: The same seed gives the same scene.
    ///   - accuracy: the 95 % radius of the positions, metres.
    init(seed: UInt64, accuracyMeters accuracy: ClosedRange<Double> = 3...10) {
        random = SplitMix64(seed: seed)
        accuracyMeters = Double.random(in: accuracy, using: &random)
        error = random.scatter(accuracyMeters / 2.45)
    }

    /// Stays, which ends the trip.
    mutating func park(seconds: Double) {
        isHalting = false
        wait(seconds: seconds)
    }

    /// Halts, which belongs to the trip.
    mutating func halt(seconds: ClosedRange<Double>) {
        isHalting = true
        wait(seconds: Double.random(in: seconds, using: &random))
    }

    /// Drives some distance from a rest to a rest, at most as fast as given, and slightly round a bend.
    mutating func go(
        meters: ClosedRange<Double>, metersPerSecond speeds: ClosedRange<Double>,
        turnDegrees turns: ClosedRange<Double> = 0...0
    ) {
        let start = time
        let meters = Double.random(in: meters, using: &random)
        let limit = Double.random(in: speeds, using: &random)
        let turn = Double.random(in: turns, using: &random)
        var (speed, left) = (0.0, meters)
        while left > 0.05 {
            let wanted = min(limit, (2 * Self.acceleration * left).squareRoot())
            speed = max(min(speed + Self.acceleration, wanted), 0.1)
            let way = min(speed, left)
            heading += turn * way / meters
            place = place?.destination(headingDegrees: heading, distanceMeters: way)
            (left, trueMeters) = (left - way, trueMeters + way)
            see(speed: way)
        }
        if isHalting, !trips.isEmpty {
            trips[trips.count - 1].end = time
        } else {
            trips.append(Span(start: start, end: time))
        }
    }

    /// Passes time without fixes, at a speed. That divides the trip.
    mutating func vanish(seconds: Double, metersPerSecond speed: Double) {
        place = place?.destination(headingDegrees: heading, distanceMeters: speed * seconds)
        trueMeters += speed * seconds
        time = time.advanced(bySeconds: seconds)
        isHalting = false
    }

    private mutating func wait(seconds: Double) {
        for _ in 0..<Int(seconds) { see(speed: 0) }
    }

    private mutating func see(speed: Double) {
        guard let place else { return }
        error = random.wandered(from: error, seconds: 1, memorySeconds: 120, deviation: accuracyMeters / 2.45)
        let seen = error + random.scatter(0.3)
        fixes.append(
            Fix(
                timestamp: time, received: ClockReading(replayed: time),
                coordinate: LocalPlane(origin: place).coordinate(of: seen), accuracyMeters: accuracyMeters,
                speedMetersPerSecond: abs(speed + 0.1 * random.normal())))
        time = time.advanced(bySeconds: 1)
    }
}
