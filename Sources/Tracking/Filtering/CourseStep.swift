import OdographCivilTime
import OdographGeodesy
import Glibc
import OdographModel

/// A step of a moving vehicle whose heading is nearly the same at both ends. It leads along this course, or there was a
/// double bend, or the positions are wrong: an arc has its headings on both sides of the line.
struct CourseStep {
    /// The longest step, seconds: over a longer one a vehicle leaves its course and comes back to it.
    private static let longestSeconds = 15.0

    /// The change of the heading, degrees.
    let turnDegrees: Double
    /// The angle from the course to the line, degrees.
    let offDegrees: Double

    /// Creates a step; nil if it shows no course.
    /// - Parameters:
    ///   - line: the direction from one fix to the other, degrees.
    ///   - largest: the largest change of the heading, degrees.
    init?(from start: Fix, to end: Fix, lineDegrees line: Double, largestTurnDegrees largest: Double) {
        let slowest = min(start.speedMetersPerSecond ?? 0, end.speedMetersPerSecond ?? 0)
        guard end.timestamp.seconds(since: start.timestamp) <= Self.longestSeconds,
            slowest >= MovementBounds.stationaryMetersPerSecond,
            let before = start.headingDegrees, let after = end.headingDegrees,
            case let turn = headingDifferenceDegrees(before, after), abs(turn) <= largest
        else { return nil }
        turnDegrees = turn
        offDegrees = headingDifferenceDegrees(before + turn / 2, line)
    }

    /// Returns how far a line in its direction leads away from the course, metres; to the right if positive.
    func asideMeters(ofLine meters: Double) -> Double { meters * sin(offDegrees * .pi / 180) }
}
