import CivilTime
import Logging
import Store
import Wire

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
                "the name of the database's vehicle", reason, effect: "it is taken for this vehicle's", in: logger)
        }
        guard owner != address.path else { return }
        if let owner {
            let depth = (try? await store.statistics().depth) ?? 0
            logger.warning(
                """
                the database was that of \(owner): its odometer and its timeline go on as those of \(address.path), where \
                the \(depth) records that wait are published too; if this is another vehicle, stop the agent and name \
                another store.path
                """)
        }
        do {
            if owner != nil { try await store.beginEpoch(now: now) }
            try await store.saveDocument(DocumentName.owner, Array(address.path.utf8))
        } catch {
            logger.warning("whose the database is cannot be saved: \(error)")
        }
    }
}
