import OdographCivilTime
import OdographJSON
import OdographWire

/// The queries of a recorder's database. The recorder can write meanwhile: each function reads its own moment, so a
/// slow caller holds no transaction, which would keep the server or the write-ahead log from removing what is old.
package final class SQLHistoryDatabase: HistoryDatabase {
    /// The most bytes of events that are read at once.
    private static let maximumTimelineBytes = 64 << 20

    private let connection: any RecorderConnection
    /// The compiled statements. A server keeps each until the connection ends.
    private var statements: [String: any RecorderStatement] = [:]

    /// Opens a database for reading.
    /// - Parameter location: The place of the database.
    /// - Throws: ``DatabaseFailure`` if there is no recorder's database at the place.
    package init(_ location: DatabaseLocation) throws(DatabaseFailure) {
        switch location {
        case .file(let path): connection = try SQLiteSchema.openForReading(path)
        case .server(let address): connection = try PostgreSQLSchema.openForReading(address)
        }
    }

    /// Returns the compiled statement.
    func prepare(_ sql: String) throws(DatabaseFailure) -> any RecorderStatement {
        if let known = statements[sql] { return known }
        let statement = try connection.prepare(sql)
        statements[sql] = statement
        return statement
    }

    package func vehicles(fleet: String?, device: String?) throws(DatabaseFailure) -> [ArchivedVehicle] {
        var vehicles: [ArchivedVehicle] = []
        try prepare(HistorySQL.vehicles).forEach(.optional(fleet), .optional(device)) {
            row throws(DatabaseFailure) in
            vehicles.append(ArchivedVehicle(row))
            return true
        }
        // The order of texts in SQL depends on the database.
        return vehicles.sorted { ($0.fleet, $0.device) < ($1.fleet, $1.device) }
    }

    package func records(
        of vehicle: ArchivedVehicle, in times: Range<Timestamp>, after place: ArchivedRecord.Place?, isTrack: Bool,
        hasPayload: Bool, limit: Int
    ) throws(DatabaseFailure) -> [ArchivedRecord] {
        var records: [ArchivedRecord] = []
        let number = place?.number ?? RecordKey(epoch: 0, seq: 0)
        try prepare(HistorySQL.records(hasPayload: hasPayload)).forEach(
            .integer(vehicle.key), place.map { .text($0.time) } ?? .time(times.lowerBound), .integer(number.epoch),
            .integer(number.seq), .time(times.upperBound), .bool(isTrack), .integer(Int64(limit))
        ) { row throws(DatabaseFailure) in
            if let record = ArchivedRecord(row) { records.append(record) }
            return true
        }
        return records
    }

    package func conflicts(
        of vehicle: ArchivedVehicle, after key: Int64, limit: Int
    ) throws(DatabaseFailure) -> [ArchivedConflict] {
        var conflicts: [ArchivedConflict] = []
        try prepare("SELECT id, payload FROM conflicts WHERE vehicle = ?1 AND id > ?2 ORDER BY id LIMIT ?3").forEach(
            .integer(vehicle.key), .integer(key), .integer(Int64(limit))
        ) { row throws(DatabaseFailure) in
            if let conflict = ArchivedConflict(key: row.integer(0), payload: row.text(1) ?? "") {
                conflicts.append(conflict)
            }
            return true
        }
        return conflicts
    }

    package func timeline(
        of vehicle: ArchivedVehicle, in times: Range<Timestamp>
    ) throws(DatabaseFailure) -> [TimelineEventRevision] {
        var (events, bytes): ([TimelineEventRevision], Int) = ([], 0)
        try prepare(HistorySQL.timeline).forEach(
            .integer(vehicle.key), .time(times.lowerBound), .time(times.upperBound)
        ) { row throws(DatabaseFailure) in
            let payload = row.text(0)
            bytes += payload?.utf8.count ?? 0
            if let event = TimelineEventRevision(payload: payload) { events.append(event) }
            return bytes <= Self.maximumTimelineBytes && events.count <= HistorySQL.maximumEvents
        }
        guard bytes <= Self.maximumTimelineBytes, events.count <= HistorySQL.maximumEvents else {
            throw .failed(
                path: connection.name, operation: "reading the timeline of \(vehicle.fleet)/\(vehicle.device)",
                detail:
                    "more than \(HistorySQL.maximumEvents) events or \(Self.maximumTimelineBytes) bytes; ask for less time"
            )
        }
        return events.sorted { ($0.startDate, $0.eventID) < ($1.startDate, $1.eventID) }
    }

    package func trips(
        ofDriver driver: String, in times: Range<Timestamp>
    ) throws(DatabaseFailure) -> [ArchivedTrip] {
        var trips: [ArchivedTrip] = []
        try prepare(HistorySQL.driverTrips).forEach(
            .text(driver), .time(times.lowerBound), .time(times.upperBound)
        ) { row throws(DatabaseFailure) in
            // Whether a trip is private is in its revision, and not in a time that borders on it.
            if let event = TimelineEventRevision(payload: row.text(4)), !event.isOfPrivateUse {
                trips.append(ArchivedTrip(vehicle: ArchivedVehicle(row), event: event))
            }
            return true
        }
        return trips.sorted {
            ($0.event.startDate, $0.vehicle.fleet, $0.vehicle.device)
                < ($1.event.startDate, $1.vehicle.fleet, $1.vehicle.device)
        }
    }

    package func drivers(
        of vehicle: ArchivedVehicle, in times: Range<Timestamp>, limit: Int
    ) throws(DatabaseFailure) -> [String] {
        var drivers: [String] = []
        try prepare(HistorySQL.drivers).forEach(
            .integer(vehicle.key), .time(times.lowerBound), .time(times.upperBound), .integer(Int64(limit))
        ) { row throws(DatabaseFailure) in
            if let driver = row.text(0) { drivers.append(driver) }
            return true
        }
        return drivers.sorted()
    }

    package func latestPositions(fleet: String?, hasPayload: Bool) throws(DatabaseFailure) -> [LatestPosition] {
        var positions: [LatestPosition] = []
        let statement = try prepare(HistorySQL.latest(connection.dialect, hasPayload: hasPayload))
        try statement.forEach(.optional(fleet)) { row throws(DatabaseFailure) in
            positions.append(
                LatestPosition(
                    vehicle: ArchivedVehicle(row), state: row.text(4), lastSeen: row.time(5) ?? "",
                    position: ArchivedRecord(row, from: 6)))
            return true
        }
        return positions.sorted { ($0.vehicle.fleet, $0.vehicle.device) < ($1.vehicle.fleet, $1.vehicle.device) }
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
