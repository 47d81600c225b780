import CivilTime
import Geodesy
import Glibc

/// Where somebody came out of a building: from there on the receiver sees clearly better, from another place.
extension MovementHistory {
    /// The epoch in which somebody set out who came out of a building before a way and waited beside the vehicle: the
    /// wait belongs to the trip then.
    /// - Parameters:
    ///   - index: the epoch that the way out of the place begins with: the receiver saw as well after the coming out as
    ///     from there on.
    ///   - seconds: the longest wait.
    func indoorExitIndex(before index: Int, withinSeconds seconds: Double) -> Int? {
        let onTheWay = meanLogAccuracy(of: index..<windows.count)
        return indoorExitIndex(
            before: index, until: start(of: index), withinSeconds: seconds,
            accuracyLimitMeters: exp(onTheWay + DepartureParameters.indoorExitLogAccuracyStep),
            noiseShare: RobustCenter.accuracyShare)
    }

    /// When somebody set out who seems to have just come out of a building, before any way says so.
    ///
    /// It is asked in every epoch of a stay, and so it takes more: where it led to is not within what the receiver owned
    /// up to before, and the sky is clearly better than ever in the stay.
    /// - Parameter sky: how well the receiver has seen in the stay.
    func indoorExitTime(comparedTo sky: SkyVisibility, after begin: Timestamp) -> Timestamp? {
        // A receiver that has just come back sees better and better by itself.
        guard isFull, let newest = windows.last, let best = sky.reliableBestAccuracyMeters else { return nil }
        let limit = best * exp(-DepartureParameters.indoorExitLogAccuracyStep)
        // Most often it is not even so now.
        guard
            exp(meanLogAccuracy(of: windows.indices.suffix(DepartureParameters.baselineWindowCounts.lowerBound)))
                < limit
        else {
            return nil
        }
        return indoorExitIndex(
            before: windows.count, until: newest.time, withinSeconds: DepartureParameters.longestIndoorExitAgeSeconds,
            accuracyLimitMeters: limit, noiseShare: 1
        ).map { max(start(of: $0), begin) }
    }

    /// Where it was usually before an instant; nil where too little is known of that.
    func medianPosition(before time: Timestamp) -> Coordinate? {
        let end = firstIndex(endingAfter: time)
        guard end >= DepartureParameters.baselineWindowCounts.lowerBound else { return nil }
        return medianCenter(of: max(0, end - DepartureParameters.baselineWindowCounts.upperBound)..<end)
    }

    /// The mean of the logarithms of the accuracy.
    func meanLogAccuracy(of range: Range<Int>) -> Double {
        windows[range].reduce(0) { $0 + log(max($1.accuracyMeters, 1)) } / Double(range.count)
    }

    /// The step is where the means of the logarithms of the accuracy before and after differ most (Page 1954).
    /// - Parameters:
    ///   - accuracyLimitMeters: the receiver sees at least so well afterwards.
    ///   - noiseShare: of the accuracy before it, how far it led at least.
    private func indoorExitIndex(
        before index: Int, until end: Timestamp, withinSeconds seconds: Double, accuracyLimitMeters: Double,
        noiseShare: Double
    ) -> Int? {
        let usual = DepartureParameters.baselineWindowCounts
        var found: (epoch: Int, contrast: Double)?
        for candidate in windows.indices.prefix(index).reversed().dropFirst(usual.lowerBound) {
            guard candidate >= usual.lowerBound, end.seconds(since: start(of: candidate)) <= seconds else { break }
            let before = max(0, candidate - usual.upperBound)..<candidate
            let after = candidate..<index
            let (accuracyBefore, accuracyAfter) = (meanLogAccuracy(of: before), meanLogAccuracy(of: after))
            let step = accuracyBefore - accuracyAfter
            guard step >= DepartureParameters.indoorExitLogAccuracyStep, exp(accuracyAfter) < accuracyLimitMeters else {
                continue
            }
            let way = medianCenter(of: before).distanceMeters(to: medianCenter(of: after))
            let contrast = step * way / (1 / Double(before.count) + 1 / Double(after.count))
            guard way > max(RobustCenter.placeRadiusMeters, noiseShare * exp(accuracyBefore)),
                contrast > found?.contrast ?? 0
            else { continue }
            found = (candidate, contrast)
        }
        return found.map { departureIndex(before: $0.epoch) }
    }
}
