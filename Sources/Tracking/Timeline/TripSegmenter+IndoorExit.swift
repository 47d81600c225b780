import CivilTime
import Geodesy
import OdographModel

/// Somebody comes out of a building and waits beside the vehicle: that is told at once, and doubted until he goes.
extension TripSegmenter {
    /// How well the receiver sees is learnt in every stay.
    mutating func updateSkyVisibility(_ history: MovementHistory, rules: SegmentationRules) {
        guard let since = (tentativelyLeftStop ?? stopCenter)?.since else {
            skyVisibility = nil
            return
        }
        var known = skyVisibility ?? SkyVisibility(since: since)
        if known.since != since { known = SkyVisibility(since: since) }
        known.update(with: history, intervalSeconds: rules.intervalSeconds)
        skyVisibility = known
    }

    /// When somebody set out who has just come out of a building.
    ///
    /// Who came on foot can have gone in. A vehicle that is parked does not come out of anything without driving, whatever
    /// its receiver sees.
    func indoorExitTime(_ history: MovementHistory, fix: Fix, rules: SegmentationRules) -> Timestamp? {
        guard let event = open, event.phase == .stationary, event.arrivalMode == .foot || event.arrivalMode == .running,
            fix.accuracyMeters != nil, let skyVisibility,
            let begin = history.indoorExitTime(comparedTo: skyVisibility, after: event.settledUntil),
            begin.seconds(since: event.settledUntil) >= rules.shortestSegmentSeconds
        else { return nil }
        return begin
    }

    /// Whether somebody who had come out of a building has stayed all the same: he is in again, or has waited for longer
    /// than would belong to a way.
    /// - Parameter isInside: whether he is still within the noise around the stay.
    func isIndoorExitRefuted(
        _ event: OpenEvent, indoors: Coordinate, isInside: Bool, _ history: MovementHistory, rules: SegmentationRules
    ) -> Bool {
        if history.hasReturned(to: indoors, radiusMeters: RobustCenter.placeRadiusMeters) { return true }
        let waited = history.windows.last?.time.seconds(since: event.start) ?? 0
        // He set out before he came out.
        return isInside && waited >= rules.longestWaitSeconds + DepartureParameters.longestDepartureSeconds
    }
}
