import OdographCivilTime
import OdographModel

/// Measures distance by a signal of the vehicle: the integral of the speed of its wheels, or its counter.
///
/// It knows the distance between two fixes as long as the signal was not interrupted between them. Where the satellites
/// measure well, it learns its scale from them.
struct SignalDistance: Equatable, Sendable, Codable {
    /// A distance at a time of the monotonic clock.
    struct Sample: Equatable, Sendable, Codable {
        var uptimeMilliseconds: Int64
        var meters: Double
    }

    /// The longest time between two readings, milliseconds.
    private static let longestStepMilliseconds: Int64 = 3000
    /// The longest time after the last reading for which it is continued, milliseconds.
    private static let longestExtrapolationMilliseconds: Int64 = 1500
    /// The readings that are kept: a fix arrives up to two seconds after its date.
    private static let maximumSamples = 32
    /// The latest arrival of a fix that shows its delay, seconds. A later one has been stored on the way.
    private static let longestDelaySeconds = 2.0
    /// The shortest stretch for the scale, metres, and the same in errors of its ends.
    private static let (stretchMeters, stretchErrors) = (500.0, 40.0)
    /// The standard error of the distance at a fix by the integral of speeds, metres: a tenth of a second at 20 m/s.
    private static let integralErrorMeters = 2.0
    /// The possible ratios of the true distance to the measured one.
    private static let possibleRatios = 0.8...1.25
    /// The distance over which the scale is forgotten, metres: tyres change slowly, and are replaced.
    private static let memoryMeters = 100_000.0
    /// The fastest vehicle, m/s, beyond which a step of the counter is a fault.
    private static let fastestMetersPerSecond = 70.0

    private var samples: [Sample]
    /// The distance at the newest fix of the odometer; nil after an interruption.
    private var mark: Sample?
    private var scale: DistanceScale
    /// The smallest step of the counter, metres; 0 for the integral of speeds.
    private var resolutionMeters: Double
    private var lastSpeedMetersPerSecond: Double?
    private var stretch: Stretch

    /// A stretch that both the satellites and the vehicle measure.
    struct Stretch: Equatable, Sendable, Codable {
        var meters = 0.0
        var measuredMeters = 0.0
        var varianceSquareMeters = 0.0
    }

    init() {
        (samples, mark, scale, stretch) = ([], nil, DistanceScale(), Stretch())
        (resolutionMeters, lastSpeedMetersPerSecond) = (0, nil)
    }

    /// The distance since the newest fix of the odometer, if no fix has come for a while, metres, ≥ 0.
    var pendingMeters: Double {
        guard scale.isKnown, let mark, let last = samples.last,
            last.uptimeMilliseconds - mark.uptimeMilliseconds > Self.longestStepMilliseconds
        else { return 0 }
        return max(last.meters - mark.meters, 0) * scale.factor
    }

    private var endErrorMeters: Double { max(Self.integralErrorMeters, resolutionMeters / 2) }

    // MARK: Readings

    /// Adds a speed of the wheels.
    mutating func add(speedMetersPerSecond speed: Double, at uptime: Int64) {
        if let last = samples.last, let before = lastSpeedMetersPerSecond {
            let step = uptime - last.uptimeMilliseconds
            guard step > 0 else { return }
            if step <= Self.longestStepMilliseconds {
                append(
                    Sample(uptimeMilliseconds: uptime, meters: last.meters + (before + speed) / 2 * Double(step) / 1000)
                )
                lastSpeedMetersPerSecond = speed
                return
            }
        }
        interrupt()
        samples = [Sample(uptimeMilliseconds: uptime, meters: 0)]
        lastSpeedMetersPerSecond = speed
    }

    /// Adds a reading of the vehicle's counter. A silence of the counter is no interruption, because it goes on
    /// counting.
    mutating func add(counterMeters meters: Double, at uptime: Int64) {
        guard let last = samples.last else {
            samples = [Sample(uptimeMilliseconds: uptime, meters: meters)]
            return
        }
        let (step, seconds) = (meters - last.meters, Double(uptime - last.uptimeMilliseconds) / 1000)
        guard seconds > 0 else { return }
        if step > 0 { resolutionMeters = resolutionMeters > 0 ? min(resolutionMeters, step) : step }
        guard step >= 0, step <= Self.fastestMetersPerSecond * seconds + 2 * resolutionMeters else {
            interrupt()
            samples = [Sample(uptimeMilliseconds: uptime, meters: meters)]
            return
        }
        append(Sample(uptimeMilliseconds: uptime, meters: meters))
    }

    private mutating func append(_ sample: Sample) {
        samples.append(sample)
        if samples.count > Self.maximumSamples { samples.removeFirst() }
    }

    /// Forgets the readings, and keeps the scale.
    mutating func interrupt() {
        (samples, mark, lastSpeedMetersPerSecond, stretch) = ([], nil, nil, Stretch())
    }

    // MARK: Fixes

    /// Returns the distance from the newest fix of the odometer to this one; nil if the signal was interrupted.
    func leg(to fix: Fix) -> SegmentDistance? {
        guard scale.isKnown, let mark, let sample = sample(at: fix) else { return nil }
        let measured = max(sample.meters - mark.meters, 0)
        return SegmentDistance(
            signalMeters: measured * scale.factor, endErrorMeters: endErrorMeters, relativeError: scale.standardError)
    }

    /// Notes that a fix is the newest of the odometer.
    mutating func mark(_ fix: Fix) { mark = sample(at: fix) }

    /// Learns the scale from a distance to a fix that the satellites measured, before ``mark(_:)``.
    /// - Parameter isComplete: whether a stretch may end here, because nothing of the distance is undecided.
    mutating func learn(from leg: SegmentDistance, to fix: Fix, isComplete: Bool) {
        guard let mark, let sample = sample(at: fix) else {
            stretch = Stretch()
            return
        }
        stretch.meters += leg.meters
        stretch.measuredMeters += sample.meters - mark.meters
        stretch.varianceSquareMeters += leg.varianceSquareMeters
        guard isComplete, stretch.meters >= max(Self.stretchMeters, Self.stretchErrors * endErrorMeters) else { return }
        let ends = 2 * endErrorMeters * endErrorMeters
        // Another ratio is no tyre: the signal or the satellites are wrong.
        if Self.possibleRatios.contains(stretch.meters / max(stretch.measuredMeters, 1)) {
            scale.learn(
                meters: stretch.meters, measured: stretch.measuredMeters,
                variance: stretch.varianceSquareMeters + ends, memoryMeters: Self.memoryMeters)
        }
        stretch = Stretch()
    }

    /// Ends the stretch for the scale.
    mutating func interruptLearning() { stretch = Stretch() }

    /// Returns the distance at the date of a fix; nil where it is not known.
    private func sample(at fix: Fix) -> Sample? {
        let delay = fix.received.systemTime.seconds(since: fix.timestamp)
        let isDelayKnown = fix.received.isSystemTimeTrusted && delay >= 0 && delay <= Self.longestDelaySeconds
        let uptime = fix.received.uptimeMilliseconds - (isDelayKnown ? Int64(delay * 1000) : 0)
        guard let first = samples.first, let last = samples.last, uptime >= first.uptimeMilliseconds else { return nil }
        if uptime >= last.uptimeMilliseconds {
            let beyond = uptime - last.uptimeMilliseconds
            guard beyond <= Self.longestExtrapolationMilliseconds || resolutionMeters > 0 else { return nil }
            let speed = lastSpeedMetersPerSecond ?? 0
            return Sample(uptimeMilliseconds: uptime, meters: last.meters + speed * Double(beyond) / 1000)
        }
        guard let after = samples.firstIndex(where: { $0.uptimeMilliseconds > uptime }) else { return nil }
        let (left, right) = (samples[after - 1], samples[after])
        let share =
            Double(uptime - left.uptimeMilliseconds) / Double(right.uptimeMilliseconds - left.uptimeMilliseconds)
        return Sample(uptimeMilliseconds: uptime, meters: left.meters + share * (right.meters - left.meters))
    }
}
