import OdographCivilTime
import OdographModel

/// Decides what an event was when its end is known, so that every final event has a duration and keeps
/// ``TimelineLimits``.
struct EndedEventRule {
    /// The kinds of result.
    enum Outcome: Equatable {
        /// The event that it seemed to be.
        case event
        /// A trip with another mode.
        case trip(MovementMode)
        /// A stop: it has no movement.
        case stop
        /// Something else: no vehicle is so fast.
        case unknown
        /// No event: it has no duration.
        case none
    }

    let event: OpenEvent
    let end: Timestamp
    /// The odometer's total at the end, metres.
    let meters: Double
    /// The mode of the trip before it, or the last one on wheels; nil where there was none.
    let modeBefore: MovementMode?
    /// The largest mean speed of a vehicle, m/s.
    let fastestMetersPerSecond: Double
    /// Whether the event before it can still go on instead.
    var canJoin = false

    /// The shortest event that is published where it can be joined, seconds: two windows of the movement.
    static let shortestEventSeconds = 2 * MotionWindowBuilder.lengthSeconds
    /// The result.
    var outcome: Outcome {
        let seconds = end.seconds(since: event.start)
        guard seconds > 0, !canJoin || seconds >= Self.shortestEventSeconds else { return .none }
        guard let trip = event.trip else { return .event }
        let meters = meters - event.startMeters
        guard meters >= TimelineLimits.shortestTripMeters else { return .stop }
        guard meters <= fastestMetersPerSecond * seconds else { return .unknown }
        guard let mode = trip.motion.mode, limit(of: mode) * seconds < meters else { return .event }
        return .trip(possibleMode(atMetersPerSecond: meters / seconds))
    }

    private func limit(of mode: MovementMode) -> Double {
        mode.maximumMetersPerSecond(fastest: fastestMetersPerSecond)
    }

    /// Returns the mode of a trip that was too fast for the one that it seemed to have: that before it if it can be,
    /// since most such trips are ends of another one.
    private func possibleMode(atMetersPerSecond speed: Double) -> MovementMode {
        if let modeBefore, modeBefore.isOnWheels, speed <= limit(of: modeBefore) { return modeBefore }
        return .vehicle
    }
}

extension MovementMode {
    /// Returns the largest mean speed of a trip, m/s.
    /// - Parameter fastest: that of a vehicle.
    func maximumMetersPerSecond(fastest: Double) -> Double {
        TransportMode(movementMode: self, railSeconds: 0).maximumMetersPerSecond(fastest: fastest)
    }
}

extension OpenEvent.Phase {
    /// Whether a touching event of another phase is the same event: a trip with the same mode, or a stop.
    func continues(as next: OpenEvent.Phase) -> Bool {
        switch (self, next) {
        case (.trip(let trip), .trip(let other)): trip.motion.mode != nil && trip.motion.mode == other.motion.mode
        case (.stationary, .stationary): true
        case (.trip, _), (.stationary, _), (.unknown, _), (.offTheGrid, _): false
        }
    }
}
