import CivilTime
import Geodesy

/// Gathers fixes into epochs and tells the speed over each.
struct EpochBuilder: Hashable, Sendable, Codable {
    /// Long enough that the noise of a position is small against a walk, short against a halt; at lower rates an epoch
    /// is a fix.
    static let seconds = 5.0

    /// Receivers smooth low speeds and hold them at 0, phones most of all, m/s: at a walk the positions know better.
    static let filterMetersPerSecond = 0.3

    /// The speed over an epoch and how uncertain it is.
    struct Measurement: Hashable {
        var speedMetersPerSecond: Double
        var noiseMetersPerSecond: Double
        /// The mean of the speeds that the receiver said, m/s; nil where it said none.
        var reportedMetersPerSecond: Double?
        /// From the end of the epoch before to the end of this one, seconds.
        var spanSeconds: Double
    }

    /// The mean position of an epoch; means are compared because a mean is quieter than a fix.
    private struct Center: Hashable, Codable {
        var time: Timestamp
        var coordinate: Coordinate
        var accuracyMeters: Double
    }

    private var start: Fix?
    private var lastEnd: Timestamp?
    private var previous: Center?
    private var count = 0
    private var sumMilliseconds = 0.0
    private var plane: LocalPlane?
    private var sumEast = 0.0
    private var sumNorth = 0.0
    private var accuracyMeters = 0.0
    private var sumSpeed = 0.0
    private var speedCount = 0

    /// Takes a fix; gives a measurement where it completes an epoch.
    mutating func add(_ fix: Fix) -> Measurement? {
        let origin = start ?? fix
        if start == nil { start = fix }
        count += 1
        sumMilliseconds += Double(fix.timestamp.millisecondsSinceEpoch - origin.timestamp.millisecondsSinceEpoch)
        let plane = plane ?? LocalPlane(origin: origin.coordinate)
        self.plane = plane
        let local = plane.eastNorthMeters(of: fix.coordinate)
        sumEast += local.eastMeters
        sumNorth += local.northMeters
        accuracyMeters = max(accuracyMeters, fix.accuracyMeters ?? FixNoise.openSkyAccuracyMeters)
        if let speed = fix.speedMetersPerSecond {
            sumSpeed += speed
            speedCount += 1
        }
        let begin = lastEnd ?? origin.timestamp
        let span = fix.timestamp.seconds(since: begin)
        // The first fix is an epoch of its own: there is nothing before it to measure from.
        guard span >= Self.seconds - 0.5 || lastEnd == nil else { return nil }
        return finish(at: fix.timestamp, from: origin, in: plane, spanSeconds: max(span, 1))
    }

    /// What comes next has nothing to do with what was.
    mutating func interrupt() {
        self = EpochBuilder()
    }

    private mutating func finish(
        at end: Timestamp, from origin: Fix, in plane: LocalPlane, spanSeconds: Double
    ) -> Measurement? {
        let center = Center(
            time: origin.timestamp.advanced(bySeconds: sumMilliseconds / Double(count) / 1000),
            coordinate: plane.coordinate(
                of: LocalPoint(eastMeters: sumEast / Double(count), northMeters: sumNorth / Double(count))),
            accuracyMeters: accuracyMeters)
        let measurement = measurement(of: center, spanSeconds: spanSeconds)
        self = EpochBuilder()
        previous = center
        lastEnd = end
        return measurement
    }

    /// The reported speed and the way between the means, each with the weight of its certainty.
    private func measurement(of center: Center, spanSeconds: Double) -> Measurement? {
        var weight = 0.0
        var sum = 0.0
        if speedCount > 0 {
            let noise = FixNoise.dopplerMetersPerSecond(accuracyMeters: center.accuracyMeters)
            // A single speed says less of a minute than of a second: it changes.
            let change = FixNoise.speedChange(withinSeconds: spanSeconds / Double(speedCount))
            let variance = noise * noise + change * change + Self.filterMetersPerSecond * Self.filterMetersPerSecond
            sum += sumSpeed / Double(speedCount) / variance
            weight += 1 / variance
        }
        if let previous {
            let seconds = center.time.seconds(since: previous.time)
            if seconds >= 1 {
                let drift =
                    FixNoise.driftMeters(
                        accuracyMeters: max(center.accuracyMeters, previous.accuracyMeters)) / seconds
                let variance = drift * drift
                sum += previous.coordinate.distanceMeters(to: center.coordinate) / seconds / variance
                weight += 1 / variance
            }
        }
        guard weight > 0 else { return nil }
        return Measurement(
            speedMetersPerSecond: sum / weight, noiseMetersPerSecond: (1 / weight).squareRoot(),
            reportedMetersPerSecond: speedCount > 0 ? sumSpeed / Double(speedCount) : nil,
            spanSeconds: spanSeconds)
    }
}
