import OdographCivilTime
import OdographGeodesy
import OdographModel
import OdographTracking

/// The fixes of a drive to a place, of the stop there and of the departure, one a second.
public struct StayTrack: Sendable {
    /// The way in which a vehicle leaves a parking space.
    public enum Leaving: String, Sendable, CaseIterable {
        case atOnce
        /// Slowly out of the space, with short stops.
        case creeping
        /// In a queue that moves by a few vehicle lengths at a time.
        case queueing
    }

    /// The fixes, oldest first.
    public private(set) var fixes: [Fix] = []
    /// The time of the next fix.
    public private(set) var time = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)
    /// The true distance, metres.
    public private(set) var trueMeters = 0.0
    private var random: SplitMix64
    private var heading = 90.0
    private var place = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37)

    /// - Parameter seed: The same seed gives the same track.
    public init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Drives to the place, and parks or continues on foot.
    public mutating func arrive(onFoot: Bool) {
        go(seconds: 300, metersPerSecond: 0)
        go(seconds: 400, metersPerSecond: 10)
        guard onFoot else { return }
        go(seconds: 20, metersPerSecond: 0)
        go(seconds: 90, metersPerSecond: 1.3, headingDegrees: 0)
    }

    /// Moves, or is stationary, in the open.
    public mutating func go(seconds: Int, metersPerSecond speed: Double, headingDegrees heading: Double = 90) {
        for _ in 0..<seconds {
            fix(random.scatter(0.5), accuracyMeters: 4, speed: speed + random.normal() * 0.1)
            move(speed, headingDegrees: heading)
        }
    }

    /// Adds fixes of a stop under a sky.
    public mutating func stay(under sky: inout ChangingSky, seconds: Int) {
        for _ in 0..<seconds { see(sky.next(using: &random), at: 0, tellsSpeed: sky.tellsSpeed) }
    }

    /// Leaves a parking space under a sky, then drives in town for some minutes, with traffic lights.
    public mutating func leave(_ leaving: Leaving, under sky: inout ChangingSky) {
        var speed = 0.0
        switch leaving {
        case .atOnce: break
        case .creeping:
            for _ in 0..<2 {
                drive(&speed, to: 1.1, by: 0.4, seconds: 8, under: &sky)
                drive(&speed, to: 0, by: 1, seconds: 8, under: &sky)
            }
        case .queueing:
            for _ in 0..<4 {
                drive(&speed, to: 3, by: 0.8, seconds: 8, under: &sky)
                drive(&speed, to: 0, by: 1, seconds: 14, under: &sky)
            }
        }
        for _ in 0..<12 {
            heading += [0, 0, 90, -90].randomElement(using: &random) ?? 0
            let seconds = Int.random(in: 15...35, using: &random)
            drive(&speed, to: .random(in: 6...11, using: &random), by: 1.2, seconds: seconds, under: &sky)
            let isRed = Double.random(in: 0..<1, using: &random) < 0.6
            let wait = isRed ? Int.random(in: 10...40, using: &random) : 0
            drive(&speed, to: 0, by: 1, seconds: wait, under: &sky)
        }
        drive(&speed, to: 0, by: 1, seconds: 8, under: &sky)
    }

    /// Drives under a sky and changes to a target speed, by an acceleration or by braking at 1.5 m/s².
    private mutating func drive(
        _ speed: inout Double, to target: Double, by acceleration: Double, seconds: Int, under sky: inout ChangingSky
    ) {
        for _ in 0..<seconds {
            speed = speed < target ? min(speed + acceleration, target) : max(speed - 1.5, target)
            move(speed, headingDegrees: heading)
            see(sky.next(using: &random), at: speed, tellsSpeed: sky.tellsSpeed)
        }
    }

    private mutating func move(_ meters: Double, headingDegrees heading: Double) {
        place = place?.destination(headingDegrees: heading, distanceMeters: meters)
        trueMeters += meters
    }

    private mutating func see(_ sight: ChangingSky.Sight, at speed: Double, tellsSpeed: Bool) {
        let seen = abs(speed + random.normal() * sight.speedNoise) + (speed < 0.5 ? sight.falseMetersPerSecond : 0)
        let told = seen < sight.holdMetersPerSecond ? 0 : seen
        fix(sight.error, accuracyMeters: sight.accuracyMeters, speed: tellsSpeed ? told : nil)
    }

    private mutating func fix(_ error: LocalPoint, accuracyMeters: Double, speed: Double?) {
        guard let place else { return }
        fixes.append(
            Fix(
                timestamp: time, received: ClockReading(replayed: time),
                coordinate: LocalPlane(origin: place).coordinate(of: error), accuracyMeters: accuracyMeters,
                speedMetersPerSecond: speed.map(abs)))
        time = time.advanced(bySeconds: 1)
    }
}
