import OdographCivilTime
import OdographGeodesy
import Glibc

/// Finds the exit from a building in the history: the receiver sees clearly better from there on, at another place.
struct IndoorExitDetector {
    /// The least step of the logarithm of the accuracy: walls and roofs cost a receiver at least a third of it (3 to 5
    /// m outdoors and 6 to 30 m indoors are usual).
    private static let logAccuracyStep = 0.4
    /// The longest time since an exit without a trip, seconds. An older step is as likely to be found by chance, and
    /// the trip will prove it soon.
    private static let longestExitAgeSeconds = 60.0
    /// The number of windows that show what is usual.
    private static let baselineCounts = 4...24

    let history: MovementHistory

    /// Returns the window in which a person left a building and then waited beside the vehicle, if there is one.
    /// - Parameter index: The first window of the trip, in which the receiver sees as well as during the wait.
    func waitIndex(before index: Int) -> Int? {
        let onTrip = meanLogAccuracy(of: index..<history.windows.count)
        return exitIndex(
            before: index, until: history.start(of: index), withinSeconds: history.rules.longestWaitSeconds,
            accuracyLimitMeters: exp(onTrip + Self.logAccuracyStep), noiseShare: RobustCenter.accuracyShare)
    }

    /// Returns the time at which a person left a building, if that was just now. No trip proves it yet.
    ///
    /// This is examined in every window of a stop, so it needs more evidence: the accuracy must be clearly better than
    /// ever at this stop, and the distance larger than the accuracy before.
    func exitTime(comparedTo sky: SkyVisibility) -> Timestamp? {
        // The accuracy of a receiver that has just started improves by itself.
        guard history.isFull, let end = history.end, let best = sky.reliableBestAccuracyMeters else { return nil }
        let limit = best * exp(-Self.logAccuracyStep)
        // A quick check that fails most often.
        let newest = history.windows.indices.suffix(Self.baselineCounts.lowerBound)
        guard exp(meanLogAccuracy(of: newest)) < limit else { return nil }
        return exitIndex(
            before: history.windows.count, until: end, withinSeconds: Self.longestExitAgeSeconds,
            accuracyLimitMeters: limit, noiseShare: 1
        ).map(history.start(of:))
    }

    /// Returns the usual position before a time. Nil where too little is known of it.
    func medianPosition(before time: Timestamp) -> Coordinate? {
        let end = history.firstIndex(endingAfter: time)
        guard end >= Self.baselineCounts.lowerBound else { return nil }
        return history.medianCenter(of: max(0, end - Self.baselineCounts.upperBound)..<end)
    }

    /// The mean of the logarithms of the accuracy in the oldest windows.
    var oldestLogAccuracy: Double { meanLogAccuracy(of: 0..<Self.baselineCounts.lowerBound) }

    private func meanLogAccuracy(of range: Range<Int>) -> Double {
        history.windows[range].reduce(0) { $0 + log(max($1.accuracyMeters, 1)) } / Double(range.count)
    }

    /// Returns the window of the departure before the largest step of the mean log accuracy (Page 1954).
    /// - Parameters:
    ///   - accuracyLimitMeters: The worst accuracy after the step.
    ///   - noiseShare: The least distance that the step leads, as a share of the accuracy before it.
    private func exitIndex(
        before index: Int, until end: Timestamp, withinSeconds seconds: Double, accuracyLimitMeters: Double,
        noiseShare: Double
    ) -> Int? {
        let usual = Self.baselineCounts
        var found: (index: Int, contrast: Double)?
        for candidate in history.windows.indices.prefix(index).reversed().dropFirst(usual.lowerBound) {
            guard candidate >= usual.lowerBound, end.seconds(since: history.start(of: candidate)) <= seconds else {
                break
            }
            let before = max(0, candidate - usual.upperBound)..<candidate
            let after = candidate..<index
            let (accuracyBefore, accuracyAfter) = (meanLogAccuracy(of: before), meanLogAccuracy(of: after))
            let step = accuracyBefore - accuracyAfter
            guard step >= Self.logAccuracyStep, exp(accuracyAfter) < accuracyLimitMeters else { continue }
            let meters = history.medianCenter(of: before).distanceMeters(to: history.medianCenter(of: after))
            let contrast = step * meters / (1 / Double(before.count) + 1 / Double(after.count))
            guard meters > max(RobustCenter.placeRadiusMeters, noiseShare * exp(accuracyBefore)),
                contrast > found?.contrast ?? 0
            else { continue }
            found = (candidate, contrast)
        }
        return found.map { history.departureIndex(before: $0.index) }
    }
}
