import CivilTime
import OdographJSON
import Store
import Wire

/// The timeline, asked by command. An answer is bounded: where there are more, it says `"more": true`.
extension CommandHandler {
    /// So many events are an answer, unless `limit` says otherwise.
    private static let defaultLimit = 100.0
    private static let limitRange = 1.0...1000.0
    /// A final event of a long way has some ten kilobytes of waypoints; an answer has to fit through a metered link.
    private static let maximumResponseBytes = 256 << 10

    /// `get_timeline`: the events with a part within `from` (included) and `to` (not included), ordered by their start. Where there are
    /// more, the next answer begins at the end of the last event.
    func timeline(_ request: CommandRequest) async throws -> CommandResponse {
        let from = try request.time("from") ?? .earliest
        let to = try request.time("to") ?? .latest
        guard from <= to else {
            throw CommandError(message: "\"from\" must not be later than \"to\"")
        }
        let limit = try request.number("limit", default: Self.defaultLimit, in: Self.limitRange)
        return try Self.response(
            request,
            await parts.store.timelineEvents(
                from: from, to: to, limit: Int(limit), maximumBytes: Self.maximumResponseBytes))
    }

    /// `get_timeline_updates`: the events revised later than `after`, ordered by `last_update_date`. Where there are more, the
    /// next `after` is the last event's `last_update_date`.
    func timelineUpdates(_ request: CommandRequest) async throws -> CommandResponse {
        guard let after = try request.time("after") else {
            throw CommandError(message: "\(request.action) needs \"after\", a time like 2026-11-21T09:15:02Z")
        }
        let limit = try request.number("limit", default: Self.defaultLimit, in: Self.limitRange)
        return try Self.response(
            request,
            await parts.store.timelineUpdates(after: after, limit: Int(limit), maximumBytes: Self.maximumResponseBytes))
    }

    private static func response(_ request: CommandRequest, _ page: TimelinePage) throws -> CommandResponse {
        let events = try page.events().map { try JSONCoder.value(of: $0) }
        return request.success(["timeline_events": .array(events), "more": .bool(page.hasMore)])
    }
}

extension TimelinePage {
    /// The revisions that the payloads are of. Earlier versions could store a revision without contents: those are left out.
    func events() throws -> [TimelineEventRevision] {
        try payloads.filter { !$0.isEmpty }.map { try JSONCoder.decode(TimelineMessage.self, from: $0).timelineEvent }
    }
}
