import Logging
import Threads

/// What has to do with the store's file, beside the recorder's own part.
extension Agent {
    /// Looks after the files that lie beside the store, and has everybody go on with what an earlier run left where that could not be read
    /// at the start.
    func storeObserver(
        of parts: AgentParts, commands: RemoteCommands
    ) -> @Sendable (Recorder.StoreEvent) -> Void {
        { [weak self, configuration, logger] event in
            switch event {
            case .fileChecked:
                if let self, self.controlServer.withLock({ $0?.isBoundToPath != true }) {
                    Task { await self.recreateControlSocket() }
                }
                parts.geofences.verifyFiles()
            case .fileReopened(let documents):
                Task {
                    await parts.linkStateStore.mergeRecoveredDocuments(documents)
                    await parts.remote.mergeRecoveredDocuments(documents)
                    await commands.mergeRecoveredDocuments(documents)
                    if let owner = StoreOwner.address(in: documents), owner != configuration.address.path {
                        logger.warning(
                            "the database was that of \(owner): its odometer and its timeline go on as this agent's")
                    }
                    await parts.publisher.rewindBacklog()
                }
            }
        }
    }
}
