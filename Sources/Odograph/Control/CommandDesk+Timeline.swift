import CivilTime
import Store
import Wire

/// The timeline, asked by command. An answer is bounded: where there are more, it says `"more": true`.
extension CommandDesk {
    /// So many events are an answer, unless `limit` says otherwise.
    private static let defaultLimit = 100.0
    private static let limits = 1.0...1000.0
    /// A final event of a long way has some ten kilobytes of waypoints; an answer has to fit through a metered link.
    private static let maximumBytes = 256 << 10

    /// `get_timeline`: the events with a part within `from` (included) and `to` (not included), ordered by their start. Where there are
    /// more, the next answer begins at the end of the last event.
    func timeline(_ request: CommandRequest) async throws -> CommandResponse {
        let from = try request.time("from") ?? .earliest
        let to = try request.time("to") ?? .latest
        guard from <= to else {
            throw CommandRefusal(sentence: "\"from\" must not be later than \"to\"")
        }
        let limit = try request.number("limit", default: Self.defaultLimit, in: Self.limits)
        return try Self.answer(
            request,
            await parts.store.timelineEvents(
                from: from, to: to, limit: Int(limit), maximumBytes: Self.maximumBytes))
    }

    /// `get_timeline_updates`: the events revised later than `after`, ordered by `last_update_date`. Where there are more, the
    /// next `after` is the last event's `last_update_date`.
    func timelineUpdates(_ request: CommandRequest) async throws -> CommandResponse {
        guard let after = try request.time("after") else {
            throw CommandRefusal(sentence: "\(request.action) needs \"after\", a time like 2026-11-21T09:15:02Z")
        }
        let limit = try request.number("limit", default: Self.defaultLimit, in: Self.limits)
        return try Self.answer(
            request,
            await parts.store.timelineUpdates(after: after, limit: Int(limit), maximumBytes: Self.maximumBytes))
    }

    private static func answer(_ request: CommandRequest, _ page: TimelinePage) throws -> CommandResponse {
        let events = try page.events().map { try JSONText.value(of: $0) }
        return request.success(["timeline_events": .array(events), "more": .bool(page.hasMore)])
    }
}

extension TimelinePage {
    /// The revisions that the payloads are of. Earlier versions could store a revision without contents: those are left out.
    func events() throws -> [TimelineEventRevision] {
        try payloads.filter { !$0.isEmpty }.map { try JSONText.decode(TimelineMessage.self, from: $0).timelineEvent }
    }
}
