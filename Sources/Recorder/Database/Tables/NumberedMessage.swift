import OdographCivilTime
import OdographJSON
import OdographWire

/// A message that is a record, with the key of its vehicle.
struct NumberedMessage {
    /// The number of a record, unique in the database.
    struct Identity: Hashable {
        var vehicle: Int64
        var number: RecordKey

        /// The epoch.
        var key: RunTable.Key { RunTable.Key(vehicle: vehicle, epoch: number.epoch) }

        /// The columns of the identity.
        var values: [SQLValue] { [.integer(vehicle), .integer(number.epoch), .integer(number.seq)] }
    }

    let identity: Identity
    let message: VehicleMessage
    /// When the recorder received it.
    let received: Timestamp

    /// Returns whether it is newer than another record of its vehicle, see ``SQLDialect/isNewer(_:than:)``.
    func isNewer(than other: NumberedMessage) -> Bool {
        let (number, known) = (identity.number, other.identity.number)
        guard number.epoch != known.epoch else { return number.seq > known.seq }
        return (isOfPast, message.recordTime ?? .earliest, number.epoch)
            > (other.isOfPast, other.message.recordTime ?? .earliest, known.epoch)
    }

    /// 0 for a time in the future, which is wrong; 1 for others.
    private var isOfPast: Int { (message.recordTime ?? .earliest).isPossible(receivedAt: received) ? 1 : 0 }

    /// The columns of `records`.
    static let columns: [RowStatement.Column] = [
        .integer("vehicle"), .integer("epoch"), .integer("seq"), .text("kind"), .time("received"), .text("payload"),
        .time("time"), .integer("clock_untrusted"), .integer("mock"), .text("event"), .text("subject"),
        .real("latitude"), .real("longitude"), .real("accuracy"), .real("altitude"), .real("speed"), .real("heading"),
        .integer("is_moving"), .real("odometer"), .text("driver"),
    ]

    /// The values of ``columns``.
    var values: [SQLValue] {
        var values: [SQLValue] = []
        values.reserveCapacity(Self.columns.count)
        values += identity.values
        values += [.text(message.channel.rawValue), .time(received), .text(message.payload)]
        values += message.recordColumns
        return values
    }
}

extension VehicleMessage {
    /// The date of a record: that of the position, or of the revision. Nil for another message.
    var recordTime: Timestamp? {
        switch content {
        case .location(let event): event.timestamp
        case .timeline(let event): event.lastUpdateDate
        case .givenUp(let record): record.timestamp
        case .status, .reported: nil
        }
    }

    /// The columns of `records` from `time` on.
    fileprivate var recordColumns: [SQLValue] {
        switch content {
        case .location(let event):
            [
                .time(event.timestamp), .bool(event.clockUntrusted ?? false), .bool(event.mock),
                .optional(event.geofence?.action.rawValue ?? event.event?.rawValue),
                .optional(event.geofence?.identifier), .real(event.coords.latitude), .real(event.coords.longitude),
                .known(event.coords.accuracy), .optional(event.coords.altitude), .known(event.coords.speed),
                .known(event.coords.heading), .bool(event.isMoving), .real(event.odometer),
                .optional(event.driver ?? event.extras?["driver"]?.driverName),
            ]
        case .timeline(let event):
            [
                .time(event.lastUpdateDate), .bool(false), .bool(false), .text(event.type.rawValue),
                .text(event.eventID), .optional(event.location?.latitude), .optional(event.location?.longitude),
                .optional(event.location?.accuracy), .null, .null, .null, .null, .null, .null,
            ]
        case .givenUp(let record):
            [
                .time(record.timestamp), .bool(false), .bool(false), .null, .null, .null, .null, .null, .null, .null,
                .null, .null, .null, .null,
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
