import OdographStore
import OdographWire

/// The table `timeline_events`: the newest revision of each event.
final class TimelineEventTable {
    private let upsertion: any RecorderStatement

    init(_ connection: any RecorderConnection) throws(DatabaseFailure) {
        let names = [
            "vehicle", "event_id", "last_update_date", "revision", "epoch", "seq", "withdrawn", "is_provisional",
            "type",
            "start_date", "end_date", "duration", "transport_mode", "distance", "latitude", "longitude", "venue",
            "reason", "tag",
        ]
        let values = (1...names.count).map { "?\($0)" }.joined(separator: ", ")
        let changes = names.dropFirst(2).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        // Only last_update_date counts for an agent. The numbers make the result independent of the order also if two
        // revisions have the same date.
        let order = ["last_update_date", "revision", "epoch", "seq"]
        let (new, old) = (order.map { "excluded.\($0)" }, order.map { "timeline_events.\($0)" })
        upsertion = try connection.prepare(
            """
            INSERT INTO timeline_events (\(names.joined(separator: ", "))) VALUES (\(values))
            ON CONFLICT (vehicle, event_id) DO UPDATE SET \(changes)
            WHERE (\(new.joined(separator: ", "))) > (\(old.joined(separator: ", ")))
            """)
    }

    /// Stores revisions, of which each is the newest one of its event, or changes nothing.
    func upsert(_ revisions: [[SQLValue]]) throws(DatabaseFailure) { try upsertion.runAll(revisions) }

    /// Returns the values of a row.
    static func values(
        of event: TimelineEventRevision, _ number: RecordKey, of vehicle: Int64
    ) -> [SQLValue] {
        [
            .integer(vehicle), .text(event.eventID), .time(event.lastUpdateDate), .integer(Int64(event.revision)),
            .integer(number.epoch), .integer(number.seq), .bool(event.withdrawn ?? false),
            .bool(event.isProvisional), .text(event.type.rawValue), .time(event.startDate), .optional(event.endDate),
            .real(event.duration), .optional(event.transportMode?.rawValue), .optional(event.distanceInMeters),
            .optional(event.location?.latitude), .optional(event.location?.longitude),
            .optional(event.venue?.identifier), .optional(event.reason?.rawValue), .optional(event.tag),
        ]
    }
}
