import OdographCivilTime
import OdographJSON
import OdographSQLite
import OdographStore
import OdographWire

/// The tables `records`, `latest` and `conflicts`.
final class RecordTable {
    private let insertion: Statement<DatabaseFailure>
    private let comparison: Statement<DatabaseFailure>
    private let conflict: Statement<DatabaseFailure>
    private let latest: Statement<DatabaseFailure>

    init(_ connection: borrowing Connection<DatabaseFailure>) throws(DatabaseFailure) {
        // A number in a run was stored before. If its record is gone, it was erased, and must not come back.
        insertion = try connection.prepare(
            """
            INSERT INTO records (vehicle, epoch, seq, kind, received, payload, time, clock_untrusted, mock, event,
                subject, latitude, longitude, accuracy, altitude, speed, heading, is_moving, odometer, driver)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20
            WHERE coalesce((SELECT last FROM runs WHERE vehicle = ?1 AND epoch = ?2 AND first <= ?3
                            ORDER BY first DESC LIMIT 1), 0) < ?3
            ON CONFLICT DO NOTHING
            """)
        // An agent stores a record as bytes, and publishes these bytes on each topic and each time. So other bytes are
        // another record, and a comparison of the values would only hide it.
        comparison = try connection.prepare(
            "SELECT payload = ?4 FROM records WHERE vehicle = ?1 AND epoch = ?2 AND seq = ?3")
        conflict = try connection.prepare(
            """
            INSERT INTO conflicts (vehicle, epoch, seq, received, payload) VALUES (?1, ?2, ?3, ?5, ?4)
            ON CONFLICT DO NOTHING
            """)
        latest = try connection.prepare(
            """
            INSERT INTO latest (vehicle, kind, epoch, seq) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT DO UPDATE SET epoch = excluded.epoch, seq = excluded.seq
            WHERE (excluded.epoch, excluded.seq) > (latest.epoch, latest.seq)
            """)
    }

    /// Stores a record, unless one with this number is stored.
    /// - Returns: Whether the record is new.
    func insert(
        _ message: VehicleMessage, _ number: RecordKey, of vehicle: Int64, received: Timestamp
    ) throws(DatabaseFailure) -> Bool {
        let identity: [SQLiteValue] = [.integer(vehicle), .integer(number.epoch), .integer(number.seq)]
        let columns = identity + [.text(message.channel.rawValue), .time(received), .text(message.payload)]
        if try insertion.run(columns + message.recordColumns) == 1 { return true }
        let payload = SQLiteValue.text(message.payload)
        if try comparison.firstInteger(identity[0], identity[1], identity[2], payload) == 0 {
            try conflict.run(identity + [payload, .time(received)])
        }
        return false
    }

    /// Stores the number of a new record, if it is the greatest of its kind.
    func updateLatest(
        of vehicle: Int64, _ kind: UplinkChannel, _ number: RecordKey
    ) throws(DatabaseFailure) {
        try latest.run(
            .integer(vehicle), .text(kind.rawValue), .integer(number.epoch), .integer(number.seq))
    }
}

extension VehicleMessage {
    /// The columns of `records` from `time` on.
    fileprivate var recordColumns: [SQLiteValue] {
        switch content {
        case .location(let event):
            [
                .time(event.timestamp), .bool(event.clockUntrusted ?? false), .bool(event.mock),
                .optional(event.geofence?.action.rawValue ?? event.event?.rawValue),
                .optional(event.geofence?.identifier), .real(event.coords.latitude), .real(event.coords.longitude),
                .known(event.coords.accuracy), .optional(event.coords.altitude), .known(event.coords.speed),
                .known(event.coords.heading), .bool(event.isMoving), .real(event.odometer),
                .optional(event.extras?["driver"]?.driverName),
            ]
        case .timeline(let event):
            [
                .time(event.lastUpdateDate), .bool(false), .bool(false), .text(event.type.rawValue),
                .text(event.eventID), .optional(event.location?.latitude), .optional(event.location?.longitude),
                .optional(event.location?.accuracy), .null, .null, .null, .null, .null, .null,
            ]
        case .status, .reported: []
        }
    }
}

extension JSONValue {
    /// The name or number of a driver; nil for a value of another kind.
    fileprivate var driverName: String? {
        switch self {
        case .string(let name): name
        case .integer(let number): "\(number)"
        case .null, .bool, .number, .array, .object: nil
        }
    }
}
