import OdographCivilTime
import OdographJSON
import OdographStore
import OdographWire

/// Timeline commands. The size of a response is bounded. If there are more events, it contains `"more": true`.
extension CommandHandler {
    /// The maximum number of events in a response unless `limit` is given.
    private static let defaultLimit = 100.0
    private static let limitRange = 1.0...1000.0
    /// The maximum size of a response, for a metered link. The final event of a long trip has about 10 kB of waypoints.
    private static let maximumResponseBytes = 256 << 10

    /// Responds to `get_timeline` with the events that overlap the time from `from` (inclusive) to `to` (exclusive),
    /// ordered by start. If there are more, the next `from` is the end of the last event.
    func timeline(_ request: CommandRequest) async throws -> CommandResponse {
        let from = try request.time("from") ?? .earliest
        let to = try request.time("to") ?? .latest
        guard from <= to else {
            throw CommandError(message: "\"from\" must not be later than \"to\"")
        }
        let limit = try request.number("limit", default: Self.defaultLimit, in: Self.limitRange)
        return try Self.response(
            request,
            await store.timelineEvents(
                from: from, to: to, limit: Int(limit), maximumBytes: Self.maximumResponseBytes))
    }

    /// Responds to `get_timeline_updates` with the events revised later than `after`, ordered by `last_update_date`. If
    /// there are more, the next `after` is the `last_update_date` of the last event.
    func timelineUpdates(_ request: CommandRequest) async throws -> CommandResponse {
        guard let after = try request.time("after") else {
            throw CommandError(message: "\(request.action) needs \"after\", a time like 2026-11-21T09:15:02Z")
        }
        let limit = try request.number("limit", default: Self.defaultLimit, in: Self.limitRange)
        return try Self.response(
            request,
            await store.timelineUpdates(after: after, limit: Int(limit), maximumBytes: Self.maximumResponseBytes))
    }

    private static func response(_ request: CommandRequest, _ page: TimelinePage) throws -> CommandResponse {
        let events = try page.events().map { try JSONCoder.value(of: $0) }
        return request.success(["timeline_events": .array(events), "more": .bool(page.hasMore)])
    }
}

extension TimelinePage {
    /// Returns the revisions of the payloads.
    package func events() throws -> [TimelineEventRevision] {
        try payloads.map { try JSONCoder.decode(TimelineMessage.self, from: $0).timelineEvent }
    }
}
