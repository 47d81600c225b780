import OdographGeodesy
import OdographModel

extension GeofenceSet {
    /// The geofence that describes a place best: of those that contain it one with a significance, else any; of several
    /// the smallest.
    func venue(at place: Coordinate) -> TimelineVenue? {
        var best: (rank: (Int, Double, String), rule: GeofenceRule)?
        index.forEachContaining(place) { slot in
            guard let identifier = identifier(slot), let rule = rule(slot) else { return }
            let rank = (rule.significance == nil ? 1 : 0, index.equivalentRadiusMeters(slot), identifier)
            if let best, best.rank <= rank { return }
            best = (rank, rule)
        }
        return best.map {
            TimelineVenue(identifier: $0.rank.2, name: $0.rule.name, significance: $0.rule.significance)
        }
    }
}
