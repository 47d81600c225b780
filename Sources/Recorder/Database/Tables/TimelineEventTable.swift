import OdographWire

/// The table `timeline_events`: the newest revision of each event.
final class TimelineEventTable {
    private let upsertion: any RecorderRowStatement

    init(_ connection: any RecorderConnection) throws(DatabaseFailure) {
        let columns = Self.columns
        let changes = columns.dropFirst(2).map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", ")
        // Only last_update_date counts for an agent. The numbers make the result independent of the order also if two
        // revisions have the same date.
        let order = ["last_update_date", "revision", "epoch", "seq"]
        let (new, old) = (order.map { "excluded.\($0)" }, order.map { "timeline_events.\($0)" })
        upsertion = try connection.prepare(
            RowStatement(
                columns: columns,
                sql: """
                    INSERT INTO timeline_events (\(RowStatement.names(columns)))
                    SELECT \(RowStatement.values(columns)) FROM new
                    WHERE true ON CONFLICT (vehicle, event_id) DO UPDATE SET \(changes)
                    WHERE (\(new.joined(separator: ", "))) > (\(old.joined(separator: ", ")))
                    """))
    }

    private static let columns: [RowStatement.Column] = [
        .integer("vehicle"), .text("event_id"), .time("last_update_date"), .integer("revision"), .integer("epoch"),
        .integer("seq"), .integer("withdrawn"), .integer("is_provisional"), .text("type"), .time("start_date"),
        .time("end_date"), .real("duration"), .text("transport_mode"), .real("distance"), .real("latitude"),
        .real("longitude"), .text("venue"), .text("reason"), .text("tag"), .text("driver"),
        .real("idle_seconds"),
    ]

    /// Stores revisions, each if it is the newest one of its event.
    func upsert(_ records: [NumberedMessage]) throws(DatabaseFailure) {
        // A statement of PostgreSQL cannot change a row twice.
        var newest: [Event: Revision] = [:]
        for record in records {
            guard case .timeline(let event) = record.message.content else { continue }
            let revision = Revision(
                date: .time(event.lastUpdateDate), revision: event.revision, number: record.identity.number,
                event: event)
            let key = Event(vehicle: record.identity.vehicle, identifier: event.eventID)
            if let known = newest[key], known >= revision { continue }
            newest[key] = revision
        }
        try upsertion.run(newest.map { Self.values(of: $1.event, $1.number, of: $0.vehicle) })
    }

    private struct Event: Hashable {
        var vehicle: Int64
        var identifier: String
    }

    /// A revision in the order of ``upsertion``.
    private struct Revision: Comparable {
        /// The date as the database has it.
        var date: SQLValue
        var revision: Int
        var number: RecordKey
        var event: TimelineEventRevision

        static func < (left: Revision, right: Revision) -> Bool {
            (left.dateText, left.revision, left.number) < (right.dateText, right.revision, right.number)
        }

        private var dateText: String { if case .text(let text) = date { text } else { "" } }
    }

    /// Returns the values of a row.
    private static func values(
        of event: TimelineEventRevision, _ number: RecordKey, of vehicle: Int64
    ) -> [SQLValue] {
        [
            .integer(vehicle), .text(event.eventID), .time(event.lastUpdateDate), .integer(Int64(event.revision)),
            .integer(number.epoch), .integer(number.seq), .bool(event.withdrawn ?? false),
            .bool(event.isProvisional), .text(event.type.rawValue), .time(event.startDate), .optional(event.endDate),
            .real(event.duration), .optional(event.transportMode?.rawValue), .optional(event.distanceInMeters),
            .optional(event.location?.latitude), .optional(event.location?.longitude),
            .optional(event.venue?.identifier), .optional(event.reason?.rawValue), .optional(event.tag),
            .optional(event.driver), .optional(event.idleSeconds),
        ]
    }
}
