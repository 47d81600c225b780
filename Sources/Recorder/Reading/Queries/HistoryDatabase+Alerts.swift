import OdographCivilTime

extension HistoryDatabase {
    /// The columns that ``alert(_:)`` reads.
    private static let columns = """
        SELECT vehicles.id, vehicles.fleet, vehicles.device, vehicles.time_zone, alerts.id, alert, kind, rule, alerts.time,
            is_open, end_time, text, acknowledged_by, acknowledged_time,
            CASE kind WHEN 'certificate' THEN subject END
        FROM alerts JOIN vehicles ON vehicles.id = alerts.vehicle
        """

    /// The alerts of fleet ?1 and vehicle ?2, NULL for all, from time ?3 to before place ?4, ?5; at most ?6.
    private static let selection = """
        \(columns)
        WHERE vehicles.fleet = ?1 AND (vehicles.device = ?2 OR ?2 IS NULL) AND alerts.time >= ?3
            AND alerts.time <= ?4 AND (alerts.time, alerts.id) < (?4, ?5)
        ORDER BY alerts.time DESC, alerts.id DESC LIMIT ?6
        """

    /// The alert ?2 of fleet ?1.
    private static let single = "\(columns) WHERE vehicles.fleet = ?1 AND alert = ?2"

    /// Returns alerts, the newest first.
    /// - Parameters:
    ///   - fleet: The fleet.
    ///   - device: The vehicle; nil for all vehicles of the fleet.
    ///   - times: The times of the alerts, from the lower bound to before the upper one.
    ///   - place: The place of the last alert that the caller has; nil to begin.
    ///   - limit: The most alerts to return.
    package func alerts(
        fleet: String, device: String?, in times: Range<Timestamp>, after place: StoredAlert.Place?, limit: Int
    ) throws(DatabaseFailure) -> [StoredAlert] {
        let end: SQLValue = place.map { .text($0.time) } ?? .time(times.upperBound)
        return try prepare(Self.selection).rows(
            .text(fleet), .optional(device), .time(times.lowerBound), end, .integer(place?.key ?? 0),
            .integer(Int64(limit))
        ) { StoredAlert($0) }
    }

    /// Returns the alerts of a fleet with these identifiers, in their order. Unknown ones are left out.
    package func alerts(fleet: String, identifiers: [String]) throws(DatabaseFailure) -> [StoredAlert] {
        var alerts: [StoredAlert] = []
        for identifier in identifiers {
            alerts += try prepare(Self.single).rows(.text(fleet), .text(identifier)) { StoredAlert($0) }
        }
        return alerts
    }
}

extension StoredAlert {
    fileprivate init(_ row: any RecorderRow) {
        self.init(
            key: row.integer(4), identifier: row.text(5) ?? "", vehicle: ArchivedVehicle(row), kind: row.text(6) ?? "",
            rule: row.text(7), certificate: row.text(14), time: row.time(8) ?? "", isOpen: row.integer(9) == 1,
            end: row.time(10),
            text: row.text(11) ?? "",
            acknowledgement: row.text(12).map { Acknowledgement(person: $0, time: row.time(13) ?? "") })
    }
}
