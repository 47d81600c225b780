import CivilTime
import Geodesy

/// The beginning of a visit.
struct GeofenceEntry: Equatable, Sendable {
    enum Origin: Equatable, Sendable {
        /// The route crosses the edge.
        case crossed
        /// The vehicle crossed the edge in a gap between positions.
        case moved
        /// The vehicle was found inside; no reason where it was not saved.
        case found(GeofenceEvent.Reason?)
    }

    /// The time of the crossing, or of the first position inside.
    var time: Timestamp
    var origin: Origin

    var isInitial: Bool { if case .found = origin { true } else { false } }

    var reason: GeofenceEvent.Reason? {
        switch origin {
        case .crossed: nil
        case .moved: .moved
        case .found(let reason): reason
        }
    }
}

/// An entry that is not certain yet.
struct GeofenceEntering: Equatable, Sendable {
    var entry: GeofenceEntry
    var run = FixRun()
}

extension GeofenceEntering {
    /// Begins with the first position inside.
    init(_ slot: ShapeIndex.Slot, by step: GeofenceStep, in context: inout GeofenceContext) {
        switch step.route {
        case .none(let reason): entry = GeofenceEntry(time: step.time, origin: .found(reason))
        case .unknown: entry = GeofenceEntry(time: step.time, origin: .moved)
        case .from:
            entry = GeofenceEntry(time: context.crossing(of: slot, by: step) ?? step.time, origin: .crossed)
        }
        _ = run.add(step.time, isSparse: step.isSparse)
    }

    func advanced(
        isInside: Bool, by step: GeofenceStep, of slot: ShapeIndex.Slot, in context: inout GeofenceContext
    ) -> GeofenceState.Phase? {
        guard isInside else { return crossing(by: step, of: slot, in: &context).map { .crossing($0) } }
        guard context.isAccurateEnough(step.position, for: slot) else { return .entering(self) }
        var next = self
        let agreement = next.run.add(step.time, isSparse: step.isSparse)
        guard agreement >= .confirmed,
            agreement == .sustained
                || context.isWellInside(
                    slot, step.position.effectiveCoordinate, accuracyMeters: step.position.accuracyMeters),
            let rule = context.set.ruleWithoutTexts(slot)
        else { return .entering(next) }
        return .inside(GeofenceVisit(entry, rule: rule, of: slot, at: step.time, in: &context))
    }

    /// The crossing of a vehicle that is outside before its entry was certain; nil where it may be noise.
    private func crossing(by step: GeofenceStep, of slot: ShapeIndex.Slot, in context: inout GeofenceContext)
        -> GeofenceCrossing?
    {
        guard run.count > 0, entry.origin == .crossed, let previous = step.previous, !step.position.isStationary,
            !previous.isStationary, let left = context.crossing(of: slot, by: step), left > entry.time,
            context.isWellInside(slot, previous.coordinate, accuracyMeters: previous.accuracyMeters)
        else { return nil }
        return GeofenceCrossing(entry.time...left, by: step)
    }
}

/// A crossing that is certain once enough fixes are outside.
struct GeofenceCrossing: Equatable, Sendable {
    /// The time inside.
    var span: ClosedRange<Timestamp>
    var run = FixRun()
}

extension GeofenceCrossing {
    /// Begins with the first position outside.
    init(_ span: ClosedRange<Timestamp>, by step: GeofenceStep) {
        self.span = span
        _ = run.add(step.time, isSparse: step.isSparse)
    }

    /// Begins where the route between two positions outside goes through a geofence deeply enough.
    init?(_ slot: ShapeIndex.Slot, by step: GeofenceStep, in context: inout GeofenceContext) {
        guard let previous = step.previous, !previous.isStationary,
            context.isAccurateEnough(step.position, for: slot),
            let span = context.traversal(of: slot, from: previous, to: step.position)
        else { return nil }
        self.init(span, by: step)
    }

    func advanced(
        isInside: Bool, by step: GeofenceStep, of slot: ShapeIndex.Slot, in context: inout GeofenceContext
    ) -> GeofenceState.Phase? {
        guard !isInside else { return .entering(GeofenceEntering(slot, by: step, in: &context)) }
        if let previous = step.previous, !step.position.isStationary,
            context.traversal(of: slot, from: previous, to: step.position) != nil
        {
            return .returned
        }
        var next = self
        guard next.run.add(step.time, isSparse: step.isSparse) >= .confirmed else { return .crossing(next) }
        if context.window(of: slot, at: step.time).isOpen {
            context.emit(.cross(span), of: slot, confirmedAt: step.time)
        }
        return nil
    }
}
