import OdographWire

/// A record of the database. A value is nil if the vehicle did not know it.
package struct ArchivedRecord: Hashable, Sendable {
    /// The place of a record in the order by time.
    package struct Place: Hashable, Sendable {
        /// The time, as in the database.
        package let time: String
        /// The number of the record.
        package let number: RecordKey
    }

    /// The time of the position, or `last_update_date` of a revision: UTC with milliseconds.
    package let time: String
    /// The number of the record.
    package let number: RecordKey
    /// The channel, which is the kind of the record.
    package let channel: UplinkChannel
    /// When the recorder received the record.
    package let received: String
    /// Whether the date of the position is not known; `time` is then the earliest possible one.
    package let isUndated: Bool
    /// Whether the position was replayed or simulated.
    package let isMock: Bool
    /// The cause of a location, the event of a geofence, or the type of a revision.
    package let event: String?
    /// The identifier of the geofence or of the timeline event.
    package let subject: String?
    /// Degrees north.
    package let latitude: Double?
    /// Degrees east.
    package let longitude: Double?
    /// The radius that contains the true position in 95 of 100 cases, metres.
    package let accuracy: Double?
    /// The height above mean sea level, metres.
    package let altitude: Double?
    /// The speed over ground, m/s.
    package let speed: Double?
    /// The direction of travel, degrees from true north.
    package let heading: Double?
    /// Whether the vehicle was moving.
    package let isMoving: Bool?
    /// The odometer, metres.
    package let odometer: Double?
    /// The driver of a position: `driver`, or else `extras.driver`.
    package let driver: String?
    /// Whether the position is of private use: it has the tag `private`.
    package let isOfPrivateUse: Bool
    /// The message as it came, JSON; empty if it was not read.
    package let payload: [UInt8]

    /// The place in the order by time.
    package var place: Place { Place(time: time, number: number) }
}

extension ArchivedRecord {
    /// The columns that ``init(_:from:)`` reads, in its order; the last one is calculated.
    static let columns = [
        "time", "epoch", "seq", "kind", "received", "clock_untrusted", "mock", "event", "subject", "latitude",
        "longitude", "accuracy", "altitude", "speed", "heading", "is_moving", "odometer", "driver", "payload",
        "is_private",
    ]

    /// The condition that a payload has the tag of private use. It also meets a payload that contains one elsewhere.
    private static func isPrivate(_ payload: String, _ dialect: SQLDialect) -> String {
        dialect.contains(payload, "'\"tag\":\"\(TimelineEventRevision.privateTag)\"'")
    }

    /// Returns the columns of a table for a SELECT.
    /// - Parameters:
    ///   - table: The table.
    ///   - dialect: The kind of the database.
    ///   - hasPayload: Whether the payload is among them. Otherwise only a geofence record has it, if it is not long,
    ///     and the texts that a vehicle chooses have at most 500 characters: a row needs little memory.
    static func columnList(of table: String, _ dialect: SQLDialect, hasPayload: Bool) -> String {
        columns.map { column in
            switch column {
            case "is_private": "CASE WHEN \(isPrivate("\(table).payload", dialect)) THEN 1 ELSE 0 END"
            case "payload" where !hasPayload:
                "CASE WHEN \(table).kind = 'geofence' AND length(\(table).payload) <= 4096 THEN \(table).payload "
                    + "ELSE '' END"
            case "event" where !hasPayload, "subject" where !hasPayload, "driver" where !hasPayload:
                "substr(\(table).\(column), 1, 500)"
            default: "\(table).\(column)"
            }
        }.joined(separator: ", ")
    }

    /// Reads a row. Nil if the time or the kind cannot be read.
    /// - Parameter first: The index of the first column.
    init?(_ row: any RecorderRow, from first: Int32 = 0) {
        guard let time = row.time(first), let channel = row.text(first + 3).flatMap(UplinkChannel.init(rawValue:))
        else { return nil }
        self.time = time
        number = RecordKey(epoch: row.integer(first + 1), seq: row.integer(first + 2))
        self.channel = channel
        received = row.time(first + 4) ?? ""
        isUndated = row.integer(first + 5) != 0
        isMock = row.integer(first + 6) != 0
        event = row.text(first + 7)
        subject = row.text(first + 8)
        latitude = row.optionalReal(first + 9)
        longitude = row.optionalReal(first + 10)
        accuracy = row.optionalReal(first + 11)
        altitude = row.optionalReal(first + 12)
        speed = row.optionalReal(first + 13)
        heading = row.optionalReal(first + 14)
        isMoving = row.isNull(first + 15) ? nil : row.integer(first + 15) != 0
        odometer = row.optionalReal(first + 16)
        driver = row.text(first + 17)
        payload = row.bytes(first + 18) ?? []
        isOfPrivateUse = row.integer(first + 19) != 0
    }
}

extension RecorderRow {
    /// Returns a column of the current row as a number. Nil for NULL.
    fileprivate func optionalReal(_ column: Int32) -> Double? { isNull(column) ? nil : real(column) }
}
