import Geodesy
import Glibc

/// What a receiver makes of a sky that changes, fix by fix: satellites come and go behind houses, trees or walls.
///
/// Its accuracy changes in steps of some minutes, and its error with it; the position wanders, and hops for a while where a
/// reflection is taken for the signal. A receiver that steadies its positions lets them glide there and back instead, and
/// some of that gets into its speed. Doppler speeds stay far quieter, since a reflection that stands still has nearly the
/// Doppler of the signal, but for the moments when something passes that reflects and moves.
public struct ChangingSky: Sendable {
    /// The accuracy is somewhere here for a while, metres.
    public var accuracyMeters: ClosedRange<Double>
    /// For so long on average, seconds.
    public var stepSeconds: Double
    /// How much larger the errors are than the receiver owns up to.
    public var dishonesty = 1.0
    /// How often a position hops, seconds on average.
    public var hopSeconds = Double.infinity
    /// How long it stays there, seconds.
    public var hopLasts = 3.0...60
    /// How far it hops, metres: two standard deviations of an axis.
    public var hopMeters = 0.0
    /// What is left of the difference to where it hops is an e-th after so many seconds; 0: it hops at once.
    public var glideSeconds = 0.0
    /// How much of the speed of a glide gets into that told, 0 to 1.
    public var glideInSpeed = 0.0
    /// How far apart two rooms are between which somebody goes, metres.
    public var roomsMeters = 0.0
    /// How often something passes that spoils the speed, seconds on average.
    public var passingSeconds = Double.infinity
    /// How fast it seems for these moments, m/s.
    public var passingMetersPerSecond = 0.0
    /// The noise of the speed, as a part of the usual.
    public var speedNoise = 1.0
    /// Whether speeds are told.
    public var tellsSpeed = true

    private var accuracy: Double
    private var stepLeft = 0.0
    private var hopLeft = 0.0
    private var passingLeft = 0.0
    private var room = 0.0
    private var nextRoom = 0.0
    private var bias = LocalPoint.zero
    private var hop = LocalPoint.zero
    private var wander = LocalPoint.zero
    private var steady = LocalPoint.zero

    /// - Parameters: as the properties of the same names.
    public init(accuracyMeters: ClosedRange<Double>, stepSeconds: Double = 300) {
        self.accuracyMeters = accuracyMeters
        self.stepSeconds = stepSeconds
        accuracy = accuracyMeters.lowerBound
    }

    /// A street between high houses: half a minute of another place every few minutes.
    public static var canyon: ChangingSky {
        var sky = ChangingSky(accuracyMeters: 4...40)
        sky.hopSeconds = 200
        sky.hopMeters = 40
        return sky
    }

    /// What is wrong at a moment.
    public struct Sight: Sendable {
        /// How far the position is off.
        public var error: LocalPoint
        /// 95 % radius that the receiver owns up to, metres.
        public var accuracyMeters: Double
        /// One standard error of the speed, m/s.
        public var speedNoise: Double
        /// How fast it seems to be that stands, m/s.
        public var falseMetersPerSecond: Double
    }

    /// A second later.
    public mutating func next(using random: inout SplitMix64) -> Sight {
        change(using: &random)
        room += min(max(nextRoom - room, -1), 1)
        wander = random.wandered(
            from: wander, seconds: 1, memorySeconds: 60, deviation: 0.6 * dishonesty * accuracy / 2.45)
        var target = bias + LocalPoint(eastMeters: room, northMeters: 0)
        if hopLeft > 0 { target = target + hop }
        let glide = (target + steady.scaled(by: -1)).scaled(by: glideSeconds > 0 ? 1 - exp(-1 / glideSeconds) : 1)
        steady = steady + glide
        return Sight(
            error: steady + wander, accuracyMeters: accuracy, speedNoise: speedNoise * (0.05 + 0.02 * accuracy),
            falseMetersPerSecond: glideInSpeed * glide.distanceMeters(to: .zero)
                + (passingLeft > 0 ? passingMetersPerSecond : 0))
    }

    private mutating func change(using random: inout SplitMix64) {
        func draw(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
        if stepLeft <= 0 {
            stepLeft = -log(draw(1e-9...1)) * stepSeconds
            accuracy = exp(draw(log(accuracyMeters.lowerBound)...log(accuracyMeters.upperBound)))
            bias = random.scatter(0.8 * dishonesty * accuracy / 2.45)
            nextRoom = draw(0...1) < 0.5 ? 0 : roomsMeters
        }
        if hopLeft <= 0, draw(0...1) * hopSeconds < 1 {
            hopLeft = draw(hopLasts)
            hop = random.scatter(hopMeters / 2)
        }
        if passingLeft <= 0, passingSeconds < .infinity, draw(0...1) * passingSeconds < 1 {
            passingLeft = 1 - 2 * log(draw(1e-9...1))
        }
        stepLeft -= 1
        hopLeft -= 1
        passingLeft -= 1
    }
}

extension SplitMix64 {
    /// A point about the origin, one standard deviation of an axis given in metres.
    public mutating func scatter(_ deviation: Double) -> LocalPoint {
        LocalPoint(eastMeters: normal() * deviation, northMeters: normal() * deviation)
    }

    /// The next value of an error with a memory, as that of multipath: a Gauss-Markov process in the plane.
    /// - Parameters:
    ///   - error: the value before.
    ///   - seconds: how long ago that was.
    ///   - memorySeconds: by then an e-th of it is left.
    ///   - deviation: one standard deviation of an axis, metres.
    public mutating func wandered(
        from error: LocalPoint, seconds: Double, memorySeconds: Double, deviation: Double
    ) -> LocalPoint {
        let keep = exp(-seconds / memorySeconds)
        return error.scaled(by: keep) + scatter(deviation * (1 - keep * keep).squareRoot())
    }
}
