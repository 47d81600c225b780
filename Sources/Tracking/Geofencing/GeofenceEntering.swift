import OdographCivilTime
import OdographGeodesy

/// An entry that is not certain yet.
struct GeofenceEntering: Equatable, Sendable, Codable {
    var entry: GeofenceEntry
    var run = FixRun()
}

extension GeofenceEntering {
    /// Begins with the first position inside.
    init(_ sighting: GeofenceSighting, in context: inout GeofenceContext) {
        switch sighting.step.route {
        case .none(let reason): entry = GeofenceEntry(time: sighting.time, origin: .found(reason))
        case .unknown: entry = GeofenceEntry(time: sighting.time, origin: .moved)
        case .from: entry = GeofenceEntry(time: context.crossing(by: sighting) ?? sighting.time, origin: .crossed)
        }
        _ = run.add(sighting.step)
    }

    func advanced(_ sighting: GeofenceSighting, in context: inout GeofenceContext) -> GeofenceState.Phase? {
        guard sighting.isInside else { return crossing(by: sighting, in: &context).map { .crossing($0) } }
        guard context.isAccurateEnough(sighting) else { return .entering(self) }
        var next = self
        let (agreement, slot) = (next.run.add(sighting.step), sighting.slot)
        guard agreement >= .confirmed,
            agreement == .sustained
                || context.isWellInside(slot, sighting.position.effectiveCoordinate, sighting.position),
            let rule = context.set.ruleWithoutTexts(slot)
        else { return .entering(next) }
        return .inside(GeofenceVisit(entry, rule: rule, of: slot, at: sighting.time, in: &context))
    }

    /// The crossing of a vehicle that is outside before its entry was certain; nil where it may be noise.
    private func crossing(by sighting: GeofenceSighting, in context: inout GeofenceContext) -> GeofenceCrossing? {
        guard run.count > 0, entry.origin == .crossed, let previous = sighting.previous,
            !sighting.position.isStationary, !previous.isStationary,
            let left = context.crossing(by: sighting), left > entry.time,
            context.isWellInside(sighting.slot, previous.coordinate, previous)
        else { return nil }
        return GeofenceCrossing(entry.time...left, by: sighting.step)
    }
}

/// A crossing that is certain once enough fixes are outside.
struct GeofenceCrossing: Equatable, Sendable, Codable {
    /// The time inside.
    var span: ClosedRange<Timestamp>
    var run = FixRun()
}

extension GeofenceCrossing {
    /// Begins with the first position outside.
    init(_ span: ClosedRange<Timestamp>, by step: GeofenceStep) {
        self.span = span
        _ = run.add(step)
    }

    /// Begins where the route between two positions outside goes through a geofence deeply enough.
    init?(_ sighting: GeofenceSighting, in context: inout GeofenceContext) {
        guard sighting.previous?.isStationary == false, let span = context.traversal(by: sighting) else { return nil }
        self.init(span, by: sighting.step)
    }

    func advanced(_ sighting: GeofenceSighting, in context: inout GeofenceContext) -> GeofenceState.Phase? {
        guard !sighting.isInside else { return .entering(GeofenceEntering(sighting, in: &context)) }
        if !sighting.position.isStationary, context.traversal(by: sighting) != nil { return .returned }
        var next = self
        guard next.run.add(sighting.step) >= .confirmed else { return .crossing(next) }
        if context.opening(of: sighting.slot, at: sighting.time).isOpen {
            context.emit(.cross(span), of: sighting.slot, confirmedAt: sighting.time)
        }
        return nil
    }
}
