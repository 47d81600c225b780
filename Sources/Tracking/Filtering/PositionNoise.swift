import OdographCivilTime
import OdographGeodesy
import Glibc
import OdographModel

/// Estimates the independent part of the errors of frequent positions from the track itself.
///
/// Third differences of positions at equal intervals vanish for any motion with a constant acceleration, and errors
/// that last for seconds nearly cancel. Independent errors remain, with 1 + 9 + 9 + 1 = 20 times their variance (the
/// difference-based estimators of noise: Rice 1984; Gasser, Sroka and Jennen-Steinmetz 1986). Bends and jumps are
/// outliers, so the median counts.
struct PositionNoise: Equatable, Sendable, Codable {
    /// The longest interval between the positions, seconds: over longer ones a vehicle takes a corner between them.
    private static let longestSeconds = CourseNoise.shortestSeconds
    /// The same while the vehicle stands, seconds: errors that last for minutes still nearly cancel.
    private static let longestRestingSeconds = 15.0
    /// The largest difference between the intervals, as a share.
    private static let largestIrregularity = 0.2
    /// The median length of a third difference in the plane, as a multiple of the standard deviation of an axis: the
    /// square has an exponential distribution with the mean 2 · 20.
    private static let mediansPerDeviation = (40 * log(2.0)).squareRoot()
    /// The least step of the approximation, as a share: two minutes of fixes a second.
    private static let leastStep = 1.0 / 120

    /// The last four fixes at equal intervals, oldest first.
    private var recent: [Fix] = []
    /// The median length of the third differences, metres.
    private var median = 0.0
    private var count = 0

    /// The standard deviation of the independent error of an axis, metres; 0 while it is unknown.
    var deviationMeters: Double { max(median / Self.mediansPerDeviation, resolutionMeters) }

    /// The errors of positions that are farther apart in time.
    private var course = CourseNoise()
    /// The standard deviation of an axis of positions that are seconds apart, metres; 0 while none is known. Their
    /// errors can last for some fixes.
    var courseDeviationMeters: Double { course.deviationMeters }
    /// The greater one of both deviations, metres.
    var stepDeviationMeters: Double { max(deviationMeters, courseDeviationMeters) }

    /// The least noise: the resolution of the coordinates, as the deviation of a uniform distribution, metres.
    private var resolutionMeters = 0.0

    /// Takes the next fix of an uninterrupted track.
    /// - Parameter isResting: whether the vehicle stands, so that the time between the positions does not matter.
    mutating func update(with fix: Fix, isResting: Bool) {
        if let last = recent.last {
            let seconds = fix.timestamp.seconds(since: last.timestamp)
            course.update(from: last, to: fix)
            let usual = recent.count > 1 ? last.timestamp.seconds(since: recent[recent.count - 2].timestamp) : seconds
            guard seconds > 0, seconds <= (isResting ? Self.longestRestingSeconds : Self.longestSeconds),
                abs(seconds - usual) <= Self.largestIrregularity * usual
            else {
                recent = [fix]
                return
            }
        }
        recent.append(fix)
        guard recent.count == 4 else { return }
        learn()
        recent.removeFirst()
    }

    /// Forgets the positions: the next fix does not continue the track.
    mutating func interrupt() { recent = [] }

    /// Forgets what the headings showed: they were wrong.
    mutating func forgetCourse() { course = CourseNoise() }

    private mutating func learn() {
        let plane = LocalPlane(origin: recent[0].coordinate)
        let points = recent.map { plane.eastNorthMeters(of: $0.coordinate) }
        let difference =
            points[3] + points[2].scaled(by: -3) + points[1].scaled(by: 3) + points[0].scaled(by: -1)
        let length = difference.distanceMeters(to: .zero)
        resolutionMeters = recent[3].coordinate.stepMeters(with: recent[2].coordinate) / 12.squareRoot()
        count += 1
        median = runningMedian(median, after: length, step: max(2 / Double(count), Self.leastStep))
    }
}
