import OdographCivilTime

/// Finds manoeuvres in a series of accelerations: one for each time above a threshold.
///
/// A manoeuvre begins and ends at a lower level, so that an acceleration near the threshold is one manoeuvre and not
/// several. A pause that is shorter than the time of a change of gear does not end it.
struct ManoeuvreDetector: Equatable, Sendable, Codable {
    /// A time of large acceleration.
    struct Manoeuvre: Equatable, Sendable, Codable {
        var start: Timestamp
        var end: Timestamp
        var peakG: Double
        /// The largest acceleration, averaged over two seconds, in units of standard gravity.
        var widePeakG: Double
        /// The change of speed, in units of standard gravity times seconds.
        var gSeconds: Double
        /// The number of accelerations in it.
        var count = 0
    }

    /// An acceleration at a time.
    struct Recent: Equatable, Sendable, Codable {
        var time: Timestamp
        var accelerationG: Double
    }

    /// The share of the threshold at which a manoeuvre begins and ends.
    private static let edgeShare = 0.5
    /// The same share for seldom fixes: the first and the last second of a manoeuvre contain only a part of it.
    private static let sparseEdgeShare = 0.3
    /// The share of the threshold that the average over two seconds must reach, if the speed is from satellites: a
    /// wrong speed is soon followed by the opposite acceleration.
    private static let wideShare = 0.9
    /// The change of speed that a manoeuvre by satellites needs: so many seconds at the threshold.
    private static let shortestSeconds = 1.2
    /// The longest pause in a manoeuvre, seconds.
    private static let longestPauseSeconds = 1.0
    /// The time between two accelerations whose average is that over two seconds, seconds.
    private static let wideSeconds = 0.9...1.3

    private var current: Manoeuvre?
    /// The accelerations of the last second.
    private var recent: [Recent] = []

    init() {}

    /// Adds an acceleration.
    /// - Parameters:
    ///   - accelerationG: the acceleration in the direction of the kind, in units of standard gravity; it may be
    ///     negative.
    ///   - slope: the time to which it belongs.
    ///   - thresholdG: the acceleration from which a manoeuvre is harsh.
    ///   - isSatellite: whether the speed is from satellites, which needs more evidence.
    /// - Returns: the harsh manoeuvre that has ended.
    mutating func add(
        _ accelerationG: Double, _ slope: SlopeWindow.Slope, thresholdG: Double, isSatellite: Bool
    ) -> Manoeuvre? {
        let wideG = wide(accelerationG, slope)
        let edge = thresholdG * (isSatellite && !slope.isDense ? Self.sparseEdgeShare : Self.edgeShare)
        guard accelerationG >= edge else {
            guard let current, slope.end.seconds(since: current.end) > Self.longestPauseSeconds else { return nil }
            return finish(thresholdG: thresholdG, isSatellite: isSatellite)
        }
        var ended: Manoeuvre?
        if let current, slope.start.seconds(since: current.end) > Self.longestPauseSeconds {
            ended = finish(thresholdG: thresholdG, isSatellite: isSatellite)
        }
        var next = current ?? Manoeuvre(start: slope.start, end: slope.start, peakG: 0, widePeakG: 0, gSeconds: 0)
        next.gSeconds += accelerationG * slope.end.seconds(since: next.end)
        next.end = slope.end
        next.count += 1
        next.peakG = max(next.peakG, accelerationG)
        next.widePeakG = max(next.widePeakG, wideG)
        current = next
        return ended
    }

    /// Returns the average over two seconds; over a longer interval the acceleration itself.
    private mutating func wide(_ accelerationG: Double, _ slope: SlopeWindow.Slope) -> Double {
        recent.removeAll { slope.end.seconds(since: $0.time) > Self.wideSeconds.upperBound }
        defer { recent.append(Recent(time: slope.end, accelerationG: accelerationG)) }
        guard slope.end.seconds(since: slope.start) < 1.5 else { return accelerationG }
        guard let before = recent.last(where: { Self.wideSeconds.contains(slope.end.seconds(since: $0.time)) }) else {
            return accelerationG / 2
        }
        return (accelerationG + before.accelerationG) / 2
    }

    /// Ends the manoeuvre that lasts.
    /// - Returns: it, if it was harsh.
    mutating func finish(thresholdG: Double, isSatellite: Bool) -> Manoeuvre? {
        defer { current = nil }
        guard let current, current.peakG >= thresholdG else { return nil }
        guard isSatellite else { return current }
        let isSupported =
            current.widePeakG >= thresholdG * Self.wideShare
            && current.gSeconds >= thresholdG * Self.shortestSeconds && current.count > 1
        return isSupported ? current : nil
    }

    /// Forgets the manoeuvre that lasts.
    mutating func reset() { (current, recent) = (nil, []) }
}
