import Logging
import OdographModel
import OdographPositioning
import OdographStore
import OdographTracking

/// Checks the store's file: uses a file that was unusable at the start as soon as possible, and writes a new one if it
/// was deleted or replaced.
extension Recorder {
    /// The events of the store's file that concern other parts.
    package enum StoreEvent: Sendable {
        /// The file was checked: other files should be checked too.
        case fileChecked
        /// The records moved from memory to the file, which contained these documents.
        case fileReopened(documents: [String: [UInt8]])
    }

    /// Sets the observer of the store's file, and starts the checks.
    package func observeStoreFile(_ observer: @escaping @Sendable (StoreEvent) -> Void) {
        storeObserver = observer
        storeFileMonitor.isInMemory = store.assumeIsolated { $0.isWaitingForFile }
        hasStoreFile = store.assumeIsolated { $0.hasFile }
        scheduleWakeUp()
    }

    /// Checks the file if the check is due.
    package func checkStoreFile(isFinal: Bool = false) {
        guard hasStoreFile, let storeObserver else { return }
        let uptime = clock.now().uptimeMilliseconds
        guard isFinal || storeFileMonitor.isDue(uptimeMilliseconds: uptime) else { return }
        storeFileMonitor.markChecked(uptimeMilliseconds: uptime)
        if storeFileMonitor.isInMemory { reopenFile() } else { verifyFile() }
        storeObserver(.fileChecked)
    }

    /// The latest time of the next check, on the monotonic clock. nil if there is no file.
    package var storeCheckDueUptime: Int64? {
        guard hasStoreFile, storeObserver != nil else { return nil }
        return storeFileMonitor.due(uptimeMilliseconds: clock.now().uptimeMilliseconds)
    }

    private func verifyFile() {
        let time = now().systemTime
        guard let loss = store.assumeIsolated({ $0.verifyFile(now: time) }) else { return }
        storeFileMonitor.isFileLost = loss.failure != nil
        let sentence = Self.lossMessage(loss)
        // Clearing first raises the problem again as new, so that a repaired loss is always logged.
        if loss.failure == nil { problems.clear(.storeFileLost) }
        problems.raise(.storeFileLost, sentence, at: .error, in: logger)
    }

    private static func lossMessage(_ loss: FileLossReport) -> String {
        if let failure = loss.failure {
            return
                "\(loss.cause), and it cannot be written again: \(failure); the agent tries again; if it ends "
                + "before that, all records until then are lost"
        }
        let aside = loss.asidePath.map { "; the other file was renamed to \($0)" } ?? ""
        return "\(loss.cause); the agent wrote a complete new file\(aside); find the cause"
    }

    // MARK: From memory to the file

    /// Tries to use a file that was unusable. No input is handled meanwhile.
    private func reopenFile() {
        let time = now().systemTime
        do {
            let contents = try store.assumeIsolated { try $0.reopenFile(now: time) }
            let earlier = contents.map(PreviousRunState.init)
            if let earlier {
                try merge(earlier, documents: contents?.documents ?? [:])
            } else {
                let aside = try store.assumeIsolated { try $0.moveIntoFile(snapshot: nil, now: time) }
                if let aside { logger.warning("a file took the path of the database; it was renamed to \(aside)") }
                handleFileReopened([:])
            }
        } catch {
            let sentence = Self.unusableMessage(for: error)
            problems.raise(.storeUnusable, sentence, at: .error, in: logger)
        }
    }

    /// Combines the measurements of this run with the state of an earlier one.
    private func merge(_ earlier: PreviousRunState, documents: [String: [UInt8]]) throws {
        var restoration = Recovery(of: earlier, configuration: settings.core, seed: .random())
        var before = restoration.tracker
        // The earlier run published these outputs. `prepend` ends its last events.
        _ = restoration.replayJournal(into: &before)
        guard tracker.lastFix != nil || tracker.lastTimelineUpdate != nil || storeFileMonitor.isOdometerSet else {
            return try resume(from: earlier, before, documents: documents)
        }
        var merged = tracker
        let outputs = merged.prepend(
            before, firstFix: storeFileMonitor.firstFix, isOdometerSet: storeFileMonitor.isOdometerSet,
            published: earlier.publishedEvents,
            lastUpdate: earlier.lastUpdate)
        let kept = isPrivate ? merged.withoutPositions() : merged
        let snapshot = try StateSnapshot.encode(kept, sourceOrdinal: sourceOrdinal)
        let time = now().systemTime
        _ = try store.assumeIsolated { try $0.moveIntoFile(snapshot: snapshot, now: time) }
        tracker = merged
        for output in outputs { dispatch(output) }
        if let loss = restoration.loss, loss.isOdometerLost { reportLoss(loss) }
        pending.needsSnapshot = true
        handleFileReopened(documents)
        commit()
    }

    /// Continues from the earlier run, as after any start: this run has measured nothing.
    private func resume(
        from earlier: PreviousRunState, _ before: Tracker, documents: [String: [UInt8]]
    ) throws {
        let time = now().systemTime
        let snapshot = try StateSnapshot.encode(
            isPrivate ? before.withoutPositions() : before, sourceOrdinal: sourceOrdinal)
        let inForce = geofences
        _ = try store.assumeIsolated { try $0.moveIntoFile(snapshot: snapshot, now: time) }
        load(earlier) { $0 == inForce.identity ? inForce : nil }
        resumeAfterLoading()
        handleFileReopened(documents)
        commit()
    }

    private func handleFileReopened(_ documents: [String: [UInt8]]) {
        storeFileMonitor.reset()
        storeObserver?(.fileReopened(documents: documents))
        guard problems.clear(.storeUnusable) else { return }
        logger.notice("the database can be used again: the records from memory are in it")
    }

    /// Returns the text of the problem that records are in memory only.
    package static func unusableMessage(for error: any Error) -> String {
        "\(error); the agent keeps records in memory and tries the database again; if it ends before that, the records "
            + "are lost"
    }
}
