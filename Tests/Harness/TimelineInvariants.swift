import OdographCivilTime
import OdographModel
import OdographTracking

/// A contradiction in the final events of a timeline.
public struct TimelineViolation: Hashable, Sendable, CustomStringConvertible {
    /// The rules that every final timeline keeps.
    public enum Rule: String, Hashable, Sendable, CaseIterable {
        /// An event begins where the one before it ends.
        case continuous
        /// No event ends before it begins.
        case forward
        /// An event has a duration.
        case duration
        /// A trip is not faster than its mode can be.
        case speed
        /// A trip has a movement.
        case movement
        /// Touching trips of one tag have different modes.
        case modeChange
        /// Stops of one tag do not touch.
        case placeChange
        /// Touching gaps have different reasons.
        case reasonChange
        /// The distances of all events are together not longer than the odometer's distance.
        case distance
    }

    /// The rule.
    public let rule: Rule
    /// The event that contradicts it, or the earlier one of two. Nil for all events together.
    public let event: TimelineEvent?
    /// The later one of two events. Nil where one alone contradicts the rule.
    public let next: TimelineEvent?

    init(_ rule: Rule, _ event: TimelineEvent? = nil, then next: TimelineEvent? = nil) {
        self.rule = rule
        self.event = event
        self.next = next
    }

    /// The rule and the events, for people.
    public var description: String {
        [rule.rawValue, event.map { "\($0)" }, next.map { "\($0)" }].compactMap { $0 }.joined(separator: ": ")
    }
}

/// Checks the rules that every final timeline keeps, whatever the positions were.
public enum TimelineInvariants {
    /// The rounding of times and distances that a mean speed may contain, m/s.
    private static let roundingMetersPerSecond = 0.01

    /// Returns the contradictions of final events.
    /// - Parameters:
    ///   - events: the last revision of each event, in any order. Withdrawn events are ignored.
    ///   - odometerMeters: the distance of the odometer during all of them, metres; nil where it is not known.
    ///   - fastest: the largest mean speed of a vehicle, m/s.
    public static func violations(
        in events: [TimelineEvent], odometerMeters: Double? = nil,
        fastest: Double = FilterRule().fastestVehicleMetersPerSecond
    ) -> [TimelineViolation] {
        let events = events.filter { !$0.isWithdrawn }.inTime
        var violations = events.flatMap { Self.violations(of: $0, fastest: fastest) }
        for (event, next) in zip(events, events.dropFirst()) {
            if let end = event.end, end != next.start { violations.append(.init(.continuous, event, then: next)) }
            if event.isSameTrip(as: next) { violations.append(.init(.modeChange, event, then: next)) }
            if event.isSameStop(as: next) { violations.append(.init(.placeChange, event, then: next)) }
            if event.isSameGap(as: next) { violations.append(.init(.reasonChange, event, then: next)) }
        }
        let sum = events.reduce(0) { $0 + $1.distanceMeters }
        if let odometerMeters, sum > odometerMeters + TimelineLimits.shortestMovementMeters * Double(events.count) {
            violations.append(.init(.distance))
        }
        return violations
    }

    private static func violations(of event: TimelineEvent, fastest: Double) -> [TimelineViolation] {
        guard let end = event.end else { return [] }
        if end < event.start { return [.init(.forward, event)] }
        if end == event.start { return [.init(.duration, event)] }
        guard let transport = event.transport else { return [] }
        var violations: [TimelineViolation] = []
        // A carried vehicle moves, too.
        let meters = transport.distanceMeters + (event.carriedMeters ?? 0)
        if meters < TimelineLimits.shortestTripMeters { violations.append(.init(.movement, event)) }
        let limit = transport.mode.maximumMetersPerSecond(fastest: fastest) + roundingMetersPerSecond
        if transport.distanceMeters > limit * event.durationSeconds { violations.append(.init(.speed, event)) }
        return violations
    }
}

extension TimelineEvent {
    /// The trip. Nil for every other kind.
    public var transport: TimelineTransport? { if case .transport(let transport) = kind { transport } else { nil } }

    /// Whether this event and the next one are one trip with one mode.
    fileprivate func isSameTrip(as next: TimelineEvent) -> Bool {
        guard let transport, let other = next.transport, end == next.start else { return false }
        return transport.mode == other.mode && tag == next.tag && isOfPrivateTime == next.isOfPrivateTime
    }

    /// Whether this event and the next one are one stop.
    fileprivate func isSameStop(as next: TimelineEvent) -> Bool {
        guard case .stationary = kind, case .stationary = next.kind, end == next.start else { return false }
        return tag == next.tag && isOfPrivateTime == next.isOfPrivateTime
    }

    /// Whether this event and the next one are one gap for one reason.
    fileprivate func isSameGap(as next: TimelineEvent) -> Bool {
        guard case .offTheGrid(let reason) = kind, case .offTheGrid(let other) = next.kind, end == next.start else {
            return false
        }
        return reason == other && tag == next.tag && isOfPrivateTime == next.isOfPrivateTime
    }
}

extension [TimelineEvent] {
    /// The events by time. Events without a duration keep their order.
    public var inTime: [TimelineEvent] {
        enumerated().sorted { left, right in
            let (one, other) = (left.element, right.element)
            return (one.start, one.end ?? one.start, left.offset) < (
                other.start, other.end ?? other.start, right.offset
            )
        }.map(\.element)
    }
}
