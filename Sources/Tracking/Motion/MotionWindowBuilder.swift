import CivilTime
import Geodesy

/// Gathers fixes into epochs and tells the speed over each.
struct MotionWindowBuilder: Equatable, Sendable, Codable {
    /// The length of an epoch, seconds: long enough that the noise of a position is small against a walk, short against a
    /// halt; at lower rates an epoch is a fix.
    static let lengthSeconds = 5.0
    /// A fix after so long completes an epoch, seconds: receivers report a little early now and then.
    static let minimumLengthSeconds = lengthSeconds - 0.5

    /// The speed over an epoch and how uncertain it is.
    struct SpeedMeasurement: Equatable {
        var speedMetersPerSecond: Double
        /// One standard error of it, m/s.
        var standardErrorMetersPerSecond: Double
        /// The mean of the speeds that the receiver said, m/s; nil where it said none.
        var reportedMetersPerSecond: Double?
        /// From the end of the epoch before to the end of this one, seconds.
        var spanSeconds: Double
    }

    private var start: Fix?
    private var lastEnd: Timestamp?
    private var previous: WindowMean?
    private var speedCheck = SpeedConsistencyCheck()
    private var count = 0
    private var sumMilliseconds = 0.0
    private var plane: LocalPlane?
    private var sumEast = 0.0
    private var sumNorth = 0.0
    private var accuracyMeters = 0.0
    private var sumSpeed = 0.0
    private var speedCount = 0
    private var hasZeroSpeed = false

    /// Takes a fix; gives a measurement where it completes an epoch.
    /// - Parameter hop: the part of the step to it that no movement explains.
    mutating func add(_ fix: Fix, jump: LocalPoint? = nil) -> SpeedMeasurement? {
        // Where speeds are told, means are held against means: they are quieter than a step.
        if let jump, fix.speedMetersPerSecond == nil { shift(by: jump) }
        let origin = start ?? fix
        if start == nil { start = fix }
        count += 1
        sumMilliseconds += Double(fix.timestamp.millisecondsSinceEpoch - origin.timestamp.millisecondsSinceEpoch)
        let plane = plane ?? LocalPlane(origin: origin.coordinate)
        self.plane = plane
        let local = plane.eastNorthMeters(of: fix.coordinate)
        sumEast += local.eastMeters
        sumNorth += local.northMeters
        accuracyMeters = max(accuracyMeters, fix.likelyAccuracyMeters)
        if let speed = fix.speedMetersPerSecond {
            sumSpeed += speed
            speedCount += 1
            hasZeroSpeed = hasZeroSpeed || speed == 0
        }
        let begin = lastEnd ?? origin.timestamp
        let span = fix.timestamp.seconds(since: begin)
        // The first fix is an epoch of its own: there is nothing before it to measure from.
        guard span >= Self.minimumLengthSeconds || lastEnd == nil else { return nil }
        return completeWindow(at: fix.timestamp, from: origin, in: plane, spanSeconds: max(span, 1))
    }

    /// What comes next has nothing to do with what was.
    mutating func reset() {
        self = MotionWindowBuilder()
    }

    /// A hop is no way: what went before it moves along.
    private mutating func shift(by hop: LocalPoint) {
        sumEast += hop.eastMeters * Double(count)
        sumNorth += hop.northMeters * Double(count)
        if let center = previous {
            previous?.coordinate = LocalPlane(origin: center.coordinate).coordinate(of: hop)
        }
    }

    private mutating func completeWindow(
        at end: Timestamp, from origin: Fix, in plane: LocalPlane, spanSeconds: Double
    ) -> SpeedMeasurement? {
        let center = WindowMean(
            time: origin.timestamp.advanced(bySeconds: sumMilliseconds / Double(count) / 1000),
            coordinate: plane.coordinate(
                of: LocalPoint(eastMeters: sumEast / Double(count), northMeters: sumNorth / Double(count))),
            accuracyMeters: accuracyMeters,
            reportedMetersPerSecond: speedCount > 0 ? sumSpeed / Double(speedCount) : nil,
            reportIntervalSeconds: spanSeconds / Double(max(speedCount, 1)), hasZeroSpeed: hasZeroSpeed)
        let measurement = measurement(of: center, spanSeconds: spanSeconds)
        let trust = speedCheck
        self = MotionWindowBuilder()
        self.speedCheck = trust
        previous = center
        lastEnd = end
        return measurement
    }

    /// The reported speed and that of the way between the means, each with the weight of its certainty.
    private mutating func measurement(of center: WindowMean, spanSeconds: Double) -> SpeedMeasurement? {
        var speeds = [center.reportedSpeed].compactMap(\.self)
        if let previous, let made = center.displacementSpeed(from: previous),
            speedCheck.accept(made, from: previous, to: center)
        {
            speeds.append(made)
        }
        guard !speeds.isEmpty else { return nil }
        let weight = speeds.reduce(0) { $0 + 1 / $1.variance }
        return SpeedMeasurement(
            speedMetersPerSecond: speeds.reduce(0) { $0 + $1.metersPerSecond / $1.variance } / weight,
            standardErrorMetersPerSecond: (1 / weight).squareRoot(),
            reportedMetersPerSecond: center.reportedMetersPerSecond,
            spanSeconds: spanSeconds)
    }
}
