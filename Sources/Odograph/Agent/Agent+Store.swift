import Logging
import OdographThreads

/// The agent's reactions to events of the store's file.
extension Agent {
    /// Returns an observer that checks the files beside the store, and that merges the documents of an earlier run when
    /// the database becomes readable after the start.
    func storeObserver(
        of parts: AgentParts, commands: RemoteCommands
    ) -> @Sendable (StoreFileKeeper.Event) -> Void {
        { [weak self, configuration, logger] event in
            switch event {
            case .fileChecked:
                if let self, self.controlServer.withLock({ $0?.isBoundToPath != true }) {
                    Task { await self.recreateControlSocket() }
                }
                parts.geofences.verifyFiles()
                parts.remote.saveUnsavedDocuments()
            case .fileReopened(let documents):
                Task {
                    await parts.linkStateStore.mergeRecoveredDocuments(documents)
                    await parts.remote.mergeRecoveredDocuments(documents)
                    await parts.pipeline.mergeRecoveredDrivers(documents)
                    await commands.mergeRecoveredDocuments(documents)
                    if let owner = StoreOwner.address(in: documents), owner != configuration.address.path {
                        logger.warning(
                            "the database belonged to \(owner): this agent continues its odometer and its timeline")
                    }
                    await parts.publisher.mergeRecoveredBudget(documents)
                    await parts.publisher.rewindBacklog()
                }
            }
        }
    }
}
