public import CivilTime
import OdographJSON
import Store
public import Wire

/// The timeline: what the vehicle did, asked for and listened to.
///
/// Whoever keeps a copy of it subscribes first and catches up then; what comes twice is told by its `lastUpdateDate`:
///
///     let updates = await agent.timelineUpdates
///     for event in try await agent.timelineUpdates(after: copy.lastUpdateDate) { copy.take(event) }
///     for await event in updates { copy.take(event) }
///
/// where `take` inserts an event it does not know, and replaces one it knows when the new `lastUpdateDate` is later.
extension Agent {
    /// The store while it runs.
    var store: AgentStore? { parts?.store }

    /// The events that have a part within a time, each by its newest revision, ordered by their start.
    ///
    /// - Parameters:
    ///   - from: what ended by then is not among them.
    ///   - to: nor what began then or later, unless `from` is the same instant.
    /// - Returns: nothing while the agent does not run.
    /// - Throws: `StoreError` where the database cannot be read.
    public func timelineEvents(from: Timestamp, to: Timestamp) async throws -> [TimelineEventRevision] {
        try await store?.timelineEvents(from: from, to: to).events() ?? []
    }

    /// The events that were revised after an instant, each by its newest revision, ordered by `lastUpdateDate`.
    ///
    /// - Parameter after: what was last revised then is not among them.
    /// - Returns: nothing while the agent does not run.
    /// - Throws: `StoreError` where the database cannot be read.
    public func timelineUpdates(after: Timestamp) async throws -> [TimelineEventRevision] {
        try await store?.timelineUpdates(after: after).events() ?? []
    }

    /// The newest revision of an event; nil where there is no such event, or no longer.
    /// - Throws: `StoreError` where the database cannot be read.
    public func timelineEvent(id: String) async throws -> TimelineEventRevision? {
        guard let payload = try await store?.timelineEvent(id: id) else { return nil }
        return try JSONCoder.decode(TimelineMessage.self, from: payload).timelineEvent
    }
}
