public import OdographCivilTime
import Odograph
import OdographJSON
import OdographStore
public import OdographWire

/// The timeline of the agent on this machine.
extension LocalAgent {
    /// The maximum number of events per request.
    private static let pageLimit = 500

    /// Returns the events that overlap a time, each in its newest revision, ordered by start.
    /// - Parameters:
    ///   - from: the start; events that ended by then are not included. nil: no bound.
    ///   - to: the end; events that began then or later are not included. nil: no bound.
    /// - Throws: ``ControlError``, `StoreError`, `ExitError`.
    public func timelineEvents(from: Timestamp?, to: Timestamp?) async throws -> [TimelineEventRevision] {
        let to = to ?? .latest
        return try await allEvents(since: from ?? .earliest, next: { $0.endDate }) { from in
            (.getTimeline, ["from": from, "to": to])
        } stored: { store, from in
            try await store.timelineEvents(from: from, to: to).events()
        }
    }

    /// Returns the events that were revised after an instant, each in its newest revision, ordered by revision time.
    /// - Parameter after: the instant; an event that was last revised exactly then is not included.
    /// - Throws: ``ControlError``, `StoreError`, `ExitError`.
    public func timelineUpdates(after: Timestamp) async throws -> [TimelineEventRevision] {
        try await allEvents(since: after, next: { $0.lastUpdateDate }) { after in
            (.getTimelineUpdates, ["after": after])
        } stored: { store, after in
            try await store.timelineUpdates(after: after).events()
        }
    }

    /// Requests pages until there are no more events. If no agent runs, reads its database.
    private func allEvents(
        since first: Timestamp, next: (TimelineEventRevision) -> Timestamp?,
        request: (Timestamp) -> (action: CommandRequest.Action, times: [String: Timestamp]),
        stored: (StoreReader, Timestamp) async throws -> [TimelineEventRevision]
    ) async throws -> [TimelineEventRevision] {
        var events: [TimelineEventRevision] = []
        var since = first
        do {
            while true {
                let (action, times) = request(since)
                // The unbounded limits are not sent: they have no ISO-8601 form with a year of four digits.
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
