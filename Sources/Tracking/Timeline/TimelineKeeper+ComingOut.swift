import CivilTime
import Geodesy

/// Somebody comes out of a building and waits beside the vehicle: that is told at once, and doubted until he goes.
extension TimelineKeeper {
    /// How well the receiver sees is learnt in every stay.
    mutating func learnSky(_ history: MovementHistory, rules: TimelineRules) {
        guard let since = (doubtedStay ?? stay)?.since else {
            sky = nil
            return
        }
        var known = sky ?? StaySky(since: since)
        if known.since != since { known = StaySky(since: since) }
        known.look(at: history, intervalSeconds: rules.intervalSeconds)
        sky = known
    }

    /// When somebody set out who has just come out of a building.
    ///
    /// Who came on foot can have gone in. A vehicle that is parked does not come out of anything without driving, whatever
    /// its receiver sees.
    func comingOut(_ history: MovementHistory, fix: Fix, rules: TimelineRules) -> Timestamp? {
        guard let event = open, event.phase == .stationary, event.cameBy == .foot || event.cameBy == .running,
            fix.accuracyMeters != nil, let sky,
            let begin = history.comingOut(under: sky, after: event.decided),
            begin.seconds(since: event.decided) >= rules.shortestLegSeconds
        else { return nil }
        return begin
    }

    /// Whether somebody who had come out of a building has stayed all the same: he is in again, or has waited for longer
    /// than would belong to a way.
    /// - Parameter isInside: whether he is still within the noise around the stay.
    func staysOutside(
        _ event: OpenEvent, indoors: Coordinate, isInside: Bool, _ history: MovementHistory, rules: TimelineRules
    ) -> Bool {
        if history.isBack(at: indoors, radiusMeters: RobustCenter.placeMeters) { return true }
        let waited = history.epochs.last?.time.seconds(since: event.start) ?? 0
        // He set out before he came out.
        return isInside && waited >= rules.longestWaitSeconds + DepartureFigures.setOutSeconds
    }
}
