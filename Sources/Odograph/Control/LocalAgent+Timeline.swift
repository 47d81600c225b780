public import CivilTime
import OdographJSON
import Store
public import Wire

/// The timeline of the agent of this machine.
extension LocalAgent {
    /// The most events that are asked for at a time.
    private static let pageLimit = 500

    /// The events that have a part within a time, each by its newest revision, ordered by their start.
    ///
    /// - Parameters:
    ///   - from: what ended by then is not among them; nil for no bound.
    ///   - to: nor what began then or later; nil for no bound.
    /// - Throws: ``ControlError``, `StoreError`, ``ExitError``.
    public func timelineEvents(from: Timestamp?, to: Timestamp?) async throws -> [TimelineEventRevision] {
        let to = to ?? .latest
        return try await allEvents(since: from ?? .earliest, next: { $0.endDate }) { from in
            (.getTimeline, ["from": from, "to": to])
        } stored: { store, from in
            try await store.timelineEvents(from: from, to: to).events()
        }
    }

    /// The events that were revised after an instant, each by its newest revision, ordered by that.
    ///
    /// - Parameter after: what was last revised then is not among them.
    /// - Throws: ``ControlError``, `StoreError`, ``ExitError``.
    public func timelineUpdates(after: Timestamp) async throws -> [TimelineEventRevision] {
        try await allEvents(since: after, next: { $0.lastUpdateDate }) { after in
            (.getTimelineUpdates, ["after": after])
        } stored: { store, after in
            try await store.timelineUpdates(after: after).events()
        }
    }

    /// Asks until there is no more; where no agent runs, its database.
    private func allEvents(
        since first: Timestamp, next: (TimelineEventRevision) -> Timestamp?,
        request: (Timestamp) -> (action: CommandAction, times: [String: Timestamp]),
        stored: (StoreReader, Timestamp) async throws -> [TimelineEventRevision]
    ) async throws -> [TimelineEventRevision] {
        var events: [TimelineEventRevision] = []
        var since = first
        do {
            while true {
                let (action, times) = request(since)
                // The bounds of time are nobody's to read: an instant without a year of four digits has no spelling.
                var parameters = times.filter { $0.value != .earliest && $0.value != .latest }
                    .mapValues { JSONValue.string($0.iso8601) }
                parameters["limit"] = .integer(Int64(Self.pageLimit))
                let answer = try await perform(action, parameters)
                let page = try JSONCoder.decode(
                    [TimelineEventRevision].self, from: answer["timeline_events"] ?? .array([]))
                events += page
                guard answer["more"] == .bool(true), let later = page.last.flatMap(next), later > since else {
                    return events
                }
                since = later
            }
        } catch let error as ControlError {
            let (agent, _) = try await stoppedAgent(after: error)
            return try await stored(agent.store, first)
        }
    }
}
