import OdographCivilTime
import OdographJSON
import OdographWire

/// The alerts of a fleet in a time, the newest first.
struct AlertPages: HistoryPages {
    private let fleet: String
    private let device: String?
    private let times: Range<Timestamp>
    private var place: StoredAlert.Place?

    /// - Throws: `HistoryRefusal` if the place is after the times: only they are permitted and logged.
    init(
        fleet: String, device: String?, times: Range<Timestamp>, after place: StoredAlert.Place?
    ) throws(HistoryRefusal) {
        if let place, place.time >= times.upperBound.iso8601 { throw .wrongPlace }
        (self.fleet, self.device, self.times, self.place) = (fleet, device, times, place)
    }

    var timeZone: String? { nil }

    mutating func read(from database: HistoryDatabase, limit: Int) throws -> HistoryPage {
        let alerts = try database.alerts(fleet: fleet, device: device, in: times, after: place, limit: limit)
        place = alerts.last?.place ?? place
        let rows = try AlertPrivacy.disclosed(alerts, of: database).map { try JSONCoder.bytes(of: $0.row) }
        return HistoryPage(rows: rows, next: alerts.count < limit ? nil : place?.text)
    }
}

/// The alerts that a person has acknowledged, as they are now.
struct AcknowledgedAlertPages: HistoryPages {
    let fleet: String
    let identifiers: [String]

    var timeZone: String? { nil }

    mutating func read(from database: HistoryDatabase, limit: Int) throws -> HistoryPage {
        let alerts = try database.alerts(fleet: fleet, identifiers: Array(identifiers.prefix(limit)))
        return HistoryPage(
            rows: try AlertPrivacy.disclosed(alerts, of: database).map { try JSONCoder.bytes(of: $0.row) })
    }
}
