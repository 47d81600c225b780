import CivilTime
import Geodesy
import Glibc
import Measuring
import Tracking

/// A receiver that stays, in a parked vehicle or with somebody in a building, while satellites come and go: its accuracy
/// and its error change in steps, it hops, somebody walks from room to room. No departure is to be told, but soon when
/// somebody comes out at last and waits beside the vehicle.
struct StayingReceiver {
    private struct Scene {
        var name: String
        /// The accuracy is somewhere here for a while, metres.
        var accuracyMeters: ClosedRange<Double>
        /// For so long on average, seconds.
        var stepSeconds: Double
        /// How much larger the errors are than the receiver owns up to.
        var dishonesty = 1.0
        /// How often a position hops for up to a minute, and how far, metres.
        var hopSeconds = Double.infinity
        var hopMeters = 0.0
        /// How far apart two rooms are, metres.
        var roomsMeters = 0.0
    }

    private static let parked = [
        Scene(name: "in the open", accuracyMeters: 2.5...6, stepSeconds: 300),
        Scene(
            name: "in the open, errs twice as much as it says", accuracyMeters: 2.5...6, stepSeconds: 300, dishonesty: 2
        ),
        Scene(name: "under trees", accuracyMeters: 3...15, stepSeconds: 300),
        Scene(
            name: "street canyon, hops", accuracyMeters: 4...40, stepSeconds: 300, hopSeconds: 200, hopMeters: 40),
    ]
    private static let indoors = [
        Scene(name: "indoors", accuracyMeters: 8...60, stepSeconds: 120),
        Scene(name: "indoors, now and then at a window", accuracyMeters: 3...30, stepSeconds: 240),
        Scene(name: "indoors, hops", accuracyMeters: 5...60, stepSeconds: 120, hopSeconds: 100, hopMeters: 30),
        Scene(name: "two rooms 15 m apart", accuracyMeters: 3...20, stepSeconds: 600, roomsMeters: 15),
    ]
    private static let hours = 2.0
    private static let stays = 12 as UInt64

    func report() {
        for scene in Self.parked { report(scene, isVehicle: true) }
        for scene in Self.indoors { report(scene, isVehicle: false) }
        for scene in Self.parked { reportDistance(scene) }
        reportComingOut()
    }

    /// What a vehicle drives by the odometer that stood all the time.
    private func reportDistance(_ scene: Scene) {
        let captures = (1...Self.stays).map { seed in
            var track = StayTrack(seed: seed)
            stay(scene, seconds: Int(Self.hours * 3600), &track)
            return Capture(fixes: track.fixes)
        }
        let outcomes = captures.map { Outcome($0) }
        let ours = outcomes.map { $0.meters / Self.hours }
        let naive = captures.map { $0.lineMeters / Self.hours }
        row(
            "parked \(scene.name): false metres an hour, median and p90; trips",
            "\(text(ours.median, 1)), \(text(ours.quantile(0.9), 1)); \(outcomes.reduce(0) { $0 + $1.trips.count })",
            naive: "\(text(naive.median, 0)), \(text(naive.quantile(0.9), 0))", bar: "2, 20; 0")
    }

    private func report(_ scene: Scene, isVehicle: Bool) {
        var told = 0
        for seed in 1...Self.stays {
            var track = StayTrack(seed: seed)
            track.arrive(onFoot: !isVehicle)
            stay(scene, seconds: Int(Self.hours * 3600), &track)
            told += Outcome(Capture(fixes: track.fixes)).takenBack
        }
        row(
            "\(isVehicle ? "parked" : "phone") \(scene.name): departures taken back an hour",
            text(Double(told) / (Self.hours * Double(Self.stays))), bar: "rare")
    }

    /// An hour indoors, 15 to 30 m out of the door, a wait, a ride.
    private func reportComingOut() {
        var delays: [Double] = []
        var errors: [Double] = []
        for seed in 1...(2 * Self.stays) {
            var track = StayTrack(seed: seed)
            track.arrive(onFoot: true)
            stay(Scene(name: "", accuracyMeters: 8...40, stepSeconds: 120), seconds: 3600, &track)
            let out = track.time
            track.go(seconds: 12 + Int(seed % 12), metersPerSecond: 1.3, headingDegrees: 0)
            track.go(seconds: 100, metersPerSecond: 0)
            track.go(seconds: 300, metersPerSecond: 6)
            let outcome = Outcome(Capture(fixes: track.fixes))
            let trip = outcome.trips.first { $0.start.seconds(since: out) > -120 }
            guard let start = trip?.start else { continue }
            delays += outcome.delay(of: "transport", startingAt: start)
            errors.append(abs(start.seconds(since: out)))
        }
        row(
            "coming out of a building and waiting: told within 60 s",
            "\(delays.count { $0 <= 60 }) of \(2 * Self.stays)", bar: "all")
        row(
            "  start, |median| and p90 (s)", "\(text(errors.median, 0)), \(text(errors.quantile(0.9), 0))",
            bar: "30, 100")
    }

    private func stay(_ scene: Scene, seconds: Int, _ track: inout StayTrack) {
        let (low, high) = (log(scene.accuracyMeters.lowerBound), log(scene.accuracyMeters.upperBound))
        var accuracy = scene.accuracyMeters.lowerBound
        var (stepLeft, hopLeft, room, target) = (0.0, 0.0, 0.0, 0.0)
        var (bias, hop, wander) = (LocalPoint.zero, LocalPoint.zero, LocalPoint.zero)
        let keep = exp(-1.0 / 60)
        for _ in 0..<seconds {
            if stepLeft <= 0 {
                stepLeft = -log(track.draw(1e-9...1)) * scene.stepSeconds
                accuracy = exp(track.draw(low...high))
                bias = track.scatter(0.8 * scene.dishonesty * accuracy / 2.45)
                target = track.draw(0...1) < 0.5 ? 0 : scene.roomsMeters
            }
            if hopLeft <= 0, track.draw(0...1) * scene.hopSeconds < 1 {
                hopLeft = track.draw(3...60)
                hop = track.scatter(scene.hopMeters / 2)
            }
            stepLeft -= 1
            hopLeft -= 1
            room += min(max(target - room, -1), 1)
            let fresh = 0.6 * scene.dishonesty * accuracy / 2.45 * (1 - keep * keep).squareRoot()
            wander = wander.scaled(by: keep).plus(track.scatter(fresh))
            var error = bias.plus(wander).plus(LocalPoint(eastMeters: room, northMeters: 0))
            if hopLeft > 0 { error = error.plus(hop) }
            track.fix(error, accuracyMeters: accuracy, speed: 0, speedNoise: 0.05 + 0.02 * accuracy)
        }
    }
}

/// The fixes of a drive to a place, of what is done there, and of the way from it.
private struct StayTrack {
    private(set) var fixes: [Fix] = []
    private(set) var time = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)
    private var random: SplitMix64
    private var place = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37)

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func draw(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }

    mutating func scatter(_ deviation: Double) -> LocalPoint {
        LocalPoint(eastMeters: random.normal() * deviation, northMeters: random.normal() * deviation)
    }

    mutating func arrive(onFoot: Bool) {
        go(seconds: 300, metersPerSecond: 0)
        go(seconds: 400, metersPerSecond: 10)
        guard onFoot else { return }
        go(seconds: 20, metersPerSecond: 0)
        go(seconds: 90, metersPerSecond: 1.3, headingDegrees: 0)
    }

    mutating func go(seconds: Int, metersPerSecond speed: Double, headingDegrees heading: Double = 90) {
        for _ in 0..<seconds {
            fix(scatter(0.5), accuracyMeters: 4, speed: speed, speedNoise: 0.1)
            place = place?.destination(headingDegrees: heading, distanceMeters: speed)
        }
    }

    mutating func fix(_ error: LocalPoint, accuracyMeters: Double, speed: Double, speedNoise: Double) {
        guard let place else { return }
        fixes.append(
            Fix(
                timestamp: time, received: Moment(replayed: time),
                coordinate: LocalPlane(origin: place).coordinate(of: error), accuracyMeters: accuracyMeters,
                speedMetersPerSecond: abs(speed + random.normal() * speedNoise)))
        time = time.advanced(bySeconds: 1)
    }
}

extension LocalPoint {
    fileprivate static var zero: LocalPoint { LocalPoint(eastMeters: 0, northMeters: 0) }

    fileprivate func plus(_ other: LocalPoint) -> LocalPoint {
        LocalPoint(eastMeters: eastMeters + other.eastMeters, northMeters: northMeters + other.northMeters)
    }

    fileprivate func scaled(by factor: Double) -> LocalPoint {
        LocalPoint(eastMeters: eastMeters * factor, northMeters: northMeters * factor)
    }
}
