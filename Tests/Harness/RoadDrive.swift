import OdographGeodesy
import Glibc

/// A simulated drive on roads of a kind: the truth, and the receiver's view of it ten times a second.
///
/// The position error keeps its direction for minutes. The error of the velocity vector is correlated over about a
/// second (the memory of a filter), so that low speeds are reported slightly too high, as by a real receiver.
public struct RoadDrive: Sendable {
    /// The receiver's report and the truth at one instant.
    public struct Sight: Sendable {
        /// The time since the start of the drive, seconds.
        public var seconds: Double
        /// The reported position.
        public var coordinate: Coordinate
        /// The true position.
        public var place: Coordinate
        /// The reported speed, m/s.
        public var speedMetersPerSecond: Double
        /// The reported direction of travel, degrees from north, 0 up to 360.
        public var headingDegrees: Double
        /// The true distance since the start, metres.
        public var trueMeters: Double
    }

    /// The reports, one each 0.1 s.
    public private(set) var sights: [Sight] = []
    /// The accuracy: 95 % radius, metres.
    public let accuracyMeters: Double

    private static let step = 0.1
    /// The acceleration of a brisk driver, m/s².
    private static let acceleration = 1.5
    private static let braking = 2.0

    private let velocityNoise: Double
    private var random: SplitMix64
    private var place: Coordinate
    private var heading: Double
    private var speed = 0.0
    private var meters = 0.0
    private var pieces: [SimulatedRoad.Piece] = []
    /// The distance since the beginning of the current piece, metres.
    private var along = 0.0
    private var haltSeconds = 0.0
    private var positionError = LocalPoint.zero
    private var velocityError = LocalPoint.zero

    /// - Parameters:
    ///   - road: The kind of road.
    ///   - seed: The same seed gives the same drive.
    ///   - seconds: The duration, with one or two minutes of parking at both ends.
    ///   - start: The first position.
    public init(on road: SimulatedRoad, seed: UInt64, seconds: Double, from start: Coordinate) {
        random = SplitMix64(seed: seed)
        place = start
        heading = Double.random(in: 0..<360, using: &random)
        accuracyMeters = Double.random(in: 2...12, using: &random)
        velocityNoise = Double.random(in: 0.03...0.2, using: &random)
        positionError = LocalPoint(
            eastMeters: accuracyMeters / 2.45 * random.normal(), northMeters: accuracyMeters / 2.45 * random.normal())
        let begin = Double.random(in: 30...120, using: &random)
        let end = seconds - Double.random(in: 30...120, using: &random)
        sights.reserveCapacity(Int(seconds / Self.step))
        for index in 0..<Int(seconds / Self.step) {
            let time = Double(index) * Self.step
            err()
            see(at: time)
            guard time >= begin else { continue }
            if time > end { speed = max(speed - Self.braking * Self.step, 0) } else { drive() }
            move(on: road, at: time / seconds)
        }
    }

    /// Returns the reports at an interval.
    /// - Parameters:
    ///   - seconds: The interval, a multiple of 0.1.
    ///   - offset: The time of the first report, seconds.
    public func sights(everySeconds seconds: Double, after offset: Double = 0) -> [Sight] {
        let (first, step) = (Int((offset / Self.step).rounded()), Int((seconds / Self.step).rounded()))
        return stride(from: first, to: sights.count, by: step).map { sights[$0] }
    }

    /// Advances the speed: as fast as the road allows, with braking in time for the next pieces.
    private mutating func drive() {
        guard haltSeconds <= 0 else {
            haltSeconds -= Self.step
            speed = 0
            return
        }
        var wanted = pieces.first?.limitMetersPerSecond ?? 0
        var ahead = -along
        for piece in pieces {
            if ahead > 0 {
                let limit = piece.limitMetersPerSecond
                wanted = min(wanted, (limit * limit + 2 * Self.braking * ahead).squareRoot())
            }
            ahead += piece.lengthMeters
            if piece.haltSeconds > 0 {
                wanted = min(wanted, (2 * Self.braking * max(ahead - 1, 0)).squareRoot() + 0.3)
                break
            }
        }
        speed += max(min(wanted - speed, Self.acceleration * Self.step), -2 * Self.braking * Self.step)
        speed = max(speed, 0)
    }

    private mutating func move(on road: SimulatedRoad, at share: Double) {
        // A fast vehicle needs some hundred metres to brake.
        while pieces.reduce(0, { $0 + $1.lengthMeters }) < along + 400 {
            pieces += road.pieces(at: share, using: &random)
        }
        let way = speed * Self.step
        guard way > 0 else { return }
        let curvature = pieces[0].curvature
        heading += curvature * way / 2 * 180 / .pi
        place = place.destination(headingDegrees: heading, distanceMeters: way)
        heading += curvature * way / 2 * 180 / .pi
        meters += way
        along += way
        if along >= pieces[0].lengthMeters {
            along -= pieces[0].lengthMeters
            haltSeconds = pieces.removeFirst().haltSeconds
        }
    }

    private mutating func err() {
        positionError = random.wandered(
            from: positionError, seconds: Self.step, memorySeconds: 120, deviation: accuracyMeters / 2.45)
        velocityError = random.wandered(
            from: velocityError, seconds: Self.step, memorySeconds: 1, deviation: velocityNoise)
    }

    private mutating func see(at time: Double) {
        let radians = heading * .pi / 180
        let eastSpeed = speed * sin(radians) + velocityError.eastMeters
        let northSpeed = speed * cos(radians) + velocityError.northMeters
        let degrees = atan2(eastSpeed, northSpeed) * 180 / .pi
        sights.append(
            Sight(
                seconds: time, coordinate: LocalPlane(origin: place).coordinate(of: positionError), place: place,
                speedMetersPerSecond: (eastSpeed * eastSpeed + northSpeed * northSpeed).squareRoot(),
                headingDegrees: degrees < 0 ? degrees + 360 : degrees, trueMeters: meters))
    }
}
