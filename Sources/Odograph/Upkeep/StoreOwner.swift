import OdographCivilTime
import Logging
import OdographStore
import OdographWire

/// Saves the address of the agent that owns the database. A copied disk brings the database of another vehicle. Its
/// records then get a new epoch, and with it other UUIDs than those that the other vehicle continues to use.
package enum StoreOwner {
    /// Returns the owner's address in some documents. nil if they contain none.
    package static func address(in documents: [String: [UInt8]]) -> String? {
        documents[DocumentName.owner].map { String(decoding: $0, as: UTF8.self) }
    }

    /// Makes this agent the owner of the database. If another agent owned it, logs a warning and begins a new epoch.
    package static func claim(
        _ address: DeviceAddress, in store: AgentStore, now: Timestamp, problems: ProblemRegistry, logger: Logger
    ) async {
        let saved = await SavedDocument.read(DocumentName.owner, from: store)
        let owner = saved.parsed {
            String(decoding: $0, as: UTF8.self)
        } onUnreadable: { reason in
            problems.raiseUnreadable(
                "the saved owner of the database", reason, effect: "this vehicle becomes the owner", in: logger)
        }
        guard owner != address.path else { return }
        if let owner {
            let depth = (try? await store.statistics().depth) ?? 0
            logger.warning(
                """
                the database belonged to \(owner): \(address.path) continues its odometer and its timeline, and \
                publishes its \(depth) pending records; if this is another vehicle, stop the agent and set another store.path
                """)
        }
        do {
            if owner != nil { try await store.beginEpoch(now: now, isOfOtherDevice: true) }
            try await store.saveDocument(DocumentName.owner, Array(address.path.utf8))
        } catch {
            logger.warning("cannot save the owner of the database: \(error)")
        }
    }
}
