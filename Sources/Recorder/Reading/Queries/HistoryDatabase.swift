import OdographCivilTime
import OdographWire

/// A database whose records can be queried. A function returns at most the rows that its caller asks for, so no result
/// needs more memory than the caller allows.
package protocol HistoryDatabase: AnyObject {
    /// Returns the vehicles with a name, ordered by fleet and name; all vehicles for nil.
    /// - Parameters:
    ///   - fleet: The fleet; nil for all fleets.
    ///   - device: The name of the vehicle, which is unique within a fleet; nil for all vehicles.
    func vehicles(fleet: String?, device: String?) throws(DatabaseFailure) -> [ArchivedVehicle]

    /// Returns records of a vehicle, ordered by time.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - times: The times of the records, from the lower bound to before the upper one.
    ///   - place: The place of the last record that the caller has; nil to begin.
    ///   - isTrack: Whether to return positions only, without revisions of the timeline.
    ///   - hasPayload: Whether the records have their payloads, which can be long.
    ///   - limit: The most records to return.
    func records(
        of vehicle: ArchivedVehicle, in times: Range<Timestamp>, after place: ArchivedRecord.Place?, isTrack: Bool,
        hasPayload: Bool, limit: Int
    ) throws(DatabaseFailure) -> [ArchivedRecord]

    /// Returns conflicts of a vehicle: records whose numbers other records have, in the order of reception.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - key: The key of the last one that the caller has; 0 to begin.
    ///   - limit: The most conflicts to return.
    func conflicts(
        of vehicle: ArchivedVehicle, after key: Int64, limit: Int
    ) throws(DatabaseFailure) -> [ArchivedConflict]

    /// Returns the newest revisions of the events of a vehicle that overlap a time, ordered by start.
    func timeline(
        of vehicle: ArchivedVehicle, in times: Range<Timestamp>
    ) throws(DatabaseFailure) -> [TimelineEventRevision]

    /// Returns the trips of a driver that begin in a time, ordered by start: those whose driver it is, and those during
    /// which the vehicle has a position with the driver. A private trip has no driver, and is never among them.
    func trips(
        ofDriver driver: String, in times: Range<Timestamp>
    ) throws(DatabaseFailure) -> [ArchivedTrip]

    /// Returns the drivers of the positions of a vehicle, ordered by name.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - times: The times of the positions, from the lower bound to before the upper one.
    ///   - limit: The most names to return.
    func drivers(
        of vehicle: ArchivedVehicle, in times: Range<Timestamp>, limit: Int
    ) throws(DatabaseFailure) -> [String]

    /// Returns the odometer of a vehicle at a time: that of the newest record until then, metres. Nil if there is none.
    func odometer(of vehicle: ArchivedVehicle, at time: Timestamp) throws(DatabaseFailure) -> Double?

    /// Returns the geofence events of a vehicle, ordered by time.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - times: The times of the events, from the lower bound to before the upper one.
    func geofenceEvents(
        of vehicle: ArchivedVehicle, in times: Range<Timestamp>
    ) throws(DatabaseFailure) -> [GeofenceTrigger]

    /// Returns the vehicles of a group, as their newest reports state it, ordered by fleet and name.
    /// - Parameter fleet: The fleet; nil for all fleets.
    func vehicles(ofGroup group: String, fleet: String?) throws(DatabaseFailure) -> [ArchivedVehicle]

    /// Returns alerts, the newest first.
    /// - Parameters:
    ///   - fleet: The fleet.
    ///   - device: The vehicle; nil for all vehicles of the fleet.
    ///   - times: The times of the alerts, from the lower bound to before the upper one.
    ///   - place: The place of the last alert that the caller has; nil to begin.
    ///   - limit: The most alerts to return.
    func alerts(
        fleet: String, device: String?, in times: Range<Timestamp>, after place: StoredAlert.Place?, limit: Int
    ) throws(DatabaseFailure) -> [StoredAlert]

    /// Returns the alerts of a fleet with these identifiers, in their order. Unknown ones are left out.
    func alerts(fleet: String, identifiers: [String]) throws(DatabaseFailure) -> [StoredAlert]

    /// Returns all vehicles with their newest positions, ordered by fleet and name.
    /// - Parameters:
    ///   - fleet: The fleet; nil for all fleets.
    ///   - hasPayload: Whether the positions have their payload.
    func latestPositions(fleet: String?, hasPayload: Bool) throws(DatabaseFailure) -> [LatestPosition]
}
