import Logging
import OdographStore
import OdographThreads
import OdographWire

/// The documents on the disk.
extension RemoteConfiguration {
    /// The reason of `configuration_not_saved` for private time of a program.
    private static let privateTime = "private time"

    /// Saves again what could not be saved.
    nonisolated func saveUnsavedDocuments() {
        let levels = unsavedLevels.withLock { $0 }
        let isMarkUnsaved = isPrivateTimeUnsaved.withLock { $0 }
        guard !levels.isEmpty || isMarkUnsaved else { return }
        Task {
            await save(Array(levels))
            if isMarkUnsaved { await saveMarkAgain() }
        }
    }

    /// Saves the last valid documents of some levels for the next start, and removes those of left levels.
    ///
    /// A failure of the database ends it, so that after a kill the saved document of the device names only groups of
    /// which it is noted that their documents are awaited, and the documents of left groups are there as long as it
    /// names them.
    func save(_ some: [DownlinkLevel]) async {
        let ordered = levels.order.filter(some.contains) + Set(some).subtracting(levels.order)
        var failure: (any Error)?
        for (index, level) in ordered.enumerated() {
            do {
                if let fault = try await save(level) {
                    failure = fault
                    unsavedLevels.withLock { _ = $0.insert(level) }
                } else if unsavedLevels.withLock({ $0.remove(level) != nil && $0.isEmpty }) {
                    problems.clear(.configurationNotSaved)
                }
            } catch {
                failure = error
                unsavedLevels.withLock { $0.formUnion(ordered[index...]) }
                break
            }
        }
        guard let failure else { return }
        let sentence = "the configuration is in force but cannot be saved for the next start: \(failure)"
        problems.raise(.configurationNotSaved, sentence, at: .error, in: logger)
    }

    /// - Returns: The reason why the manifest cannot be written, while the database is as wanted. nil if it is written.
    private func save(_ level: DownlinkLevel) async throws -> (any Error)? {
        let isUncertain = levels.lostDocuments.uncertain.contains(level)
        guard isUncertain || !levels.lostDocuments.contains(level) else { return nil }
        let name = DocumentName.configuration(of: level)
        let saved = try await store.document(name)
        let good = levels.lastValidDocument(at: level)
        let hash = good?.hash ?? (isUncertain ? ConfigurationManifest.unknownHash : ConfigurationManifest.absentHash)
        let known = manifestHashes[level.storageName] ?? [ConfigurationManifest.absentHash]
        guard saved != good?.bytes || known != [hash] else { return nil }
        // After a kill in between, the next start accepts either.
        let fault = known.contains(hash) ? nil : updateManifest(known + [hash], of: level)
        // Without the manifest the database is written all the same: it then has another document than the manifest
        // says, which makes all time private at the next start, or one of which the manifest says nothing.
        let wanted = good?.bytes ?? (isUncertain && fault != nil ? ConfigurationManifest.unknownDocument : nil)
        do {
            if let wanted, wanted != saved { try await store.saveDocument(name, wanted) }
            if wanted == nil, saved != nil { try await store.removeDocument(name) }
        } catch {
            // The next start must not take the earlier document for the newest one, which makes time private.
            if levels.outcome.settings.protectsTime { _ = updateManifest([hash], of: level) }
            throw error
        }
        // A newer document is being saved meanwhile, and the manifest must name it too.
        guard levels.lastValidDocument(at: level)?.hash == good?.hash,
            levels.lostDocuments.uncertain.contains(level) == isUncertain
        else { return nil }
        return updateManifest(hash == ConfigurationManifest.absentHash ? nil : [hash], of: level)
    }

    /// Writes the manifest.
    /// - Parameter hashes: The hashes that the document of the level may have; nil for none, as of a level without one.
    /// - Returns: The reason why it cannot be written.
    private func updateManifest(_ hashes: [String]?, of level: DownlinkLevel) -> (any Error)? {
        var new = manifestHashes
        new[level.storageName] = hashes
        do {
            try manifest.write(new)
            manifestHashes = new
            return nil
        } catch {
            return error
        }
    }

    // MARK: Private time of a program

    /// Writes the mark of private time that a program has begun.
    /// - Returns: The reason why it cannot be written. nil if it is written.
    func saveMark(_ tag: ProgramTag) -> (any Error)? {
        do {
            try privateTimeMark.write(tag)
            forgetUnsavedMark()
            return nil
        } catch {
            isPrivateTimeUnsaved.withLock { $0 = true }
            let sentence = "the private time of a program is in force but cannot be saved for the next start: \(error)"
            problems.raise(.configurationNotSaved, sentence, reason: Self.privateTime, at: .error, in: logger)
            return error
        }
    }

    private func saveMarkAgain() {
        // It has ended meanwhile.
        guard let tag, tag.isPrivate else { return }
        _ = saveMark(tag)
    }

    /// Notes that no mark of private time waits to be written.
    func forgetUnsavedMark() {
        isPrivateTimeUnsaved.withLock { $0 = false }
        problems.clear(.configurationNotSaved, reason: Self.privateTime)
    }
}
