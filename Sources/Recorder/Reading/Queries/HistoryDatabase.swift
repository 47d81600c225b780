import OdographCivilTime
import OdographJSON
import OdographWire

/// A recorder's database whose records can be queried. A function returns at most the rows that its caller asks for, so
/// no result needs more memory than the caller allows.
///
/// The recorder can write meanwhile: each function reads its own moment, so a slow caller holds no transaction, which
/// would keep the server or the write-ahead log from removing what is old.
package final class HistoryDatabase {
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

    /// Returns the vehicles with a name, ordered by fleet and name; all vehicles for nil.
    /// - Parameters:
    ///   - fleet: The fleet; nil for all fleets.
    ///   - device: The name of the vehicle, which is unique within a fleet; nil for all vehicles.
    package func vehicles(fleet: String?, device: String?) throws(DatabaseFailure) -> [ArchivedVehicle] {
        let statement = try prepare(HistorySQL.vehicles)
        let vehicles = try statement.rows(.optional(fleet), .optional(device)) { ArchivedVehicle($0) }
        // The order of texts in SQL depends on the database.
        return vehicles.sorted { ($0.fleet, $0.device) < ($1.fleet, $1.device) }
    }

    /// Returns records of a vehicle, ordered by time.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - times: The times of the records, from the lower bound to before the upper one.
    ///   - place: The place of the last record that the caller has; nil to begin.
    ///   - isTrack: Whether to return positions only, without revisions of the timeline.
    ///   - hasPayload: Whether the records have their payloads, which can be long.
    ///   - limit: The most records to return.
    package func records(
        of vehicle: ArchivedVehicle, in times: Range<Timestamp>, after place: ArchivedRecord.Place?, isTrack: Bool,
        hasPayload: Bool, limit: Int
    ) throws(DatabaseFailure) -> [ArchivedRecord] {
        let start: SQLValue = place.map { .text($0.time) } ?? .time(times.lowerBound)
        let number = place?.number ?? RecordKey(epoch: 0, seq: 0)
        return try prepare(HistorySQL.records(connection.dialect, hasPayload: hasPayload)).rows(
            .integer(vehicle.key), start, .integer(number.epoch), .integer(number.seq), .time(times.upperBound),
            .bool(isTrack), .integer(Int64(limit))
        ) { ArchivedRecord($0) }
    }

    /// Returns conflicts of a vehicle: records whose numbers other records have, in the order of reception.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - key: The key of the last one that the caller has; 0 to begin.
    ///   - limit: The most conflicts to return.
    package func conflicts(
        of vehicle: ArchivedVehicle, after key: Int64, limit: Int
    ) throws(DatabaseFailure) -> [ArchivedConflict] {
        try prepare("SELECT id, payload FROM conflicts WHERE vehicle = ?1 AND id > ?2 ORDER BY id LIMIT ?3").rows(
            .integer(vehicle.key), .integer(key), .integer(Int64(limit))
        ) { row in
            ArchivedConflict(key: row.integer(0), payload: row.text(1) ?? "")
        }
    }

    /// Returns the newest revisions of the events of a vehicle that overlap a time, ordered by start.
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
                    "more than \(HistorySQL.maximumEvents) events or \(Self.maximumTimelineBytes) bytes; "
                    + "ask for less time"
            )
        }
        return events.sorted { ($0.startDate, $0.eventID) < ($1.startDate, $1.eventID) }
    }

    /// Returns the trips of a driver that begin in a time, ordered by start: those whose driver it is, and those during
    /// which the vehicle has a position with the driver. A private trip has no driver, and is never among them.
    package func trips(
        ofDriver driver: String, in times: Range<Timestamp>
    ) throws(DatabaseFailure) -> [ArchivedTrip] {
        let trips = try prepare(HistorySQL.driverTrips).rows(
            .text(driver), .time(times.lowerBound), .time(times.upperBound)
        ) { row -> ArchivedTrip? in
            // Whether a trip is private is in its revision, and not in a time that borders on it.
            guard let event = TimelineEventRevision(payload: row.text(4)), !event.isOfPrivateUse else { return nil }
            return ArchivedTrip(vehicle: ArchivedVehicle(row), event: event)
        }
        return trips.sorted {
            ($0.event.startDate, $0.vehicle.fleet, $0.vehicle.device)
                < ($1.event.startDate, $1.vehicle.fleet, $1.vehicle.device)
        }
    }

    /// Returns the drivers of the positions of a vehicle, ordered by name.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - times: The times of the positions, from the lower bound to before the upper one.
    ///   - limit: The most names to return.
    package func drivers(
        of vehicle: ArchivedVehicle, in times: Range<Timestamp>, limit: Int
    ) throws(DatabaseFailure) -> [String] {
        let drivers = try prepare(HistorySQL.drivers).rows(
            .integer(vehicle.key), .time(times.lowerBound), .time(times.upperBound), .integer(Int64(limit))
        ) { $0.text(0) }
        return drivers.sorted()
    }

    /// Returns all vehicles with their newest positions, ordered by fleet and name.
    /// - Parameters:
    ///   - fleet: The fleet; nil for all fleets.
    ///   - hasPayload: Whether the positions have their payload.
    package func latestPositions(fleet: String?, hasPayload: Bool) throws(DatabaseFailure) -> [LatestPosition] {
        let statement = try prepare(HistorySQL.latest(connection.dialect, hasPayload: hasPayload))
        let positions = try statement.rows(.optional(fleet)) { row in
            LatestPosition(
                vehicle: ArchivedVehicle(row), state: row.text(4), lastSeen: row.time(5) ?? "",
                position: ArchivedRecord(row, from: 6))
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
