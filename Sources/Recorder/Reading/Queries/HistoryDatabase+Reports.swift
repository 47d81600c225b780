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

    /// The visits of vehicle ?1 that last at ?2: the newest entry into each geofence before it, if no exit follows.
    static let lastingVisits = """
        SELECT payload FROM (
            SELECT payload, event,
                row_number() OVER (PARTITION BY subject ORDER BY time DESC, epoch DESC, seq DESC) AS age
            FROM records
            WHERE vehicle = ?1 AND time < ?2 AND kind = 'geofence' AND clock_untrusted = 0
                AND event IN ('ENTER', 'EXIT')) AS crossing
        WHERE age = 1 AND event = 'ENTER' LIMIT \(maximumEvents)
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

    /// Returns the geofence events of a vehicle in a time, after the entries before it whose visits last as it begins.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - times: The time, from the lower bound to before the upper one.
    package func geofenceEvents(
        of vehicle: ArchivedVehicle, in times: Range<Timestamp>
    ) throws(DatabaseFailure) -> [GeofenceTrigger] {
        let start = SQLValue.time(times.lowerBound)
        let lasting = try prepare(Self.lastingVisits).rows(.integer(vehicle.key), start) { GeofenceTrigger($0) }
        return try lasting
            + prepare(Self.geofenceEvents).rows(.integer(vehicle.key), start, .time(times.upperBound)) {
                GeofenceTrigger($0)
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

extension GeofenceTrigger {
    /// Reads the payload of a geofence record; nil for what private use does not tell.
    fileprivate init?(_ row: any RecorderRow) {
        let message = row.bytes(0).flatMap { try? JSONCoder.decode(LocationMessage.self, from: $0) }
        guard var geofence = message?.location.geofence else { return nil }
        if message?.location.tag == TimelineEventRevision.privateTag {
            // It ends a visit that began before, which would else last until the next one.
            guard geofence.action == .exit else { return nil }
            (geofence.name, geofence.dwell) = (nil, nil)
        }
        self = geofence
    }
}

/// The groups of a report.
private struct ReportedGroups: Decodable {
    let groups: [String]?
}
