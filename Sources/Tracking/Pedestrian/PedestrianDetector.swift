import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Finds what only a person with a receiver does: come out of a building, and walk from a vehicle and back.
///
/// It does not exist where the receiver is mounted in a vehicle.
struct PedestrianDetector: Equatable, Sendable, Codable {
    /// Nil on a trip.
    private var sky: SkyVisibility?

    /// Takes a window of the movement.
    /// - Parameter center: The stop that lasts, or that only a tentative departure has left. Nil on any other trip.
    mutating func update(with history: MovementHistory, at center: RobustCenter?) {
        if sky?.since != center?.since { sky = center.map { SkyVisibility(since: $0.since) } }
        sky?.update(with: history)
    }

    /// Returns the time at which a person left a stop who has just come out of a building, and the place inside it. Nil
    /// where there is no clear evidence.
    func indoorExit(
        from event: OpenEvent, fix: Fix, in history: MovementHistory
    ) -> (time: Timestamp, indoorPosition: Coordinate)? {
        let detector = IndoorExitDetector(history: history)
        guard let sky, event.isStationary, Self.arrivedOnFoot(event) == true, fix.accuracyMeters != nil,
            let exit = detector.exitTime(comparedTo: sky).map({ max($0, event.settledUntil) }),
            exit.seconds(since: event.settledUntil) >= history.rules.shortestSegmentSeconds,
            let position = detector.medianPosition(before: exit)
        else { return nil }
        return (exit, position)
    }

    /// Returns the window in which a person left a building and then waited for a trip, if there is one.
    /// - Parameter index: The window in which the trip left the stop.
    func waitOutdoorsIndex(before index: Int, event: OpenEvent, in history: MovementHistory) -> Int? {
        guard Self.arrivedOnFoot(event) != false else { return nil }
        return IndoorExitDetector(history: history).waitIndex(before: index)
    }

    /// Whether a person who came out of a building stays all the same: the person went in again, or waits for longer
    /// than a wait that belongs to a trip.
    /// - Parameters:
    ///   - indoors: The place inside the building.
    ///   - isInside: Whether the newest positions are within the noise around the stop.
    ///   - seconds: The time since the departure, which was before the exit.
    func hasStayed(indoors: Coordinate, isInside: Bool, seconds: Double, in history: MovementHistory) -> Bool {
        history.hasReturned(to: indoors, radiusMeters: RobustCenter.placeRadiusMeters)
            || isInside && seconds >= history.rules.longestWaitSeconds + DepartureParameters.longestDepartureSeconds
    }

    /// Whether the stop of an event was reached on foot. Nil where that is not known. A parked vehicle does not come
    /// out of a building without driving, whatever its receiver sees.
    private static func arrivedOnFoot(_ event: OpenEvent) -> Bool? { event.arrivalMode.map { !$0.isOnWheels } }

    /// Returns the detector of walks from a vehicle and back.
    func walks(in history: MovementHistory) -> WalkDetector { WalkDetector(history: history) }
}
