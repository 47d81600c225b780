import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Groups fixes into windows and measures the speed over each.
struct MotionWindowBuilder: Equatable, Sendable, Codable {
    /// The length of a window, seconds. Position noise is small compared with a walk of this length, and a halt lasts
    /// longer. At lower fix rates, each fix is a window.
    static let lengthSeconds = 5.0
    /// The length at which a fix completes a window, seconds: receivers sometimes report a little early.
    static let minimumLengthSeconds = lengthSeconds - 0.5
    /// The longest span in which a reported speed says something of the mean speed, seconds.
    static let maximumCommonSeconds = 2 * lengthSeconds

    /// The speed over a window and its uncertainty.
    struct SpeedMeasurement: Equatable {
        var speedMetersPerSecond: Double
        /// The standard error of the speed, m/s.
        var standardErrorMetersPerSecond: Double
        /// The mean of the speeds that the receiver reported, m/s; nil if it reported none.
        var reportedMetersPerSecond: Double?
        /// The fastest of these speeds, m/s; nil if it reported none.
        var fastestMetersPerSecond: Double?
        /// The reported speed at the end of a window that is so long that its mean speed is another one; otherwise nil.
        var final: WindowMean.Speed?
        /// The time from the end of the previous window to the end of this one, seconds.
        var spanSeconds: Double
    }

    private var start: Fix?
    private var lastEnd: Timestamp?
    private var previous: WindowMean?
    private var count = 0
    private var sumMilliseconds = 0.0
    private var plane: LocalPlane?
    private var sumEast = 0.0
    private var sumNorth = 0.0
    private var accuracyMeters = 0.0
    private var sumSpeed = 0.0
    private var speedCount = 0
    private var hasZeroSpeed = false
    private var fastestMetersPerSecond: Double?

    /// Adds a fix.
    /// - Parameter jump: the part of the step to the fix that no movement explains.
    /// - Returns: a measurement if the fix completes a window and a speed is known.
    mutating func add(_ fix: Fix, jump: LocalPoint? = nil) -> SpeedMeasurement? {
        // With reported speeds, the means of windows are checked instead: they have less noise than a single step.
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
            fastestMetersPerSecond = max(fastestMetersPerSecond ?? speed, speed)
            hasZeroSpeed = hasZeroSpeed || speed == 0
        }
        let begin = lastEnd ?? origin.timestamp
        let span = fix.timestamp.seconds(since: begin)
        // The first fix is a window of its own: no earlier position exists to measure from.
        guard span >= Self.minimumLengthSeconds || lastEnd == nil else { return nil }
        return completeWindow(at: fix.timestamp, from: origin, in: plane, spanSeconds: max(span, 1))
    }

    /// Forgets everything: the next fix does not continue the track.
    mutating func reset() {
        self = MotionWindowBuilder()
    }

    /// Moves the earlier positions with a jump, so that it does not count as movement.
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
        var measurement = measurement(of: center, spanSeconds: spanSeconds)
        measurement?.fastestMetersPerSecond = fastestMetersPerSecond
        self = MotionWindowBuilder()
        previous = center
        lastEnd = end
        return measurement
    }

    /// Returns the mean of the reported speed and the displacement speed, weighted by the inverse of their variances. A
    /// displacement that the reported speeds do not explain is a position jump.
    private func measurement(of center: WindowMean, spanSeconds: Double) -> SpeedMeasurement? {
        var speeds = [center.reportedSpeed].compactMap(\.self)
        var final: WindowMean.Speed?
        if let previous, let made = center.displacementSpeed(from: previous),
            made.metersPerSecond <= center.maximumMetersPerSecond(from: previous, displacementSpeed: made)
        {
            if spanSeconds > Self.maximumCommonSeconds {
                // Receivers report 0 for low and for unknown speeds. So a speed counts only if it is higher than the
                // mean, and if positions show a movement.
                let isMoving = made.metersPerSecond > 2 * made.variance.squareRoot()
                final = center.finalSpeed.flatMap { isMoving && $0.metersPerSecond > made.metersPerSecond ? $0 : nil }
                speeds = []
            }
            speeds.append(made)
        }
        guard !speeds.isEmpty else { return nil }
        let weight = speeds.reduce(0) { $0 + 1 / $1.variance }
        return SpeedMeasurement(
            speedMetersPerSecond: speeds.reduce(0) { $0 + $1.metersPerSecond / $1.variance } / weight,
            standardErrorMetersPerSecond: (1 / weight).squareRoot(),
            reportedMetersPerSecond: center.reportedMetersPerSecond, final: final, spanSeconds: spanSeconds)
    }
}
