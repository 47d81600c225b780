import Logging
import Positioning
import Store
import Tracking

/// Looks after the store's file: a file that could not be used at the start is used as soon as it can be, and one that was deleted or
/// replaced is written anew.
extension Recorder {
    /// What others have to do with the store's file.
    package enum StoreEvent: Sendable {
        /// The file was looked after: the time to look after others, too.
        case fileChecked
        /// The records were in memory and are in the file from now on, which had these documents.
        case fileReopened(documents: [String: [UInt8]])
    }

    /// Has somebody told of the store's file from now on, which is looked after from now on.
    package func observeStoreFile(_ observer: @escaping @Sendable (StoreEvent) -> Void) {
        storeObserver = observer
        storeFileMonitor.isInMemory = store.assumeIsolated { $0.isWaitingForFile }
        hasStoreFile = store.assumeIsolated { $0.hasFile }
        scheduleWakeUp()
    }

    /// Looks after the file, if it is time.
    package func checkStoreFile(isFinal: Bool = false) {
        guard hasStoreFile, let storeObserver else { return }
        let uptime = clock.now().uptimeMilliseconds
        guard isFinal || storeFileMonitor.isDue(uptimeMilliseconds: uptime) else { return }
        storeFileMonitor.markChecked(uptimeMilliseconds: uptime)
        if storeFileMonitor.isInMemory { reopenFile() } else { verifyFile() }
        storeObserver(.fileChecked)
    }

    /// When the file is to be looked after at the latest. Nil where there is none.
    package var storeCheckDueUptime: Int64? {
        guard hasStoreFile, storeObserver != nil else { return nil }
        return storeFileMonitor.due(uptimeMilliseconds: clock.now().uptimeMilliseconds)
    }

    private func verifyFile() {
        let time = now().systemTime
        guard let loss = store.assumeIsolated({ $0.verifyFile(now: time) }) else { return }
        storeFileMonitor.isFileLost = loss.failure != nil
        let sentence = Self.lossMessage(loss)
        // A loss that was made good is told in the log, also after one that could not be.
        if loss.failure == nil { problems.clear(.storeFileLost) }
        problems.raise(.storeFileLost, sentence, at: .error, in: logger)
    }

    private static func lossMessage(_ loss: FileLossReport) -> String {
        if let failure = loss.failure {
            return
                "\(loss.cause), and no new one can be written: \(failure); it is tried again, and what is recorded until "
                + "then is lost if the agent ends before"
        }
        let aside = loss.asidePath.map { "; that file is kept as \($0)" } ?? ""
        return "\(loss.cause); a complete new one was written from what the agent has\(aside); find out who did it"
    }

    // MARK: From memory to the file

    /// Tries to use the file that could not be used. All of it happens between two inputs.
    private func reopenFile() {
        let time = now().systemTime
        do {
            let contents = try store.assumeIsolated { try $0.reopenFile(now: time) }
            let earlier = contents.map(PreviousRunState.init)
            if let earlier {
                try merge(earlier, documents: contents?.documents ?? [:])
            } else {
                try store.assumeIsolated { try $0.moveIntoFile(snapshot: nil, now: time) }
                handleFileReopened([:])
            }
        } catch {
            let sentence = Self.unusableMessage(for: error)
            problems.raise(.storeUnusable, sentence, at: .error, in: logger)
        }
    }

    /// Goes on with what this run has measured, after what an earlier one has.
    private func merge(_ earlier: PreviousRunState, documents: [String: [UInt8]]) throws {
        var restoration = Recovery(of: earlier, configuration: settings.core, seed: .random())
        var before = restoration.tracker
        // What comes of it was told by that run, or is told of its last events below.
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
        try store.assumeIsolated { try $0.moveIntoFile(snapshot: snapshot, now: time) }
        tracker = merged
        for output in outputs { dispatch(output) }
        if let loss = restoration.loss, loss.isOdometerLost { reportLoss(loss) }
        pending.needsSnapshot = true
        handleFileReopened(documents)
        commit()
    }

    /// Goes on as after any start: this run has measured nothing.
    private func resume(
        from earlier: PreviousRunState, _ before: Tracker, documents: [String: [UInt8]]
    ) throws {
        let time = now().systemTime
        let snapshot = try StateSnapshot.encode(
            isPrivate ? before.withoutPositions() : before, sourceOrdinal: sourceOrdinal)
        let inForce = geofences
        try store.assumeIsolated { try $0.moveIntoFile(snapshot: snapshot, now: time) }
        load(earlier) { $0 == inForce.identity ? inForce : nil }
        resumeAfterLoading()
        handleFileReopened(documents)
        commit()
    }

    private func handleFileReopened(_ documents: [String: [UInt8]]) {
        storeFileMonitor.reset()
        storeObserver?(.fileReopened(documents: documents))
        guard problems.clear(.storeUnusable) else { return }
        logger.notice("the database can be used: all that was kept in memory is in it")
    }

    /// What is told while the records are in memory.
    package static func unusableMessage(for error: any Error) -> String {
        "\(error); until the database can be used, which is tried again by itself, records are kept in memory: they are lost "
            + "if the agent ends before"
    }
}
