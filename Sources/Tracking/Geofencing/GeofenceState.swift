import OdographCivilTime
import OdographGeodesy

/// The state between the vehicle and one geofence: about to enter, inside, or has just crossed.
struct GeofenceState: Equatable, Sendable {
    enum Phase: Equatable, Sendable, Codable {
        /// Fixes are inside, and it is not certain yet.
        case entering(GeofenceEntering)
        case inside(GeofenceVisit)
        /// The route went through in less time than an entry takes to be certain.
        case crossing(GeofenceCrossing)
        /// The route crossed and came back at once. It is noise, so its second part must not begin an entry or
        /// crossing.
        case returned

        /// The visit; nil where it is not certain that the vehicle is inside.
        var visit: GeofenceVisit? { if case .inside(let visit) = self { visit } else { nil } }
    }

    let slot: ShapeIndex.Slot
    var phase: Phase
}

extension GeofenceState {
    /// Begins an entry, or the crossing of a route between two positions outside; nil where there is none.
    init?(_ sighting: GeofenceSighting, in context: inout GeofenceContext) {
        guard context.isAccurateEnough(sighting),
            let phase = sighting.isInside
                ? Phase.entering(GeofenceEntering(sighting, in: &context))
                : GeofenceCrossing(sighting, in: &context).map(Phase.crossing)
        else { return nil }
        self.init(slot: sighting.slot, phase: phase)
    }

    /// Applies a position.
    /// - Returns: whether the state is still of use.
    mutating func advance(_ sighting: GeofenceSighting, in context: inout GeofenceContext) -> Bool {
        let next: Phase? =
            switch phase {
            case .entering(let entering): entering.advanced(sighting, in: &context)
            case .inside(let visit): visit.advanced(sighting, in: &context)
            case .crossing(let crossing): crossing.advanced(sighting, in: &context)
            case .returned: sighting.isInside ? .entering(GeofenceEntering(sighting, in: &context)) : nil
            }
        guard let next else { return false }
        phase = next
        return true
    }
}
