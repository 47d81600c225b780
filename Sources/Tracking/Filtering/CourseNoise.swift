import OdographCivilTime
import OdographGeodesy
import Glibc
import OdographModel

/// Estimates the errors of positions that are seconds apart from the steps that lead aside of a steady course.
///
/// A vehicle whose heading is nearly the same at both ends of a step has moved along it, so that what the step leads
/// aside is the difference between the errors of two positions: twice their variance on an axis. Headings are measured
/// from the Doppler shift and do not depend on the positions. Reflections are seldom and large, so the mean square
/// counts, not the median.
struct CourseNoise: Equatable, Sendable, Codable {
    /// The longest step that ``PositionNoise`` judges in another way, seconds.
    static let shortestSeconds = 2.0
    /// The largest difference between the headings at both ends of a step, degrees.
    private static let steadyDegrees = 10.0
    /// The largest angle between a step and the course, degrees: beyond it the heading is wrong, such as always 0.
    private static let largestOffDegrees = 75.0
    /// How far a double bend leads aside, m/s.
    private static let asideMetersPerSecond = 0.5
    /// The number of steps without an error that are assumed before the first one.
    private static let assumedCount = 4
    /// The least weight of a step in the mean: it remembers 60 of them.
    private static let leastWeight = 1.0 / 60

    /// The mean square of what the steps lead aside, beyond the drift of positions and a double bend, m².
    private var squareMeters = 0.0
    private var count = 0

    /// The standard deviation of the error of an axis, metres; 0 while none is known.
    var deviationMeters: Double { (max(squareMeters, 0) / 2).squareRoot() }

    /// Takes a step of an uninterrupted track.
    mutating func update(from last: Fix, to fix: Fix) {
        let seconds = fix.timestamp.seconds(since: last.timestamp)
        let slowest = min(last.speedMetersPerSecond ?? 0, fix.speedMetersPerSecond ?? 0)
        guard slowest >= MovementBounds.stationaryMetersPerSecond, seconds > 0 else { return }
        guard seconds > Self.shortestSeconds else {
            // Frequent fixes show their noise themselves.
            squareMeters *= 1 - Self.leastWeight
            return
        }
        let line = last.coordinate.initialHeadingDegrees(to: fix.coordinate)
        guard
            let step = CourseStep(from: last, to: fix, lineDegrees: line, largestTurnDegrees: Self.steadyDegrees),
            abs(step.offDegrees) <= Self.largestOffDegrees
        else { return }
        let meters = last.coordinate.distanceMeters(to: fix.coordinate)
        let aside = step.asideMeters(ofLine: meters)
        // A turn that lies wholly at one end, and a double bend.
        let bend = meters * sin(abs(step.turnDegrees) / 2 * .pi / 180) + Self.asideMetersPerSecond * seconds
        let usual = hypot(ReceiverErrorModel.driftMeters(from: last, to: fix), bend)
        count += 1
        let weight = max(1 / Double(count + Self.assumedCount), Self.leastWeight)
        squareMeters += weight * (aside * aside - usual * usual - squareMeters)
    }
}
