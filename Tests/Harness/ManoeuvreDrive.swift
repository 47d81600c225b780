import Glibc
import OdographCivilTime
import OdographGeodesy
import OdographModel
import OdographTracking

/// A simulated drive with known harsh manoeuvres among ordinary driving: the truth, and the view of a receiver and of
/// the wheels ten times a second.
///
/// Ordinary driving stays below two thirds of the default thresholds. A harsh manoeuvre lasts 2 to 4 s with ramps of
/// 0.4 s, and reaches 1.2 to 1.8 times its threshold. The error of the velocity over ground is correlated over about a
/// second, as in ``RoadDrive``. Every few minutes a reflected signal increases it to 0.5 to 1.5 m/s for seconds.
public struct ManoeuvreDrive: Sendable {
    /// A harsh manoeuvre.
    public struct Manoeuvre: Sendable {
        /// The kind.
        public var kind: DrivingEvent.Kind
        /// The time of the start since that of the drive, seconds.
        public var start: Double
        /// The time of the end since the start of the drive, seconds.
        public var end: Double
        /// The acceleration of its middle, in units of standard gravity.
        public var peakG: Double
    }

    /// The truth and the reports at one instant.
    public struct Sight: Sendable {
        /// The time since the start of the drive, seconds.
        public var seconds: Double
        /// The reported position.
        public var coordinate: Coordinate
        /// The true speed, m/s.
        public var trueMetersPerSecond: Double
        /// The reported speed over ground, m/s.
        public var reportedMetersPerSecond: Double
        /// The reported speed of the wheels, m/s.
        public var wheelMetersPerSecond: Double
        /// The reported direction of travel, degrees from north.
        public var headingDegrees: Double
    }

    private static let step = 0.1
    private static let gravity = 9.80665
    private static let rampSeconds = 0.4

    /// The harsh manoeuvres, in the order of time.
    public private(set) var manoeuvres: [Manoeuvre] = []
    /// The reports, one each 0.1 s.
    public private(set) var sights: [Sight] = []
    /// The driven distance, metres.
    public private(set) var meters = 0.0
    /// The accuracy: 95 % radius, metres.
    public let accuracyMeters: Double

    private var random: SplitMix64
    private let velocityNoise: Double
    private let wheelStep: Double
    private var place: Coordinate
    private var heading: Double
    private var speed = 0.0
    private var positionError = LocalPoint.zero
    private var velocityError = LocalPoint.zero
    private var reflectedUntil = 0.0
    private var reflectedNoise = 0.0
    private var time = 0.0

    /// - Parameters:
    ///   - seed: The same seed gives the same drive.
    ///   - seconds: The duration, about.
    ///   - harshShare: the share of harsh ones among the manoeuvres, 0 to 1.
    public init(seed: UInt64, seconds: Double, harshShare: Double, from start: Coordinate) {
        random = SplitMix64(seed: seed)
        place = start
        heading = Double.random(in: 0..<360, using: &random)
        accuracyMeters = Double.random(in: 2...12, using: &random)
        velocityNoise = Double.random(in: 0.03...0.2, using: &random)
        // J1939 has steps of 1/256 km/h, OBD-II of 1 km/h.
        wheelStep = (Bool.random(using: &random) ? 1 : 1.0 / 256) / 3.6
        run(along: 0, across: 0, seconds: 30)
        while time < seconds {
            if speed < 3, Double.random(in: 0..<1, using: &random) < 0.5 {
                run(along: 0, across: 0, seconds: Double.random(in: 3...40, using: &random))
            }
            if Double.random(in: 0..<1, using: &random) < harshShare { driveHarshly() } else { driveOrdinarily() }
            run(along: 0, across: 0, seconds: Double.random(in: 4...30, using: &random))
        }
    }

    private mutating func driveOrdinarily() {
        let choice = Double.random(in: 0..<1, using: &random)
        if speed < 8 || choice < 0.3, speed < 35 {
            let along = Double.random(in: 0.05...0.22, using: &random)
            run(along: along, across: 0, seconds: min(Double.random(in: 3...12, using: &random), 40 / along / 9.8))
        } else if choice < 0.6 {
            let along = Double.random(in: 0.06...0.29, using: &random)
            run(along: -along, across: 0, seconds: min(Double.random(in: 2...8, using: &random), speed / along / 9.8))
        } else if speed < 25 {
            let across = Double.random(in: 0.08...0.33, using: &random)
            run(along: 0, across: Bool.random(using: &random) ? across : -across, seconds: turnSeconds(across))
        }
    }

    /// Returns the time of a turn of at most 90° or 8 s.
    private mutating func turnSeconds(_ across: Double) -> Double {
        let quarter = Double.pi / 2 * max(speed, 1) / (across * Self.gravity)
        return min(max(quarter, 1), 8)
    }

    private mutating func driveHarshly() {
        let rule = DrivingRule()
        let seconds = Double.random(in: 2...4, using: &random)
        let factor = Double.random(in: 1.2...1.8, using: &random)
        let start = time
        if speed >= 6, speed < 25, Bool.random(using: &random) {
            let across = rule.corneringG * factor
            run(along: 0, across: Bool.random(using: &random) ? across : -across, seconds: seconds)
            note(.cornering, start, across)
        } else if speed > rule.brakingG * factor * Self.gravity * seconds {
            run(along: -rule.brakingG * factor, across: 0, seconds: seconds)
            note(.braking, start, rule.brakingG * factor)
        } else if speed < 20 {
            run(along: rule.accelerationG * factor, across: 0, seconds: seconds)
            note(.acceleration, start, rule.accelerationG * factor)
        }
    }

    private mutating func note(_ kind: DrivingEvent.Kind, _ start: Double, _ peakG: Double) {
        manoeuvres.append(Manoeuvre(kind: kind, start: start, end: time, peakG: peakG))
    }

    /// Drives for a time with an acceleration that begins and ends with ramps, in units of standard gravity.
    private mutating func run(along: Double, across: Double, seconds: Double) {
        let count = Int((seconds / Self.step).rounded())
        for index in 0..<count {
            let edge = min(Double(index) + 0.5, Double(count - index) - 0.5) * Self.step
            let share = min(edge / Self.rampSeconds, 1)
            speed = min(max(speed + along * share * Self.gravity * Self.step, 0), 45)
            if speed > 1 { heading += across * share * Self.gravity / speed * Self.step * 180 / .pi }
            advance()
        }
    }

    private mutating func advance() {
        let way = speed * Self.step
        if way > 0 { place = place.destination(headingDegrees: heading, distanceMeters: way) }
        meters += way
        time += Self.step
        if time > reflectedUntil + 1, Double.random(in: 0..<1, using: &random) < Self.step / 240 {
            reflectedUntil = time + Double.random(in: 1...4, using: &random)
            reflectedNoise = Double.random(in: 0.5...1.5, using: &random)
        }
        let noise = time < reflectedUntil ? reflectedNoise : velocityNoise
        velocityError = random.wandered(from: velocityError, seconds: Self.step, memorySeconds: 1, deviation: noise)
        positionError = random.wandered(
            from: positionError, seconds: Self.step, memorySeconds: 120, deviation: accuracyMeters / 2.45)
        let east = speed * sin(heading * .pi / 180) + velocityError.eastMeters
        let north = speed * cos(heading * .pi / 180) + velocityError.northMeters
        let wheel = max(speed * 1.02 + 0.03 * random.normal(), 0)
        sights.append(
            Sight(
                seconds: time, coordinate: LocalPlane(origin: place).coordinate(of: positionError),
                trueMetersPerSecond: speed, reportedMetersPerSecond: (east * east + north * north).squareRoot(),
                wheelMetersPerSecond: (wheel / wheelStep).rounded(.down) * wheelStep,
                headingDegrees: atan2(east, north) * 180 / .pi))
    }

    /// Returns the inputs of a tracker, oldest first.
    /// - Parameters:
    ///   - fixTenths: The time between two fixes, tenths of a second.
    ///   - wheelTenths: The time between two speeds of the wheels, tenths of a second; nil: none.
    public func inputs(fixTenths: Int, wheelTenths: Int?, from start: Timestamp) -> [TrackerInput] {
        var inputs: [TrackerInput] = []
        for (index, sight) in sights.enumerated() {
            let time = start.advanced(bySeconds: sight.seconds)
            let moment = ClockReading(replayed: time)
            if let wheelTenths, index.isMultiple(of: wheelTenths) {
                inputs.append(
                    .signals(
                        VehicleSignals(
                            source: .simulator, received: moment, wheelSpeedMetersPerSecond: sight.wheelMetersPerSecond)
                    ))
            }
            guard index % fixTenths == fixTenths / 2 else { continue }
            inputs.append(
                .fix(
                    Fix(
                        timestamp: time, received: moment, coordinate: sight.coordinate, accuracyMeters: accuracyMeters,
                        speedMetersPerSecond: sight.reportedMetersPerSecond, headingDegrees: sight.headingDegrees)))
        }
        return inputs
    }

    /// The comparison of events with the truth.
    public struct Comparison: Sendable {
        /// The number of manoeuvres with an event of their kind.
        public var found = 0
        /// The number of manoeuvres.
        public var known = 0
        /// The events without a manoeuvre of their kind, and further events of one.
        public var wrong: [DrivingEvent] = []
    }

    /// Compares events with the manoeuvres of the drive.
    public func compare(_ events: [DrivingEvent], from start: Timestamp) -> Comparison {
        var comparison = Comparison(known: manoeuvres.count)
        var open = manoeuvres
        for event in events where event.kind != .idling {
            let begin = event.start.seconds(since: start)
            let match = open.firstIndex {
                $0.kind == event.kind && begin < $0.end + 1 && begin + event.durationSeconds > $0.start - 1
            }
            if let match {
                comparison.found += 1
                open.remove(at: match)
            } else {
                comparison.wrong.append(event)
            }
        }
        return comparison
    }
}
