import OdographCivilTime
import OdographJSON
import OdographWire

extension HistoryDatabase {
    /// The newest odometer of vehicle ?1 until time ?2. An imported position has none.
    private static let odometer = """
        SELECT odometer FROM records
        WHERE vehicle = ?1 AND time <= ?2 AND kind IN ('location', 'geofence') AND clock_untrusted = 0
            AND odometer IS NOT NULL
        ORDER BY time DESC, epoch DESC, seq DESC LIMIT 1
        """

    /// The most geofence events that are read at once. A vehicle makes fewer in a year.
    private static let maximumEvents = 100_000

    /// The geofence events of vehicle ?1 from ?2 to before ?3. Of private use only the ends of visits are told.
    private static let geofenceEvents = """
        SELECT payload FROM records
        WHERE vehicle = ?1 AND time >= ?2 AND time < ?3 AND kind = 'geofence' AND clock_untrusted = 0
        ORDER BY time, epoch, seq LIMIT \(maximumEvents)
        """

    /// The vehicles of fleet ?1, NULL for all, with their reports.
    private static let reports = """
        SELECT id, fleet, device, time_zone, reported FROM vehicles
        WHERE (fleet = ?1 OR ?1 IS NULL) AND reported IS NOT NULL
        """

    /// Returns the odometer of a vehicle at a time: that of the newest record until then, metres. Nil if there is none.
    package func odometer(of vehicle: ArchivedVehicle, at time: Timestamp) throws(DatabaseFailure) -> Double? {
        try prepare(Self.odometer).first(.integer(vehicle.key), .time(time)) { $0.real(0) }
    }

    /// Returns the geofence events of a vehicle, ordered by time.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - times: The times of the events, from the lower bound to before the upper one.
    package func geofenceEvents(
        of vehicle: ArchivedVehicle, in times: Range<Timestamp>
    ) throws(DatabaseFailure) -> [GeofenceTrigger] {
        try prepare(Self.geofenceEvents).rows(
            .integer(vehicle.key), .time(times.lowerBound), .time(times.upperBound)
        ) { row -> GeofenceTrigger? in
            let message = row.bytes(0).flatMap { try? JSONCoder.decode(LocationMessage.self, from: $0) }
            guard var geofence = message?.location.geofence else { return nil }
            if message?.location.tag == TimelineEventRevision.privateTag {
                // It ends a visit that began before, which would else last until the next one.
                guard geofence.action == .exit else { return nil }
                (geofence.name, geofence.dwell) = (nil, nil)
            }
            return geofence
        }
    }

    /// Returns the vehicles of a group, as their newest reports state it, ordered by fleet and name.
    /// - Parameter fleet: The fleet; nil for all fleets.
    package func vehicles(ofGroup group: String, fleet: String?) throws(DatabaseFailure) -> [ArchivedVehicle] {
        let vehicles = try prepare(Self.reports).rows(.optional(fleet)) { row -> ArchivedVehicle? in
            let report = row.bytes(4).flatMap { try? JSONCoder.decode(ReportedGroups.self, from: $0) }
            return report?.groups?.contains(group) == true ? ArchivedVehicle(row) : nil
        }
        return vehicles.sorted { ($0.fleet, $0.device) < ($1.fleet, $1.device) }
    }
}

/// The groups of a report.
private struct ReportedGroups: Decodable {
    let groups: [String]?
}
