import CivilTime
import Geodesy
import Glibc
import Measuring
import Tracking

/// The odometer on drives that are made up, where the truth is known to the millimetre: at 10 Hz and at one fix a minute.
///
/// The vehicle starts, goes between lights and bends at a rate of turn, and stops. The receiver's position errs for
/// minutes in one direction; its velocity, a vector, errs for about a second alike (a filter's memory), so that the speed
/// reported is a little too large where it is small, as a real receiver's is.
struct SimulatedDistances {
    private static let drives: ClosedRange<UInt64> = 1...40

    func report() {
        guard let start = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37) else { return }
        for seconds in [0.1, 1, 10, 30, 60] {
            var coverage = Coverage("simulated, a fix in \(text(seconds, seconds < 1 ? 1 : 0)) s")
            for seed in Self.drives {
                var drive = Drive(seed: seed, from: start)
                let capture = drive.capture(everySeconds: seconds)
                let outcome = Outcome(capture)
                coverage.add(
                    error: outcome.meters / drive.trueMeters - 1, bound: outcome.errorMeters / drive.trueMeters,
                    naive: capture.lineMeters / drive.trueMeters - 1)
            }
            coverage.report()
        }
    }

    /// One drive of about twenty minutes, a step of a tenth of a second after the other.
    private struct Drive {
        private static let step = 0.1
        private(set) var trueMeters = 0.0
        private var random: SplitMix64
        private var place: Coordinate
        private var heading: Double
        private var turn = 0.0
        private var speed = 0.0
        private var wanted = 0.0
        /// 95 % radius, metres, and one standard deviation of a component of the velocity, m/s: good receivers and bad.
        private let accuracyMeters: Double
        private let velocityNoise: Double
        /// From a town to a motorway.
        private let secondsBetweenBends: Double
        private var positionError = LocalPoint(eastMeters: 0, northMeters: 0)
        private var velocityError = LocalPoint(eastMeters: 0, northMeters: 0)

        init(seed: UInt64, from start: Coordinate) {
            random = SplitMix64(seed: seed)
            place = start
            heading = Double.random(in: 0..<(2 * .pi), using: &random)
            accuracyMeters = Double.random(in: 2...12, using: &random)
            velocityNoise = Double.random(in: 0.03...0.2, using: &random)
            secondsBetweenBends = exp(Double.random(in: log(12)...log(120), using: &random))
        }

        mutating func capture(everySeconds seconds: Double) -> Capture {
            let start = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)
            let every = Int((seconds / Self.step).rounded())
            var fixes: [Fix] = []
            for index in 0..<Int(1200 / Self.step) {
                let time = Double(index) * Self.step
                choose(at: time)
                err()
                if index % every == 0 { fixes.append(fix(at: start.advanced(bySeconds: time))) }
                advance()
            }
            return Capture(fixes: fixes)
        }

        /// What the driver is after: a minute parked at both ends, a light in the way about once a minute, a bend now and
        /// then.
        private mutating func choose(at time: Double) {
            if time < 60 || time > 1140 {
                wanted = 0
            } else if wanted == 0 {
                if chance(everySeconds: 25) || time < 60 + Self.step {
                    wanted = Double.random(in: 6...25, using: &random)
                }
            } else if chance(everySeconds: 70) {
                wanted = 0
            } else if chance(everySeconds: 20) {
                wanted = Double.random(in: 6...25, using: &random)
            }
            // A corner of 90° takes 5 s at 0.3 rad/s; nobody takes it faster than 3 m/s² sideways.
            if chance(everySeconds: turn == 0 ? secondsBetweenBends : 5) {
                let limit = min(0.35, 3 / max(speed, 1))
                turn = turn == 0 ? Double.random(in: -limit...limit, using: &random) : 0
            }
        }

        private mutating func chance(everySeconds seconds: Double) -> Bool {
            Double.random(in: 0..<1, using: &random) < Self.step / seconds
        }

        private mutating func advance() {
            // 1.5 m/s² up and 2.5 down are a brisk driver's.
            speed += max(min(wanted - speed, 1.5 * Self.step), -2.5 * Self.step)
            heading += turn * Self.step * (speed > 0 ? 1 : 0)
            let way = speed * Self.step
            if way > 0 { place = place.destination(headingDegrees: heading * 180 / .pi, distanceMeters: way) }
            trueMeters += way
        }

        private mutating func err() {
            positionError = next(positionError, memorySeconds: 120, deviation: accuracyMeters / 2.45)
            velocityError = next(velocityError, memorySeconds: 1, deviation: velocityNoise)
        }

        private mutating func next(_ error: LocalPoint, memorySeconds: Double, deviation: Double) -> LocalPoint {
            let keep = exp(-Self.step / memorySeconds)
            let fresh = deviation * (1 - keep * keep).squareRoot()
            return LocalPoint(
                eastMeters: error.eastMeters * keep + fresh * random.normal(),
                northMeters: error.northMeters * keep + fresh * random.normal())
        }

        private mutating func fix(at time: Timestamp) -> Fix {
            let eastSpeed = speed * sin(heading) + velocityError.eastMeters
            let northSpeed = speed * cos(heading) + velocityError.northMeters
            let degrees = atan2(eastSpeed, northSpeed) * 180 / .pi
            return Fix(
                timestamp: time, received: Moment(replayed: time),
                coordinate: LocalPlane(origin: place).coordinate(of: positionError),
                accuracyMeters: accuracyMeters,
                speedMetersPerSecond: (eastSpeed * eastSpeed + northSpeed * northSpeed).squareRoot(),
                headingDegrees: degrees < 0 ? degrees + 360 : degrees)
        }
    }
}
