import CivilTime
import Geodesy

/// The state between the vehicle and one geofence: about to enter, inside, or has just crossed.
struct GeofenceState: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        /// Fixes are inside, and it is not certain yet.
        case entering(GeofenceEntering)
        case inside(GeofenceVisit)
        /// The route went through in less time than an entry takes to be certain.
        case crossing(GeofenceCrossing)
        /// The route crossed and came back at once. It is noise, so its second part must not begin an entry or crossing.
        case returned
    }

    let slot: ShapeIndex.Slot
    var phase: Phase

    /// The visit; nil where it is not certain that the vehicle is inside.
    var visit: GeofenceVisit? { if case .inside(let visit) = phase { visit } else { nil } }

    /// Applies a position.
    /// - Returns: whether the state is still of use.
    mutating func advance(isInside: Bool, by step: GeofenceStep, in context: inout GeofenceContext) -> Bool {
        let next: Phase? =
            switch phase {
            case .entering(let entering): entering.advanced(isInside: isInside, by: step, of: slot, in: &context)
            case .inside(let visit): visit.advanced(isInside: isInside, by: step, of: slot, in: &context)
            case .crossing(let crossing): crossing.advanced(isInside: isInside, by: step, of: slot, in: &context)
            case .returned: isInside ? .entering(GeofenceEntering(slot, by: step, in: &context)) : nil
            }
        guard let next else { return false }
        phase = next
        return true
    }
}
