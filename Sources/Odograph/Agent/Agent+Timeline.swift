public import OdographCivilTime
import OdographJSON
import OdographStore
public import OdographWire

/// The timeline of the vehicle: queries and updates.
///
/// A program that keeps a copy subscribes first and then catches up. `lastUpdateDate` identifies duplicates:
///
///     let updates = await agent.timelineUpdates
///     for event in try await agent.timelineUpdates(after: copy.lastUpdateDate) { copy.take(event) }
///     for await event in updates { copy.take(event) }
///
/// `take` inserts an unknown event, and replaces a known one if the new `lastUpdateDate` is later.
extension Agent {
    /// The store. nil while the agent does not run.
    var store: AgentStore? { parts?.store }

    /// Returns the newest revisions of the events that overlap a period, ordered by their start.
    /// - Parameters:
    ///   - from: Events that ended at or before this instant are excluded.
    ///   - to: Events that began at or after this instant are excluded, unless it equals `from`.
    /// - Returns: An empty array while the agent does not run.
    /// - Throws: `StoreError` if the database cannot be read.
    public func timelineEvents(from: Timestamp, to: Timestamp) async throws -> [TimelineEventRevision] {
        try await store?.timelineEvents(from: from, to: to).events() ?? []
    }

    /// Returns the newest revisions of the events that were revised after an instant, ordered by `lastUpdateDate`.
    /// - Parameter after: Events that were last revised at or before this instant are excluded.
    /// - Returns: An empty array while the agent does not run.
    /// - Throws: `StoreError` if the database cannot be read.
    public func timelineUpdates(after: Timestamp) async throws -> [TimelineEventRevision] {
        try await store?.timelineUpdates(after: after).events() ?? []
    }

    /// Returns the newest revision of an event. nil if there is no such event, or it has expired.
    /// - Throws: `StoreError` if the database cannot be read.
    public func timelineEvent(id: String) async throws -> TimelineEventRevision? {
        guard let payload = try await store?.timelineEvent(id: id) else { return nil }
        return try JSONCoder.decode(TimelineMessage.self, from: payload).timelineEvent
    }
}
