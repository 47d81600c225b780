import OdographGeodesy
import Glibc

/// A simulation of a receiver's errors under a changing sky: houses, trees or walls hide satellites.
///
/// The accuracy changes in steps of some minutes, and the error with it. The position wanders, and jumps for a while
/// when the receiver uses a reflected signal. A receiver that smooths its positions lets them glide there and back, and
/// a part of the glide gets into its speed. Doppler speeds are far quieter, because a reflection from a fixed surface
/// has nearly the Doppler shift of the signal, except while a reflecting object passes.
public struct ChangingSky: Sendable {
    /// The range of the accuracy, metres.
    public var accuracyMeters: ClosedRange<Double>
    /// The mean duration of a step of the accuracy, seconds.
    public var stepSeconds: Double
    /// The ratio of the real errors to the reported accuracy.
    public var dishonesty = 1.0
    /// The mean time between multipath jumps, seconds.
    public var hopSeconds = Double.infinity
    /// The range of a jump's duration, seconds.
    public var hopLasts = 3.0...60
    /// The size of a jump, metres: two standard deviations of an axis.
    public var hopMeters = 0.0
    /// The time constant with which the position glides to its target, seconds. 0: it jumps at once.
    public var glideSeconds = 0.0
    /// The share of a glide's speed that appears in the reported speed, 0 to 1.
    public var glideInSpeed = 0.0
    /// The distance between the two rooms between which the person walks, metres.
    public var roomsMeters = 0.0
    /// The mean time between passing objects that disturb the speed, seconds.
    public var passingSeconds = Double.infinity
    /// The false speed while an object passes, m/s.
    public var passingMetersPerSecond = 0.0
    /// The noise of the speed as a ratio to the usual noise.
    public var speedNoise = 1.0
    /// The speed below which the receiver reports exactly 0, m/s.
    public var holdMetersPerSecond = 0.0
    /// Whether the receiver reports speeds.
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

    /// - Parameters: As the properties of the same names.
    public init(accuracyMeters: ClosedRange<Double>, stepSeconds: Double = 300) {
        self.accuracyMeters = accuracyMeters
        self.stepSeconds = stepSeconds
        accuracy = accuracyMeters.lowerBound
    }

    /// A street between high houses: jumps of half a minute every few minutes.
    public static var canyon: ChangingSky {
        var sky = ChangingSky(accuracyMeters: 4...40)
        sky.hopSeconds = 200
        sky.hopMeters = 40
        return sky
    }

    /// The errors at one moment.
    public struct Sight: Sendable {
        /// The error of the position.
        public var error: LocalPoint
        /// The reported accuracy: 95 % radius, metres.
        public var accuracyMeters: Double
        /// The standard deviation of the speed, m/s.
        public var speedNoise: Double
        /// The false speed of a stationary receiver, m/s.
        public var falseMetersPerSecond: Double
        /// The speed below which the receiver reports exactly 0, m/s.
        public var holdMetersPerSecond: Double
    }

    /// Advances by a second and returns the errors.
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
                + (passingLeft > 0 ? passingMetersPerSecond : 0), holdMetersPerSecond: holdMetersPerSecond)
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
    /// Returns a random point about the origin.
    /// - Parameter deviation: The standard deviation of an axis, metres.
    public mutating func scatter(_ deviation: Double) -> LocalPoint {
        LocalPoint(eastMeters: normal() * deviation, northMeters: normal() * deviation)
    }

    /// Returns the next value of a correlated error, such as multipath: a Gauss-Markov process in the plane.
    /// - Parameters:
    ///   - error: The previous value.
    ///   - seconds: The time since the previous value.
    ///   - memorySeconds: The time constant of the exponential decay.
    ///   - deviation: The standard deviation of an axis, metres.
    public mutating func wandered(
        from error: LocalPoint, seconds: Double, memorySeconds: Double, deviation: Double
    ) -> LocalPoint {
        let keep = exp(-seconds / memorySeconds)
        return error.scaled(by: keep) + scatter(deviation * (1 - keep * keep).squareRoot())
    }
}
