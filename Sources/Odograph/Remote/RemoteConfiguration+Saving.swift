import Logging
import OdographStore
import OdographThreads
import OdographWire

/// The documents on the disk.
extension RemoteConfiguration {
    /// Saves the documents again that could not be saved.
    nonisolated func saveUnsavedDocuments() {
        let levels = unsavedLevels.withLock { $0 }
        guard !levels.isEmpty else { return }
        Task { await save(Array(levels)) }
    }

    /// Saves the last valid documents of some levels for the next start, and removes those of left levels.
    ///
    /// A failure ends it, so that after a kill the saved document of the device names only groups of which it is noted
    /// that their documents are awaited, and the documents of left groups are there as long as it names them.
    func save(_ some: [DownlinkLevel]) async {
        let ordered = levels.order.filter(some.contains) + Set(some).subtracting(levels.order)
        for (index, level) in ordered.enumerated() {
            do {
                try await save(level)
                if unsavedLevels.withLock({ $0.remove(level) != nil && $0.isEmpty }) {
                    problems.clear(.configurationNotSaved)
                }
            } catch {
                unsavedLevels.withLock { $0.formUnion(ordered[index...]) }
                let sentence = "the configuration is in force but cannot be saved for the next start: \(error)"
                return problems.raise(.configurationNotSaved, sentence, at: .error, in: logger)
            }
        }
    }

    private func save(_ level: DownlinkLevel) async throws {
        let isUncertain = levels.lostDocuments.uncertain.contains(level)
        guard isUncertain || !levels.lostDocuments.contains(level) else { return }
        let name = DocumentName.configuration(of: level)
        let saved = try await store.document(name)
        let good = levels.lastValidDocument(at: level)
        let hash = good?.hash ?? (isUncertain ? ConfigurationManifest.unknownHash : ConfigurationManifest.absentHash)
        let known = manifestHashes[level.storageName] ?? [ConfigurationManifest.absentHash]
        guard saved != good?.bytes || known != [hash] else { return }
        // After a kill in between, the next start accepts either.
        if !known.contains(hash) { try updateManifest(known + [hash], of: level) }
        if let good {
            try await store.saveDocument(name, good.bytes)
        } else {
            try await store.removeDocument(name)
        }
        // A newer document is being saved meanwhile, and the manifest must name it too.
        guard levels.lastValidDocument(at: level)?.hash == good?.hash,
            levels.lostDocuments.uncertain.contains(level) == isUncertain
        else { return }
        try updateManifest([hash], of: level)
    }

    /// Writes the manifest. Without it the next start would take the document for an older one.
    private func updateManifest(_ hashes: [String], of level: DownlinkLevel) throws {
        var new = manifestHashes
        new[level.storageName] = hashes == [ConfigurationManifest.absentHash] ? nil : hashes
        try manifest.write(new)
        manifestHashes = new
    }
}
