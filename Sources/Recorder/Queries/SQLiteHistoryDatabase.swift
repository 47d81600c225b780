import OdographCivilTime
import OdographJSON
import OdographStore
import OdographWire

/// The queries of a recorder's database in a file of SQLite. The recorder can write meanwhile.
package final class SQLiteHistoryDatabase: HistoryDatabase {
    private let connection: SQLiteRecorderConnection

    /// Opens a database for reading.
    /// - Parameter path: The file.
    package init(path: String) throws(DatabaseFailure) {
        connection = try RecorderSchema.openForReading(path)
    }

    package func vehicles(fleet: String?, device: String?) throws(DatabaseFailure) -> [ArchivedVehicle] {
        var vehicles: [ArchivedVehicle] = []
        try connection.prepare(HistorySQL.vehicles).forEach(.optional(fleet), .optional(device)) {
            row throws(DatabaseFailure) in
            vehicles.append(ArchivedVehicle(row))
            return true
        }
        return vehicles
    }

    package func records(
        of vehicle: ArchivedVehicle, in times: Range<Timestamp>, after place: ArchivedRecord.Place?, isTrack: Bool,
        limit: Int
    ) throws(DatabaseFailure) -> [ArchivedRecord] {
        var records: [ArchivedRecord] = []
        let number = place?.number ?? RecordKey(epoch: 0, seq: 0)
        try connection.prepare(HistorySQL.records).forEach(
            .integer(vehicle.key), .text(place?.time ?? times.lowerBound.iso8601), .integer(number.epoch),
            .integer(number.seq), .time(times.upperBound), .bool(isTrack), .integer(Int64(limit))
        ) { row throws(DatabaseFailure) in
            if let record = ArchivedRecord(row) { records.append(record) }
            return true
        }
        return records
    }

    package func timeline(
        of vehicle: ArchivedVehicle, in times: Range<Timestamp>
    ) throws(DatabaseFailure) -> [TimelineEventRevision] {
        var events: [TimelineEventRevision] = []
        try connection.prepare(HistorySQL.timeline).forEach(
            .integer(vehicle.key), .time(times.lowerBound), .time(times.upperBound)
        ) { row throws(DatabaseFailure) in
            if let event = TimelineEventRevision(payload: row.text(0)) { events.append(event) }
            return true
        }
        return events
    }

    package func trips(
        ofDriver driver: String, in times: Range<Timestamp>
    ) throws(DatabaseFailure) -> [ArchivedTrip] {
        var trips: [ArchivedTrip] = []
        try connection.prepare(HistorySQL.driverTrips).forEach(
            .text(driver), .time(times.lowerBound), .time(times.upperBound)
        ) { row throws(DatabaseFailure) in
            if let event = TimelineEventRevision(payload: row.text(4)) {
                trips.append(ArchivedTrip(vehicle: ArchivedVehicle(row), event: event))
            }
            return true
        }
        return trips
    }

    package func latestPositions(fleet: String?) throws(DatabaseFailure) -> [LatestPosition] {
        var positions: [LatestPosition] = []
        try connection.prepare(HistorySQL.latest).forEach(.optional(fleet)) { row throws(DatabaseFailure) in
            positions.append(
                LatestPosition(
                    vehicle: ArchivedVehicle(row), state: row.text(4), lastSeen: row.text(5) ?? "",
                    position: ArchivedRecord(row, from: 6)))
            return true
        }
        return positions
    }
}

extension ArchivedVehicle {
    /// Reads the first four columns of a row.
    init(_ row: any RecorderRow) {
        self.init(key: row.integer(0), fleet: row.text(1) ?? "", device: row.text(2) ?? "", timeZone: row.text(3))
    }
}

extension TimelineEventRevision {
    /// Reads a stored payload, which the recorder has read before; nil if it is not readable.
    fileprivate init?(payload: String?) {
        guard let payload, let message = try? JSONCoder.decode(TimelineMessage.self, from: Array(payload.utf8)) else {
            return nil
        }
        self = message.timelineEvent
    }
}
