import OdographCivilTime

extension SQLHistoryDatabase {
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

    package func alerts(
        fleet: String, device: String?, in times: Range<Timestamp>, after place: StoredAlert.Place?, limit: Int
    ) throws(DatabaseFailure) -> [StoredAlert] {
        var alerts: [StoredAlert] = []
        try prepare(Self.selection).forEach(
            .text(fleet), .optional(device), .time(times.lowerBound),
            place.map { .text($0.time) } ?? .time(times.upperBound), .integer(place?.key ?? 0), .integer(Int64(limit))
        ) { row throws(DatabaseFailure) in
            alerts.append(StoredAlert(row))
            return true
        }
        return alerts
    }

    package func alerts(fleet: String, identifiers: [String]) throws(DatabaseFailure) -> [StoredAlert] {
        var alerts: [StoredAlert] = []
        for identifier in identifiers {
            try prepare(Self.single).forEach(.text(fleet), .text(identifier)) { row throws(DatabaseFailure) in
                alerts.append(StoredAlert(row))
                return true
            }
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
