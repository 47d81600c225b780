import Logging
import Positioning
import Store
import Tracking

/// Looks after the store's file: a file that could not be used at the start is used as soon as it can be, and one that was deleted or
/// replaced is written anew.
extension Recorder {
    /// What others have to do with the store's file.
    enum StoreEvent: Sendable {
        /// The file was looked after: the time to look after others, too.
        case looked
        /// The records were in memory and are in the file from now on, which had these documents.
        case returned(documents: [String: [UInt8]])
    }

    /// Has somebody told of the store's file from now on, which is looked after from now on.
    func observeStore(_ observer: @escaping @Sendable (StoreEvent) -> Void) {
        storeChanged = observer
        storeWatch.isWaiting = store.assumeIsolated { $0.isWaitingForFile }
        hasStoreFile = store.assumeIsolated { $0.hasFile }
        scheduleWakeUp()
    }

    /// Looks after the file, if it is time.
    func lookAfterStore(isLast: Bool = false) {
        guard hasStoreFile, let storeChanged else { return }
        let uptime = clock.now().uptimeMilliseconds
        guard isLast || storeWatch.isDue(uptimeMilliseconds: uptime) else { return }
        storeWatch.looked(uptimeMilliseconds: uptime)
        if storeWatch.isWaiting { returnToFile() } else { verifyFile() }
        storeChanged(.looked)
    }

    /// When the file is to be looked after at the latest. Nil where there is none.
    var storeDueUptime: Int64? {
        guard hasStoreFile, storeChanged != nil else { return nil }
        return storeWatch.due(uptimeMilliseconds: clock.now().uptimeMilliseconds)
    }

    private func verifyFile() {
        let time = now().systemTime
        guard let loss = store.assumeIsolated({ $0.verifyFile(now: time) }) else { return }
        storeWatch.isLost = loss.failure != nil
        let sentence = Self.sentence(loss)
        // A loss that was made good is told in the log, also after one that could not be.
        if loss.failure == nil { problems.settle(.storeFileLost) }
        problems.raise(.storeFileLost, sentence, at: .error, in: logger)
    }

    private static func sentence(_ loss: FileLoss) -> String {
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
    private func returnToFile() {
        let time = now().systemTime
        do {
            let contents = try store.assumeIsolated { try $0.reopenFile(now: time) }
            let earlier = contents.map(StoredState.init)
            if let earlier {
                try join(earlier, documents: contents?.documents ?? [:])
            } else {
                try store.assumeIsolated { try $0.moveIntoFile(snapshot: nil, now: time) }
                returned([:])
            }
        } catch {
            let sentence = Self.sentence(ofUnusable: error)
            problems.raise(.storeUnusable, sentence, at: .error, in: logger)
        }
    }

    /// Goes on with what this run has measured, after what an earlier one has.
    private func join(_ earlier: StoredState, documents: [String: [UInt8]]) throws {
        var restoration = Restoration(of: earlier, configuration: settings.core, seed: .random())
        var before = restoration.tracker
        // What comes of it was told by that run, or is told of its last events below.
        _ = restoration.goOn(&before)
        guard tracker.lastFix != nil || tracker.lastTold != nil || storeWatch.isOdometerSet else {
            return try begin(with: earlier, before, documents: documents)
        }
        var joined = tracker
        let outputs = joined.goOn(
            after: before, first: storeWatch.firstFix, isOdometerSet: storeWatch.isOdometerSet, told: earlier.told,
            lastUpdate: earlier.lastUpdate)
        let kept = isPrivate ? joined.withoutPositions() : joined
        let snapshot = try SavedState.bytes(of: kept, sourceOrdinal: sourceOrdinal)
        let time = now().systemTime
        try store.assumeIsolated { try $0.moveIntoFile(snapshot: snapshot, now: time) }
        tracker = joined
        for output in outputs { dispatch(output) }
        if let loss = restoration.loss, loss.isOfOdometer { note(loss) }
        pending.wantsSnapshot = true
        returned(documents)
        commit()
    }

    /// Goes on as after any start: this run has measured nothing.
    private func begin(
        with earlier: StoredState, _ before: Tracker, documents: [String: [UInt8]]
    ) throws {
        let time = now().systemTime
        let snapshot = try SavedState.bytes(
            of: isPrivate ? before.withoutPositions() : before, sourceOrdinal: sourceOrdinal)
        let inForce = geofences
        try store.assumeIsolated { try $0.moveIntoFile(snapshot: snapshot, now: time) }
        load(earlier) { $0 == inForce.identity ? inForce : nil }
        goOnAfterLoading()
        returned(documents)
        commit()
    }

    private func returned(_ documents: [String: [UInt8]]) {
        storeWatch.returned()
        storeChanged?(.returned(documents: documents))
        guard problems.settle(.storeUnusable) else { return }
        logger.notice("the database can be used: all that was kept in memory is in it")
    }

    /// What is told while the records are in memory.
    static func sentence(ofUnusable error: any Error) -> String {
        "\(error); until the database can be used, which is tried again by itself, records are kept in memory: they are lost "
            + "if the agent ends before"
    }
}
